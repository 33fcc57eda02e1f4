import type { Resolver } from '../truth/policy.ts';
import type { Asking, FoundPlan } from './asking.ts';
import { ask, at, encodeDoi, license, list, plan, shared, word } from './asking.ts';
import { archivePlans, cloudPlans } from './deposits.ts';

type Ask = (asking: Asking) => Promise<FoundPlan[]>;

/** Each resolver in the plainest form that its service allows. */
export const ASK: Readonly<{ [name in Resolver]: Ask }> = {
  openalex: async ({ record }) =>
    record.locations
      .toSorted((a, b) => Number(a.source?.type === 'journal') - Number(b.source?.type === 'journal'))
      .flatMap((location) => (location.is_oa && location.pdf_url ? [plan(location.pdf_url, shared(location))] : [])),
  landing_page: async ({ record }) =>
    record.locations.flatMap((location) =>
      location.is_oa &&
      location.landing_page_url &&
      !/:\/\/(?:doi\.org|arxiv\.org|pmc\.ncbi)/.test(location.landing_page_url)
        ? [plan(location.landing_page_url, { ...shared(location), expect: 'any' })]
        : [],
    ),
  async arxiv(asking) {
    const { record, settings, http } = asking;
    const id = record.locations
      .map((location) => /^pmh:oai:arXiv\.org:(.+)$/.exec(location.id ?? '')?.[1])
      .find((one) => one !== undefined);
    if (!id) return [];
    const raw = await http.fetch(
      `${settings.services['arxiv_oai']}?verb=GetRecord&identifier=oai:arXiv.org:${id}&metadataPrefix=arXivRaw`,
      { isInterface: true },
    );
    const found = raw.kind === 'body' ? /<license>([^<]+)</.exec(raw.body.toString('utf8'))?.[1] : undefined;
    return [
      plan(`${settings.services['arxiv_files']}/pdf/${id}`, {
        license: license(found),
        version: 'submittedVersion',
        hostType: 'preprint',
      }),
    ];
  },
  async europe_pmc(asking) {
    const { settings, record } = asking;
    const pmcid = /PMC\d+/.exec(record.ids.pmcid ?? '')?.[0];
    if (!pmcid) return [];
    const data = await ask(
      asking,
      `${settings.services['europe_pmc']}/search?query=PMCID:${pmcid}&resultType=core&format=json`,
    );
    const result = at(data, 'resultList', 'result', 0);
    if (at(result, 'isOpenAccess') !== 'Y') return [];
    const more = { license: license(at(result, 'license')), hostType: 'aggregator' };
    const pdf = list(at(result, 'fullTextUrlList', 'fullTextUrl')).find(
      (one) => at(one, 'documentStyle') === 'pdf' && at(one, 'availabilityCode') === 'OA',
    );
    return [
      plan(`${settings.services['europe_pmc']}/${pmcid}/fullTextXML`, { ...more, expect: 'xml' }),
      ...(pdf ? [plan(String(at(pdf, 'url')), more)] : []),
    ];
  },
  pmc: cloudPlans,
  async biorxiv(asking) {
    const { doi, settings } = asking;
    if (!doi?.startsWith('10.1101/')) return [];
    for (const server of ['biorxiv', 'medrxiv']) {
      const versions = list(
        at(await ask(asking, `${settings.services['biorxiv']}/details/${server}/${doi}/na/json`), 'collection'),
      );
      const last = versions.at(-1);
      if (last)
        return [
          plan(`${settings.services[`${server}_files`]}/content/${doi}v${String(at(last, 'version'))}.full.pdf`, {
            license: license(at(last, 'license')),
            version: 'submittedVersion',
            hostType: 'preprint',
          }),
        ];
    }
    return [];
  },
  async unpaywall(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const locations = list(
      at(
        await ask(asking, `${settings.services['unpaywall']}/${encodeDoi(doi)}?email=rehearsal@sim.test`),
        'oa_locations',
      ),
    );
    const isFile = (one: unknown): boolean => word(at(one, 'url_for_pdf')) !== null;
    return locations
      .toSorted((a, b) => Number(isFile(b)) - Number(isFile(a)))
      .map((one) =>
        plan(String(at(one, 'url_for_pdf') ?? at(one, 'url_for_landing_page')), {
          expect: isFile(one) ? 'pdf' : 'any',
          license: word(at(one, 'license')),
          version: word(at(one, 'version')),
          hostType: String(at(one, 'host_type')),
        }),
      );
  },
  async crossref(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const message = at(
      await ask(asking, `${settings.services['crossref']}/works/${encodeURIComponent(doi)}`),
      'message',
    );
    const licensed = license(at(message, 'license', 0, 'URL'));
    const isOpen = licensed !== null || asking.record.locations.some((one) => one.is_oa);
    const page = word(at(message, 'resource', 'primary', 'URL'));
    const links = list(at(message, 'link'))
      .filter((one) => isOpen && at(one, 'intended-application') !== 'similarity-checking')
      .map((one) =>
        plan(String(at(one, 'URL')), {
          expect:
            at(one, 'content-type') === 'application/pdf'
              ? 'pdf'
              : at(one, 'content-type') === 'text/xml'
                ? 'xml'
                : 'any',
          license: license(at(message, 'license', 0, 'URL')),
          version: at(one, 'content-version') === 'vor' ? 'publishedVersion' : null,
          hostType: 'publisher',
        }),
      );
    return licensed !== null && page
      ? [...links, plan(page, { expect: 'any', license: licensed, version: 'publishedVersion', hostType: 'publisher' })]
      : links;
  },
  doi: async ({ doi, settings }) =>
    doi && !doi.startsWith('10.48550/')
      ? [plan(`${settings.services['doi']}/${encodeDoi(doi)}`, { expect: 'any', hostType: 'publisher' })]
      : [],
  async doaj(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const data = await ask(
      asking,
      `${settings.services['doaj']}/search/articles/${encodeURIComponent(`doi:"${doi}"`)}`,
    );
    return list(at(data, 'results', 0, 'bibjson', 'link')).map((one) =>
      plan(String(at(one, 'url')), {
        expect: at(one, 'content_type') === 'PDF' ? 'pdf' : 'any',
        version: 'publishedVersion',
        hostType: 'publisher',
      }),
    );
  },
  async hal(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const document = at(
      await ask(
        asking,
        `${settings.services['hal']}/search/?q=${encodeURIComponent(`doiId_s:"${doi}"`)}&wt=json&fl=fileMain_s,licence_s`,
      ),
      'response',
      'docs',
      0,
    );
    const url = word(at(document, 'fileMain_s'));
    return url ? [plan(url, { license: license(at(document, 'licence_s')) })] : [];
  },
  async zenodo(asking) {
    const { doi, settings } = asking;
    if (!doi?.startsWith('10.5281/')) return [];
    const hit = at(
      await ask(asking, `${settings.services['zenodo']}/records?q=${encodeURIComponent(`doi:"${doi}"`)}&size=5`),
      'hits',
      'hits',
      0,
    );
    return list(at(hit, 'files'))
      .filter((one) => String(at(one, 'key')).endsWith('.pdf'))
      .map((one) => plan(String(at(one, 'links', 'self')), { license: license(at(hit, 'metadata', 'license', 'id')) }));
  },
  async figshare(asking) {
    const { doi, settings } = asking;
    if (!doi?.startsWith('10.6084/')) return [];
    const id = at(
      await ask(asking, `${settings.services['figshare']}/articles?doi=${encodeURIComponent(doi)}`),
      0,
      'id',
    );
    if (typeof id !== 'number') return [];
    const article = await ask(asking, `${settings.services['figshare']}/articles/${id}`);
    return list(at(article, 'files')).map((one) =>
      plan(String(at(one, 'download_url')), { license: license(at(article, 'license', 'name')) }),
    );
  },
  async osf(asking) {
    const { doi, settings } = asking;
    const guid = /\/osf\.io\/([a-z0-9]{5})/.exec(doi ?? '')?.[1];
    if (!guid) return [];
    const headers = { authorization: `Bearer ${settings.keys['osf']}` };
    const preprint = at(await ask(asking, `${settings.services['osf']}/preprints/${guid}/`, headers), 'data');
    const related = (name: string): string | null =>
      word(at(preprint, 'relationships', name, 'links', 'related', 'href'));
    const href = related('primary_file');
    if (!href) return [];
    const url = word(at(await ask(asking, href, headers), 'data', 'links', 'download'));
    if (!url) return [];
    const rights = related('license');
    const name = rights ? at(await ask(asking, rights, headers), 'data', 'attributes', 'name') : null;
    return [plan(url, { version: 'submittedVersion', hostType: 'preprint', license: license(name) })];
  },
  async semantic_scholar(asking) {
    const { doi, settings, record } = asking;
    const arxivId = record.locations
      .map((location) => /^pmh:oai:arXiv\.org:(.+)$/.exec(location.id ?? '')?.[1])
      .find((one) => one !== undefined);
    const id = doi ? `DOI:${doi}` : arxivId ? `ARXIV:${arxivId}` : null;
    if (id === null) return [];
    const paper = await ask(
      asking,
      `${settings.services['semantic_scholar']}/paper/${encodeURIComponent(id)}?fields=openAccessPdf,externalIds`,
      { 'x-api-key': settings.keys['semantic_scholar'] ?? '' },
    );
    const open = at(paper, 'openAccessPdf');
    const url = word(at(open, 'url'));
    const [arxiv, pmc] = [word(at(paper, 'externalIds', 'ArXiv')), word(at(paper, 'externalIds', 'PubMedCentral'))];
    return [
      ...(url && at(open, 'status') !== 'CLOSED'
        ? [plan(url, { expect: 'any', license: license(word(at(open, 'license'))?.replace(/^CC0$/, 'cc0')) })]
        : []),
      ...(arxiv
        ? [
            plan(`${settings.services['arxiv_files']}/pdf/${arxiv}`, {
              version: 'submittedVersion',
              hostType: 'preprint',
            }),
          ]
        : []),
      ...(pmc
        ? [plan(`${settings.services['europe_pmc_files']}/articles/PMC${pmc}?pdf=render`, { hostType: 'aggregator' })]
        : []),
    ];
  },
  async core(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const data = await ask(
      asking,
      `${settings.services['core']}/search/works/?q=${encodeURIComponent(`doi:"${doi}"`)}&limit=1`,
      { authorization: `Bearer ${settings.keys['core']}` },
    );
    const url = word(at(data, 'results', 0, 'downloadUrl'));
    return url ? [plan(url, { expect: 'any', hostType: 'aggregator' })] : [];
  },
  async openaire(asking) {
    const { doi, settings } = asking;
    if (!doi) return [];
    const data = await ask(
      asking,
      `${settings.services['openaire']}/research-products?pid=${encodeURIComponent(doi)}`,
      { authorization: `Bearer ${settings.keys['openaire']}` },
    );
    return list(at(data, 'results', 0, 'instances'))
      .filter((one) => at(one, 'accessRight', 'label') === 'OPEN')
      .flatMap((one) =>
        list(at(one, 'urls')).map((url) => plan(String(url), { expect: 'any', license: license(at(one, 'license')) })),
      );
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
  async datacite(asking) {
    const { doi, settings } = asking;
    if (!doi || /^10\.(?:48550|5281)\//.test(doi)) return [];
    const data = await ask(asking, `${settings.services['datacite']}/dois/${encodeDoi(doi)}`);
    return list(at(data, 'data', 'attributes', 'contentUrl')).map((url) => plan(String(url), { expect: 'any' }));
  },
  // These open to keys that the reference client has none of.
  springer_nature: async () => [],
  wiley_tdm: async () => [],
  elsevier_tdm: async () => [],
  wayback: archivePlans,
};
