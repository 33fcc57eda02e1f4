import { gzipSync } from 'node:zlib';

import { cleanUrl, walledPage } from '../hosts/walls.ts';
import { withFace } from '../hosts/landing.ts';
import type { Exchange } from '../server/exchange.ts';
import { HANG, html, page, redirect, RESET, text } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { SUFFIX } from '../world/identifiers.ts';
import { WORLD_DATE } from '../world/world.ts';
import type { Behaviour, RedirectTrap, RetryAfterForm } from './behaviour.ts';
import { conditional, fileHeaders } from './validators.ts';

const BOMB_MEMBER_BYTES = 10 * 1024 * 1024;
const BOMB_MEMBERS = 1_000;
const FIVE_GIGABYTES = 5 * 1024 ** 3;
let bombMember: Uint8Array | undefined;

/** Applies a behaviour to a response; `body` is called only if a body is sent. */
export async function perform(exchange: Exchange, behaviour: Behaviour, body: () => Promise<Body>): Promise<Reply> {
  const instead = substitute(exchange, behaviour);
  if (instead) return instead;
  return shape(exchange, behaviour, await body());
}

export interface Body {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** Responses that need no file. */
function substitute(exchange: Exchange, behaviour: Behaviour): Reply | null {
  const { attempt } = exchange;
  switch (behaviour.kind) {
    case 'flaky':
      return attempt <= behaviour.times ? flake(behaviour.how) : null;
    case 'throttled':
      return attempt <= behaviour.times ? throttle(exchange, behaviour.retryAfter) : null;
    case 'status':
      return html(
        `<html><head><title>${behaviour.status}</title></head><body>${behaviour.status}</body></html>`,
        behaviour.status,
      );
    case 'dead':
    // The client ignored DNS and connected anyway.
    case 'nameless':
      return RESET;
    case 'redirect':
      return nextHop(exchange, behaviour);
    case 'redirect-trap':
      return trap(exchange, behaviour.to);
    case 'html-as-pdf':
      return disguisedPage(behaviour.page);
    case 'wall':
      return walledPage(behaviour.how, exchange);
    case 'empty':
      return { status: 200, headers: { 'content-type': 'application/pdf', 'content-length': '0' }, body: '' };
    case 'oversized':
      return oversized(behaviour.how);
    case 'slow':
      return behaviour.how === 'no-headers' ? HANG : null;
    case 'head':
      if (exchange.method !== 'HEAD') return null;
      return behaviour.how === 'lies'
        ? { status: 200, headers: { 'content-type': 'text/html', 'content-length': '17' }, body: '' }
        : text('', Number(behaviour.how));
    case 'gzip':
      return behaviour.how === 'bomb' ? bomb() : null;
    case 'plain':
    case 'typed':
    case 'truncated':
    case 'cut':
    case 'caching':
    case 'range':
    case 'filename':
      return null;
  }
}

function flake(how: '503' | '502' | 'reset' | 'timeout'): Reply {
  if (how === 'reset') return RESET;
  if (how === 'timeout') return HANG;
  return html('<html><body>temporarily unavailable</body></html>', Number(how));
}

function throttle(exchange: Exchange, form: RetryAfterForm): Reply {
  const value: Readonly<Record<RetryAfterForm, string | null>> = {
    seconds: '2',
    date: new Date(exchange.now + 2_000).toUTCString(),
    none: null,
    absurd: '86400',
    year: '31536000',
    negative: '-5',
    garbage: 'soon',
  };
  const retryAfter = value[form];
  return text('Too Many Requests', 429, retryAfter === null ? {} : { 'retry-after': retryAfter });
}

function nextHop(exchange: Exchange, behaviour: Extract<Behaviour, { kind: 'redirect' }>): Reply | null {
  const hop = Number(exchange.query.get('hop') ?? 0);
  if (hop >= behaviour.hops) return null;
  const target = withFace(cleanUrl(exchange.url), 'hop', String(hop + 1));
  const { pathname, search } = new URL(target);
  return redirect(
    behaviour.relative ? pathname + search : target,
    behaviour.codes[hop % behaviour.codes.length] ?? 302,
  );
}

function trap(exchange: Exchange, to: RedirectTrap): Reply {
  const { canaries, url, query } = exchange;
  const clean = cleanUrl(url);
  const hop = Number(query.get('hop') ?? 0);
  switch (to) {
    case 'loop':
      return redirect(hop === 0 ? withFace(clean, 'hop', '1') : clean);
    case 'twelve-hops':
      return redirect(withFace(clean, 'hop', String(hop + 1)));
    case 'canary-4':
      return redirect(`http://127.0.0.1:${canaries.v4}/secret`);
    case 'canary-6':
      return redirect(`http://[::1]:${canaries.v6}/secret`);
    case 'metadata':
      return redirect('http://169.254.169.254/latest/meta-data/');
    case 'decimal-host':
      return redirect(`http://2130706433:${canaries.v4}/secret`);
    case 'rebinding':
      return redirect(`http://rebind${SUFFIX}/secret`);
    case 'file-scheme':
      return redirect('file:///etc/passwd');
    case 'no-location':
      return { status: 302, headers: { 'content-type': 'text/html' }, body: '' };
  }
}

function disguisedPage(kind: 'html' | 'viewer' | 'interstitial'): Reply {
  switch (kind) {
    case 'html':
      return page('Article', 'Please use a browser.', 200, { 'content-type': 'application/pdf' });
    case 'viewer':
      return page('PDF viewer', '<div id="viewerContainer"></div><script src="/pdf.js"></script>');
    case 'interstitial':
      return page('Preparing to download ...', 'Preparing to download ...');
  }
}

function oversized(how: 'declared' | 'endless'): Reply {
  const block = Buffer.alloc(64 * 1024, '%PDF-1.4 padding ');
  const declared = { kind: 'repeat', times: FIVE_GIGABYTES / block.length, length: FIVE_GIGABYTES } as const;
  return {
    status: 200,
    headers: { 'content-type': 'application/pdf' },
    body: block,
    transport: how === 'declared' ? declared : { kind: 'repeat', times: Infinity },
  };
}

/** 10 MB compressed, 10 GB decompressed: concatenated gzip members. */
function bomb(): Reply {
  bombMember ??= gzipSync(Buffer.alloc(BOMB_MEMBER_BYTES), { level: 9 });
  return {
    status: 200,
    headers: { 'content-type': 'application/pdf', 'content-encoding': 'gzip' },
    body: bombMember,
    transport: { kind: 'repeat', times: BOMB_MEMBERS },
  };
}

const NAMES = {
  rfc8187: 'attachment; filename="naive.pdf"; filename*=UTF-8\'\'na%C3%AFve%20r%C3%A9sum%C3%A9.pdf',
  traversal: 'attachment; filename="../../x.pdf"',
  long: `attachment; filename="${'a'.repeat(300)}.pdf"`,
  bidi: "attachment; filename*=UTF-8''paper%E2%80%AEfdp.exe",
  quotes: 'attachment; filename="a\\"b;c.pdf"; size=1',
} as const;

/** Responses with the file, modified by the behaviour. */
function shape(exchange: Exchange, behaviour: Behaviour, body: Body): Reply {
  const { bytes, contentType } = body;
  const headers: Record<string, string> = { ...fileHeaders(bytes, WORLD_DATE), 'content-type': contentType };
  const whole: Reply = { status: 200, headers, body: bytes };
  switch (behaviour.kind) {
    case 'typed': {
      const typed = { ...headers, 'content-type': behaviour.contentType };
      return conditional(exchange, {
        ...whole,
        headers: behaviour.contentType === '' ? without(headers, 'content-type') : typed,
      });
    }
    case 'truncated':
      if (exchange.attempt > behaviour.times) return conditional(exchange, whole);
      return {
        ...whole,
        transport: { kind: behaviour.how === 'short' ? 'short' : 'chunked-cut', bytes: Math.floor(bytes.length / 2) },
      };
    case 'cut': {
      const end =
        behaviour.how === 'no-eof'
          ? Buffer.from(bytes).lastIndexOf('%%EOF')
          : Buffer.from(bytes).lastIndexOf('xref') - 10;
      return { ...whole, body: bytes.subarray(0, end > 0 ? end : bytes.length - 20) };
    }
    case 'slow':
      return {
        ...whole,
        transport:
          behaviour.how === 'drip'
            ? { kind: 'drip', everyMs: 50 }
            : { kind: 'stall', bytes: Math.min(65_536, Math.floor(bytes.length / 2)) },
      };
    case 'gzip':
      return zipped(whole, behaviour.how);
    case 'caching':
      return cached(exchange, whole, behaviour.how);
    case 'range':
      return conditional(exchange, whole, behaviour.how);
    case 'filename':
      return conditional(exchange, { ...whole, headers: { ...headers, 'content-disposition': NAMES[behaviour.how] } });
    case 'plain':
    case 'flaky':
    case 'throttled':
    case 'status':
    case 'dead':
    case 'nameless':
    case 'redirect':
    case 'redirect-trap':
    case 'html-as-pdf':
    case 'oversized':
    case 'empty':
    case 'wall':
    case 'head':
      return conditional(exchange, whole);
  }
}

function zipped(whole: Reply, how: 'encoded' | 'file' | 'double' | 'bomb' | 'corrupt'): Reply {
  const once = gzipSync(whole.body);
  const headers = without(whole.headers, 'etag');
  if (how === 'file') return { ...whole, headers: { ...headers, 'content-type': 'application/gzip' }, body: once };
  if (how === 'double')
    return { ...whole, headers: { ...headers, 'content-encoding': 'gzip, gzip' }, body: gzipSync(once) };
  if (how === 'corrupt') {
    const broken = Buffer.from(once);
    broken.fill(0x55, Math.floor(broken.length / 2));
    return { ...whole, headers: { ...headers, 'content-encoding': 'gzip' }, body: broken };
  }
  return { ...whole, headers: { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }, body: once };
}

type Caching = Extract<Behaviour, { kind: 'caching' }>['how'];

function cached(exchange: Exchange, whole: Reply, how: Caching): Reply {
  if (how === 'changes-once') return conditional(exchange, exchange.attempt === 1 ? whole : changed(whole));
  const reply = { ...whole, headers: cachingHeaders(whole.headers, how) };
  return how === 'no-store' ? reply : conditional(exchange, reply);
}

function cachingHeaders(headers: Reply['headers'], how: Exclude<Caching, 'changes-once'>): Reply['headers'] {
  switch (how) {
    case 'strong':
      return { ...without(headers, 'last-modified'), 'cache-control': 'max-age=3600' };
    case 'weak':
      return { ...headers, etag: `W/${String(headers['etag'])}` };
    case 'last-modified':
      return without(headers, 'etag');
    case 'vary':
      return { ...headers, vary: 'Accept, User-Agent' };
    case 'no-store':
      return { ...without(without(headers, 'etag'), 'last-modified'), 'cache-control': 'no-store' };
    case 'expired':
      return { ...headers, expires: 'Thu, 01 Jan 1970 00:00:00 GMT' };
  }
}

/** A changed file: one comment longer, with another validator. */
function changed(whole: Reply): Reply {
  const bytes = Buffer.concat([Buffer.from(whole.body), Buffer.from(SECOND_EDITION)]);
  return { ...whole, body: bytes, headers: { ...whole.headers, ...fileHeaders(bytes, WORLD_DATE + 86_400_000) } };
}

export const SECOND_EDITION = '% second edition\n%%EOF\n';

function without(headers: Reply['headers'], name: string): Record<string, string | readonly string[]> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}
