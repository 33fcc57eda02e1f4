import { hash } from 'node:crypto';

import type { Exchange, Pool, Service } from '../server/exchange.ts';
import { escapeHtml, html, json, redirect, text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { at } from '../world/identifiers.ts';
import { listedIn } from '../world/locations.ts';
import type { Location } from '../world/types.ts';

const CDX: Pool = { name: 'wayback-cdx', perSecond: 30 / 60, burst: 5 };
const PLAYBACK: Pool = { name: 'wayback', perSecond: 10, burst: 20 };
const FIELDS = ['urlkey', 'timestamp', 'original', 'mimetype', 'statuscode', 'digest', 'length'] as const;

interface Capture {
  readonly location: Location;
  readonly timestamp: string;
  readonly original: string;
}

function capture({ world }: Exchange, original: string): Capture | null {
  for (const location of world.namedIn(original).flatMap((work) => listedIn(work, 'wayback'))) {
    const [, timestamp = '', kept = ''] = /\/web\/(\d+)id_\/(.+)$/.exec(location.url) ?? [];
    if (kept === original) return { location, timestamp, original };
  }
  return null;
}

/** The SHA-1 in base 32, as the index has it. */
function base32Sha1(bytes: Uint8Array): string {
  const bits = Array.from(hash('sha1', bytes, 'buffer'), (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{5}/g, (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)] ?? '');
}

async function cdx(exchange: Exchange): Promise<Reply> {
  const { query } = exchange;
  const found = capture(exchange, query.get('url') ?? '');
  const wantsJson = query.get('output') === 'json';
  if (!found) return wantsJson ? json([]) : text('');
  const bytes = await exchange.bytes(found.location.file);
  const row: Record<(typeof FIELDS)[number], string> = {
    urlkey: `test,sim)/${new URL(found.original).pathname.slice(1)}`,
    timestamp: found.timestamp,
    original: found.original,
    mimetype: 'application/pdf',
    statuscode: '200',
    digest: base32Sha1(bytes),
    length: String(bytes.length),
  };
  const fields = (query.get('fl')?.split(',') ?? [...FIELDS]) as (typeof FIELDS)[number][];
  const cells = fields.map((field) => row[field] ?? '-');
  return wantsJson ? json([fields, cells]) : text(`${cells.join(' ')}\n`);
}

async function playback(exchange: Exchange): Promise<Reply> {
  const [, stamp = '', flag, rest = ''] =
    /^\/web\/(\d+)(id_)?\/(.+)$/.exec(exchange.url.pathname + exchange.url.search) ?? [];
  const found = capture(exchange, rest);
  if (!found)
    return html(
      '<html><head><title>Wayback Machine</title></head><body>The Wayback Machine has not archived that URL.</body></html>',
      404,
    );
  if (stamp !== found.timestamp)
    return redirect(at('web.archive.org', `/web/${found.timestamp}${flag ?? ''}/${rest}`), 302, {
      'x-archive-redirect-reason': `found capture at ${found.timestamp}`,
    });
  if (flag === undefined)
    return html(
      `<!DOCTYPE html><html><head><title>Wayback Machine</title></head><body><div id="wm-ipp-base">toolbar</div><iframe src="${escapeHtml(rest)}"></iframe></body></html>`,
    );
  const reply = await exchange.file(found.location);
  return {
    ...reply,
    headers: {
      ...reply.headers,
      'memento-datetime': 'Sun, 01 Jan 2023 12:00:00 GMT',
      'x-archive-orig-content-type': 'application/pdf',
    },
  };
}

export const wayback: Service = {
  name: 'wayback',
  hosts: ['archive.org', 'web.archive.org'],
  pool: ({ path }) => (path.startsWith('/cdx/') ? CDX : path.startsWith('/web/') ? PLAYBACK : null),
  tooMany: () => text('Too Many Requests', 429, { 'retry-after': '60' }),
  async handle(exchange): Promise<Reply> {
    const { path, query } = exchange;
    if (path === '/wayback/available') {
      const asked = query.get('url') ?? '';
      const found = capture(exchange, asked);
      // Availability is incomplete: it misses every third capture that the index has.
      if (!found || found.location.work % 3 === 0) return json({ url: asked, archived_snapshots: {} });
      const closest = {
        status: '200',
        available: true,
        url: at('web.archive.org', `/web/${found.timestamp}/${asked}`),
        timestamp: found.timestamp,
      };
      return json({ url: asked, archived_snapshots: { closest } });
    }
    if (path.startsWith('/cdx/search/cdx')) return cdx(exchange);
    return path.startsWith('/web/') ? playback(exchange) : text('Not Found', 404);
  },
};
