import { hash } from 'node:crypto';

import type { Pool, Service } from '../server/exchange.ts';
import { keyOf } from '../server/exchange.ts';
import { SIM_KEYS } from '../server/run-state.ts';
import { html, json, redirect } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { at, osfGuid, osfIndex } from '../world/identifiers.ts';
import { landingPage } from '../hosts/landing.ts';
import type { Work } from '../world/types.ts';
import type { World } from '../world/world.ts';

const ANONYMOUS: Pool = { name: 'osf-anonymous', perSecond: 100 / 3_600, burst: 20 };
const TOKEN: Pool = { name: 'osf', perSecond: 10, burst: 10 };
const MEDIA = { 'content-type': 'application/vnd.api+json; charset=utf-8' };

function byGuid(world: World, guid: string): Work | undefined {
  const index = osfIndex(guid.replace(/_v\d+$/, ''));
  if (index < 0 || index >= world.size || !world.isThere(index)) return undefined;
  const work = world.work(index);
  return work.archetype === 'A9-osf' && osfGuid(index) === guid.replace(/_v\d+$/, '') ? work : undefined;
}

function isWithdrawn(work: Work): boolean {
  return work.locations[0]?.visibleIn.length === 0;
}

const CC_BY = '563c1cf88c5e4a3877f9e96a';

function licenseRecord(): Record<string, unknown> {
  return {
    data: { id: CC_BY, type: 'licenses', attributes: { name: 'CC-By Attribution 4.0 International', url: null } },
  };
}

function preprint(work: Work, guid: string, embeds: boolean): Record<string, unknown> {
  const gone = isWithdrawn(work);
  const license = !gone && work.locations[0]?.license === 'cc-by' ? CC_BY : null;
  return {
    data: {
      id: guid,
      type: 'preprints',
      attributes: {
        title: work.title,
        is_published: !gone,
        public: true,
        date_withdrawn: gone ? `${work.date}T00:00:00` : null,
        doi: null,
        // Year and holders; the licence itself is a separate record.
        license_record: { copyright_holders: [''], year: '2024' },
        version: 1,
      },
      relationships: gone
        ? {}
        : {
            primary_file: {
              links: { related: { href: at('api.osf.io', `/v2/files/file${guid}/`), meta: {} } },
              data: { id: `file${guid}`, type: 'files' },
            },
            ...(license && {
              license: { links: { related: { href: at('api.osf.io', `/v2/licenses/${license}/`), meta: {} } } },
            }),
          },
      // If requested, the licence may be embedded; otherwise it is a link.
      ...(license && embeds && work.index % 2 === 0 && { embeds: { license: licenseRecord() } }),
      links: {
        self: at('api.osf.io', `/v2/preprints/${guid}/`),
        html: at('osf.io', `/${guid}/`),
        preprint_doi: `https://doi.org/${work.doi}`,
      },
    },
    meta: { version: '2.20' },
  };
}

export const osf: Service = {
  name: 'osf',
  hosts: ['api.osf.io', 'osf.io', 'files.osf'],
  pool: (exchange) =>
    exchange.url.hostname.startsWith('api.') ? (keyOf(exchange) === SIM_KEYS.osf ? TOKEN : ANONYMOUS) : null,
  tooMany: (_exchange, wait) =>
    json({ errors: [{ detail: `Request was throttled. Expected available in ${wait} seconds.` }] }, 429, {
      ...MEDIA,
      'retry-after': String(wait),
    }),
  async handle(exchange): Promise<Reply> {
    const { path, query, world, url } = exchange;
    const missing = json({ errors: [{ detail: 'Not found.' }] }, 404, MEDIA);
    if (url.hostname.startsWith('files.')) {
      const work = byGuid(world, path.slice(1));
      return work?.locations[0] ? exchange.file(work.locations[0]) : missing;
    }
    if (!url.hostname.startsWith('api.')) {
      const guid = /^\/(?:download\/)?([a-z0-9]{5}(?:_v\d+)?)\/?$/.exec(path)?.[1] ?? '';
      const work = byGuid(world, guid);
      if (!work)
        return html('<html><head><title>OSF | Page not found</title></head><body>Page not found</body></html>', 404);
      if (path.startsWith('/download/'))
        return isWithdrawn(work)
          ? json({ message: 'Gone' }, 410)
          : redirect(at('files.osf', `/${osfGuid(work.index)}`));
      return html(landingPage(world, work.locations[1] as Work['locations'][number]));
    }
    const licenseId = /^\/v2\/licenses\/([a-z0-9]+)\/$/.exec(path)?.[1];
    if (licenseId !== undefined) return licenseId === CC_BY ? json(licenseRecord(), 200, MEDIA) : missing;
    const guid = /^\/v2\/preprints\/([a-z0-9_]+)\/$/.exec(path)?.[1];
    const fileGuid = /^\/v2\/files\/file([a-z0-9]{5})\/$/.exec(path)?.[1];
    const work = byGuid(world, guid ?? fileGuid ?? '');
    if (!work) return missing;
    if (guid) return json(preprint(work, guid, query.get('embed') === 'license'), 200, MEDIA);
    const location = work.locations[0];
    const bytes = await exchange.bytes(location?.file);
    return json(
      {
        data: {
          id: `file${fileGuid}`,
          type: 'files',
          attributes: {
            guid: fileGuid,
            name: 'paper.pdf',
            kind: 'file',
            path: `/file${fileGuid}`,
            size: bytes.length,
            provider: 'osfstorage',
            extra: {
              hashes: { md5: hash('md5', bytes), sha256: hash('sha256', bytes) },
              downloads: 0,
            },
          },
          links: { info: at('api.osf.io', path), download: location?.url, self: at('api.osf.io', path) },
        },
        meta: { version: '2.20' },
      },
      200,
      MEDIA,
    );
  },
};
