import { hash } from 'node:crypto';

import { PLAIN } from '../behaviours/behaviour.ts';
import { conditional, fileHeaders } from '../behaviours/validators.ts';
import type { Exchange, Pool, Service } from '../server/exchange.ts';
import { SIM_KEYS } from '../server/run-state.ts';
import { html, json, page, xml } from '../server/reply.ts';
import type { Reply } from '../server/reply.ts';
import { listedIn } from '../world/locations.ts';
import type { Location, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';
import { WORLD_DATE } from '../world/world.ts';

const BUCKET = 'pmc-oa-opendata.s3.amazonaws.com';
const KEYED: Pool = { name: 'ncbi-keyed', perSecond: 10, burst: 10 };
const KEYLESS: Pool = { name: 'ncbi', perSecond: 3, burst: 3 };

function versionOf(work: Work): number {
  return Number(/\.(\d)\//.exec(listedIn(work, 'pmc')[0]?.url ?? '')?.[1] ?? 1);
}

function s3Error(code: string, message: string, key: string): Reply {
  return xml(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message><Key>${key}</Key><RequestId>SIM</RequestId></Error>`,
    404,
  );
}

/** The files of one version; earlier versions use another layout, so that choosing the wrong version is detectable. */
function edition(work: Work, version: number): readonly Location[] {
  const latest = versionOf(work);
  if (version === latest) return listedIn(work, 'pmc');
  return listedIn(work, 'pmc').map((location) => {
    const url = location.url
      .replaceAll(`.${latest}/`, `.${version}/`)
      .replace(new RegExp(`\\.${latest}(\\.(?:pdf|xml))$`), `.${version}$1`);
    const payload = location.file?.payload;
    if (payload?.form !== 'pdf') return { ...location, url };
    const layout = payload.layout === 'L1' ? 'L2' : 'L1';
    return { ...location, url, file: { url, behaviour: PLAIN, payload: { ...payload, layout } } };
  });
}

async function metadata(exchange: Exchange, work: Work, version: number): Promise<Reply> {
  const current = edition(work, version);
  const link = async (kind: Location['kind']): Promise<string | null> => {
    const location = current.find((one) => one.kind === kind);
    if (!location) return null;
    const key = new URL(location.url).pathname.slice(1);
    return `s3://pmc-oa-opendata/${key}?md5=${hash('md5', await exchange.bytes(location.file))}`;
  };
  const license = current[0]?.license ?? null;
  return json({
    pmcid: work.pmcid,
    version,
    pmid: Number(work.pmid),
    doi: work.doi,
    mid: null,
    title: work.title,
    citation: `Sim J. ${work.year}. doi: ${work.doi}`,
    is_manuscript: current[0]?.version === 'acceptedVersion',
    is_retracted: work.isRetracted,
    license_code: license === null ? null : license.replace('cc-', 'CC ').toUpperCase(),
    pdf_url: await link('pdf'),
    text_url: null,
    xml_url: await link('jats'),
  });
}

async function bucket(exchange: Exchange): Promise<Reply> {
  const { path, query, world } = exchange;
  if (path === '/' && query.get('list-type') === '2') return listBucket(exchange);
  const [, pmcid = '', version = ''] =
    /^\/(?:metadata\/|PMC\d+\.\d\/)?(PMC\d+)\.(\d)\.(?:json|pdf|xml|txt)$/.exec(path) ?? [];
  const work = world.byPmcid(pmcid);
  if (!work || listedIn(work, 'pmc').length === 0 || Number(version) > versionOf(work))
    return s3Error('NoSuchKey', 'The specified key does not exist.', path.slice(1));
  if (path.endsWith('.json')) return metadata(exchange, work, Number(version));
  const kind = path.endsWith('.pdf') ? 'pdf' : 'jats';
  const location = edition(work, Number(version)).find((one) => one.kind === kind);
  if (!location?.file || path.endsWith('.txt'))
    return s3Error('NoSuchKey', 'The specified key does not exist.', path.slice(1));
  const bytes = await exchange.bytes(location.file);
  // The ETag of these objects is the MD5 published in the metadata.
  const headers = {
    ...fileHeaders(bytes, WORLD_DATE),
    etag: `"${hash('md5', bytes)}"`,
    'content-type': kind === 'pdf' ? 'application/pdf' : 'application/xml',
  };
  return conditional(exchange, { status: 200, headers, body: bytes });
}

function listBucket({ query, world }: Exchange): Reply {
  const prefix = query.get('prefix') ?? '';
  const work = world.byPmcid(/^(PMC\d+)/.exec(prefix)?.[1] ?? '');
  const versions =
    work && listedIn(work, 'pmc').length > 0 ? Array.from({ length: versionOf(work) }, (_, at) => at + 1) : [];
  const inner =
    work && /^PMC\d+\.\d\/$/.test(prefix)
      ? edition(work, Number(/\.(\d)\/$/.exec(prefix)?.[1])).map(
          (location) => `<Contents><Key>${new URL(location.url).pathname.slice(1)}</Key><Size>1</Size></Contents>`,
        )
      : versions.map((version) => `<CommonPrefixes><Prefix>${work?.pmcid}.${version}/</Prefix></CommonPrefixes>`);
  return xml(
    `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>pmc-oa-opendata</Name><Prefix>${prefix}</Prefix><KeyCount>${inner.length}</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>${inner.join('')}</ListBucketResult>`,
  );
}

function idconv({ query, world }: Exchange): Reply {
  const records = (query.get('ids') ?? '')
    .split(',')
    .filter(Boolean)
    .slice(0, 200)
    .map((id) => {
      const work = findAny(world, id);
      return work?.pmcid
        ? { 'requested-id': id, pmcid: work.pmcid, pmid: work.pmid, doi: work.doi }
        : { 'requested-id': id, status: 'error', errmsg: 'Identifier not found in PMC' };
    });
  return json({ status: 'ok', records });
}

function findAny(world: World, id: string): Work | undefined {
  if (/^PMC\d+$/i.test(id)) return world.byPmcid(id);
  return /^\d+$/.test(id) ? world.byPmid(id) : world.byDoi(id);
}

/** PubMed Central: the cloud bucket for programs, the id converter, and pages for people only. */
export const pmc: Service = {
  name: 'pmc',
  hosts: [BUCKET, 'eutils.ncbi.nlm.nih.gov', 'pmc.ncbi.nlm.nih.gov', 'www.ncbi.nlm.nih.gov'],
  pool(exchange) {
    if (exchange.url.hostname.startsWith(BUCKET) || exchange.path === '/robots.txt') return null;
    return exchange.query.get('api_key') === SIM_KEYS.ncbi ? KEYED : KEYLESS;
  },
  tooMany: () => json({ error: 'API rate limit exceeded', count: '4' }, 429, { 'retry-after': '1' }),
  async handle(exchange): Promise<Reply> {
    if (exchange.url.hostname.startsWith(BUCKET)) return bucket(exchange);
    if (exchange.path.startsWith('/tools/idconv/')) return idconv(exchange);
    if (exchange.path.startsWith('/pmc/utils/oa/'))
      return html('<html><head><title>404</title></head><body>Page not found</body></html>', 404);
    if (/\/pdf\/?$/.test(exchange.path)) return page('Preparing to download ...', 'Preparing to download ...');
    return page('PMC', '<main>Full text for readers.</main>');
  },
};
