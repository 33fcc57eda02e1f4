import type { ClientSettings } from '../settings.ts';
import type { Resolver } from '../truth/policy.ts';
import type { PoliteHttp } from './polite-http.ts';

/** A URL to try, as a resolver found it. */
export interface FoundPlan {
  readonly url: string;
  readonly expect: 'pdf' | 'xml' | 'any';
  readonly license: string | null;
  readonly version: string | null;
  readonly hostType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of an OpenAlex work that resolvers read. */
export interface WorkRecord {
  readonly id: string;
  readonly doi: string | null;
  readonly title: string;
  readonly ids: { readonly pmcid?: string };
  readonly has_content: { readonly pdf: boolean; readonly grobid_xml: boolean };
  readonly locations: readonly OpenAlexLocation[];
}

interface OpenAlexLocation {
  readonly id?: string;
  readonly is_oa: boolean;
  readonly landing_page_url: string | null;
  readonly pdf_url: string | null;
  readonly license: string | null;
  readonly version: string | null;
  readonly source: { readonly type: string } | null;
}

export interface Asking {
  readonly http: PoliteHttp;
  readonly settings: ClientSettings;
  readonly record: WorkRecord;
  /** The DOI in lower case, without the dot that some records carry at its end. */
  readonly doi: string | null;
  /** URLs of lost files, for the archive. */
  readonly gone: readonly string[];
}

type Ask = (asking: Asking) => Promise<FoundPlan[]>;

/** A value inside JSON of unknown shape; undefined where the path ends early. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) here = here !== null && typeof here === 'object' ? (here as { [key: string | number]: unknown })[step] : undefined;
  return here;
}

const word = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const encodeDoi = (doi: string): string => doi.split('/').map(encodeURIComponent).join('/');

async function ask(asking: Asking, url: string, headers: { readonly [name: string]: string } = {}): Promise<unknown> {
  const answer = await asking.http.fetch(url, { headers, isInterface: true });
  if (answer.kind === 'lost' || answer.status !== 200) return undefined;
  try {
    return JSON.parse(answer.body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** Licences as one vocabulary, whatever the source calls them. */
function license(raw: unknown): string | null {
  const text = word(raw)?.toLowerCase();
  if (!text) return null;
  if (/nonexclusive/.test(text)) return 'arxiv-nonexclusive';
  if (/zero|cc0/.test(text)) return 'cc0';
  const by = /\bcc[\s_-]?(by(?:[\s_-]?(?:nc|nd|sa))*)|licenses\/(by(?:-(?:nc|nd|sa))*)/.exec(text);
  const parts = (by?.[1] ?? by?.[2])?.replaceAll(/[\s_-]/g, '').match(/by|nc|nd|sa/g);
  return parts ? `cc-${parts.join('-')}` : null;
}

const plan = (url: string, more: Partial<FoundPlan> = {}): FoundPlan => ({ url, expect: 'pdf', license: null, version: null, hostType: 'repository', ...more });

const shared = (location: OpenAlexLocation): Partial<FoundPlan> => ({
  license: location.license,
  version: location.version,
  hostType: location.source?.type === 'journal' ? 'publisher' : 'repository',
});

async function cloudPlans(asking: Asking): Promise<FoundPlan[]> {
  const { settings, record, http } = asking;
  const pmcid = /PMC\d+/.exec(record.ids.pmcid ?? '')?.[0];
  if (!pmcid) return [];
  const listing = await http.fetch(`${settings.services['pmc']}/?list-type=2&prefix=${pmcid}.&delimiter=/`, { isInterface: true });
  const versions = listing.kind === 'body' ? [...listing.body.toString('utf8').matchAll(/<Prefix>(PMC\d+\.(\d+))\/<\/Prefix>/g)] : [];
  const latest = versions.sort((a, b) => Number(b[2]) - Number(a[2]))[0]?.[1];
  if (!latest) return [];
  const data = await ask(asking, `${settings.services['pmc']}/metadata/${latest}.json`);
  return (['pdf_url', 'xml_url'] as const).flatMap((field) => {
    const s3 = word(at(data, field));
    if (!s3) return [];
    const url = s3.replace('s3://pmc-oa-opendata', settings.services['pmc'] ?? '').replace(/\?md5=.*/, '');
    return [plan(url, { expect: field === 'pdf_url' ? 'pdf' : 'xml', license: license(at(data, 'license_code')), version: at(data, 'is_manuscript') === true ? 'acceptedVersion' : 'publishedVersion' })];
  });
}

async function archivePlans(asking: Asking): Promise<FoundPlan[]> {
  const { settings, record, gone } = asking;
  const plans: FoundPlan[] = [];
  for (const url of gone) {
    const known = await ask(asking, `${settings.services['wayback_available']}?url=${encodeURIComponent(url)}`);
    let stamp = word(at(known, 'archived_snapshots', 'closest', 'timestamp'));
    if (!stamp) stamp = word(at(await ask(asking, `${settings.services['wayback']}/cdx/search/cdx?url=${encodeURIComponent(url)}&output=json`), 1, 1));
    const location = record.locations.find((one) => one.pdf_url === url);
    if (stamp) plans.push(plan(`${settings.services['wayback']}/web/${stamp}id_/${url}`, { ...(location && shared(location)), hostType: 'archive' }));
  }
  return plans;
}

/** Each resolver in the plainest form that its service allows. */
export const ASK: Readonly<{ [name in Resolver]: Ask }> = {
  openalex: async ({ record }) => record.locations.flatMap((location) => (location.is_oa && location.pdf_url ? [plan(location.pdf_url, shared(location))] : [])),
  landing_page: async ({ record }) =>
    record.locations.flatMap((location) =>
      location.is_oa && location.landing_page_url && !location.landing_page_url.includes('://doi.org') ? [plan(location.landing_page_url, { ...shared(location), expect: 'any' })] : [],
    ),
  async arxiv(asking) {
    const { record, settings, http } = asking;
    const id = record.locations.map((location) => /^pmh:oai:arXiv\.org:(.+)$/.exec(location.id ?? '')?.[1]).find((one) => one !== undefined);
    if (!id) return [];
    const raw = await http.fetch(`${settings.services['arxiv_oai']}?verb=GetRecord&identifier=oai:arXiv.org:${id}&metadataPrefix=arXivRaw`, { isInterface: true });
    const found = raw.kind === 'body' ? /<license>([^<]+)</.exec(raw.body.toString('utf8'))?.[1] : undefined;
    return [plan(`${settings.services['arxiv_files']}/pdf/${id}`, { license: license(found), version: 'submittedVersion', hostType: 'preprint' })];
  },
  async europe_pmc(asking) {
    const { settings, record } = asking;
    const pmcid = /PMC\d+/.exec(record.ids.pmcid ?? '')?.[0];
    if (!pmcid) return [];
    const data = await ask(asking, `${settings.services['europe_pmc']}/search?query=PMCID:${pmcid}&resultType=core&format=json`);
    const result = at(data, 'resultList', 'result', 0);
    if (at(result, 'isOpenAccess') !== 'Y') return [];
    const more = { license: license(at(result, 'license')), hostType: 'aggregator' };
    const pdf = list(at(result, 'fullTextUrlList', 'fullTextUrl')).find((one) => at(one, 'documentStyle') === 'pdf' && at(one, 'availabilityCode') === 'OA');
    return [plan(`${settings.services['europe_pmc']}/${pmcid}/fullTextXML`, { ...more, expect: 'xml' }), ...(pdf ? [plan(String(at(pdf, 'url')), more)] : [])];
  },
  pmc: cloudPlans,
  async biorxiv(asking) {
    const { doi, settings } = asking;
    if (!doi?.startsWith('10.1101/')) return [];
    for (const server of ['biorxiv', 'medrxiv']) {
      const versions = list(at(await ask(asking, `${settings.services['biorxiv']}/details/${server}/${doi}/na/json`), 'collection'));
      const last = versions.at(-1);
      if (last) return [plan(`${settings.services[`${server}_files`]}/content/${doi}v${String(at(last, 'version'))}.full.pdf`, { license: license(at(last, 'license')), version: 'submittedVersion', hostType: 'preprint' })];
    }
    return [];
  },
  async unpaywall(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const locations = list(at(await ask(asking, `${settings.services['unpaywall']}/${encodeDoi(doi)}?email=rehearsal@sim.test`), 'oa_locations'));
    const files = locations.filter((one) => word(at(one, 'url_for_pdf')) !== null);
    return (files.length > 0 ? files : locations).map((one) =>
      plan(String(at(one, 'url_for_pdf') ?? at(one, 'url_for_landing_page')), { expect: files.length > 0 ? 'pdf' : 'any', license: word(at(one, 'license')), version: word(at(one, 'version')), hostType: String(at(one, 'host_type')) }),
    );
  },
  async crossref(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const message = at(await ask(asking, `${settings.services['crossref']}/works/${encodeURIComponent(doi)}`), 'message');
    return list(at(message, 'link'))
      .filter((one) => at(one, 'intended-application') !== 'similarity-checking')
      .map((one) => plan(String(at(one, 'URL')), { expect: 'any', license: license(at(message, 'license', 0, 'URL')), version: at(one, 'content-version') === 'vor' ? 'publishedVersion' : null, hostType: 'publisher' }));
  },
  doi: async ({ doi, settings }) => (doi ? [plan(`${settings.services['doi']}/${encodeDoi(doi)}`, { expect: 'any', hostType: 'publisher' })] : []),
  async doaj(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const data = await ask(asking, `${settings.services['doaj']}/search/articles/${encodeURIComponent(`doi:"${doi}"`)}`);
    return list(at(data, 'results', 0, 'bibjson', 'link')).map((one) => plan(String(at(one, 'url')), { expect: at(one, 'content_type') === 'PDF' ? 'pdf' : 'any', version: 'publishedVersion', hostType: 'publisher' }));
  },
  async hal(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const document = at(await ask(asking, `${settings.services['hal']}/search/?q=${encodeURIComponent(`doiId_s:"${doi}"`)}&wt=json&fl=fileMain_s,licence_s`), 'response', 'docs', 0);
    const url = word(at(document, 'fileMain_s'));
    return url ? [plan(url, { license: license(at(document, 'licence_s')) })] : [];
  },
  async zenodo(asking) {
    const { doi, settings } = asking;
    if (!doi?.startsWith('10.5281/')) return [];
    const hit = at(await ask(asking, `${settings.services['zenodo']}/records?q=${encodeURIComponent(`doi:"${doi}"`)}&size=5`), 'hits', 'hits', 0);
    return list(at(hit, 'files')).filter((one) => String(at(one, 'key')).endsWith('.pdf')).map((one) => plan(String(at(one, 'links', 'self')), { license: license(at(hit, 'metadata', 'license', 'id')) }));
  },
  async figshare(asking) {
    const { doi, settings } = asking;
    if (!doi?.startsWith('10.6084/')) return [];
    const id = at(await ask(asking, `${settings.services['figshare']}/articles?doi=${encodeURIComponent(doi)}`), 0, 'id');
    if (id === undefined) return [];
    const article = await ask(asking, `${settings.services['figshare']}/articles/${String(id)}`);
    return list(at(article, 'files')).map((one) => plan(String(at(one, 'download_url')), { license: license(at(article, 'license', 'name')) }));
  },
  async osf(asking) {
    const { doi, settings } = asking;
    const guid = /\/osf\.io\/([a-z0-9]{5})/.exec(doi ?? '')?.[1];
    if (!guid) return [];
    const headers = { authorization: `Bearer ${settings.keys['osf']}` };
    const href = word(at(await ask(asking, `${settings.services['osf']}/preprints/${guid}/`, headers), 'data', 'relationships', 'primary_file', 'links', 'related', 'href'));
    if (!href) return [];
    const url = word(at(await ask(asking, href, headers), 'data', 'links', 'download'));
    return url ? [plan(url, { version: 'submittedVersion', hostType: 'preprint' })] : [];
  },
  async semantic_scholar(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const open = at(await ask(asking, `${settings.services['semantic_scholar']}/paper/${encodeURIComponent(`DOI:${doi}`)}?fields=openAccessPdf`, { 'x-api-key': settings.keys['semantic_scholar'] ?? '' }), 'openAccessPdf');
    const url = word(at(open, 'url'));
    return url && at(open, 'status') !== 'CLOSED' ? [plan(url, { expect: 'any', license: license(word(at(open, 'license'))?.replace(/^CC0$/, 'cc0')) })] : [];
  },
  async core(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const data = await ask(asking, `${settings.services['core']}/search/works/?q=${encodeURIComponent(`doi:"${doi}"`)}&limit=1`, { authorization: `Bearer ${settings.keys['core']}` });
    const url = word(at(data, 'results', 0, 'downloadUrl'));
    return url ? [plan(url, { expect: 'any', hostType: 'aggregator' })] : [];
  },
  async openaire(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const data = await ask(asking, `${settings.services['openaire']}/research-products?pid=${encodeURIComponent(doi)}`, { authorization: `Bearer ${settings.keys['openaire']}` });
    return list(at(data, 'results', 0, 'instances')).filter((one) => at(one, 'accessRight', 'label') === 'OPEN').flatMap((one) => list(at(one, 'urls')).map((url) => plan(String(url), { expect: 'any', license: license(at(one, 'license')) })));
  },
  async openalex_content({ record, settings }) {
    const id = record.id.replace('https://openalex.org/', '');
    const best = record.locations.find((location) => location.is_oa);
    const more = { ...(best && shared(best)), hostType: 'aggregator' };
    const base = `${settings.services['openalex_content']}/works/${id}`;
    const headers = { authorization: `Bearer ${settings.keys['openalex']}` };
    return [
      ...(record.has_content.pdf ? [plan(`${base}.pdf`, { ...more, headers })] : []),
      ...(record.has_content.grobid_xml ? [plan(`${base}.grobid-xml`, { ...more, headers, expect: 'xml' })] : []),
    ];
  },
  wayback: archivePlans,
};
