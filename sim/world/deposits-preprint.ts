import { PLAIN } from '../behaviours/behaviour.ts';
import type { Behaviour } from '../behaviours/behaviour.ts';
import { at } from './identifiers.ts';
import type { LocationBuilder } from './locations.ts';
import type { Location, Payload, Version } from './types.ts';
import { isPlanted } from './work.ts';

/** arXiv: the PDF at export.arxiv.org for programs, and the abstract page listed by OpenAlex. */
export function arxivLocations(build: LocationBuilder): Location {
  const { work, draw } = build;
  const id = work.arxivId ?? '';
  const behaviour: Behaviour = build.mishap(0.03) ? { kind: 'status', status: 404 } : PLAIN;
  const payload = build.pdf();
  const shared = {
    hostType: 'preprint',
    version: 'submittedVersion',
    license: draw.pick(['cc-by', 'arxiv-nonexclusive', 'arxiv-nonexclusive', 'cc-by-nc-sa']),
    isOa: true,
  } as const;
  build.deposit({ ...shared, url: at('export.arxiv.org', `/pdf/${id}`), visibleIn: ['arxiv'], behaviour, payload });
  return build.service({
    ...shared,
    kind: 'landing',
    url: at('arxiv.org', `/abs/${id}`),
    visibleIn: ['openalex', 'doi'],
    behaviour: PLAIN,
    file: { url: at('arxiv.org', `/pdf/${id}`), behaviour, payload },
    template: 'highwire',
  });
}

/** Europe PMC and the PMC cloud service; robots.txt closes the PMC site to programs. */
export function biomedicalLocations(build: LocationBuilder): void {
  const { work, draw } = build;
  const pmcid = work.pmcid ?? '';
  const license = draw.pick(['cc-by', 'cc-by', 'cc-by-nc', 'cc-by-nc-nd']);
  const isAway = draw.chance(0.15);
  // Of the two planted works, one is only in the bucket, the other (below) only in Europe PMC.
  const inEuropePmc = isPlanted(build.parameters, work.index) ? work.index > 0 : !isAway;
  const hasPdf = !draw.chance(0.1);
  const cloudVersion = draw.chance(0.1) ? 2 : 1;
  const isManuscript = draw.chance(0.2);
  const version = isManuscript ? 'acceptedVersion' : 'publishedVersion';
  const pdf = build.pdf();
  const jats: Payload = { form: 'jats', work: work.index, body: true };
  const rendered = { hostType: 'aggregator', version: null, license, visibleIn: ['europe_pmc'] } as const;
  const stored = { hostType: 'repository', version, license, visibleIn: ['pmc'] } as const;
  if (inEuropePmc) {
    const url = at('www.ebi.ac.uk', `/europepmc/webservices/rest/${pmcid}/fullTextXML`);
    build.deposit({ ...rendered, url, payload: jats });
    build.deposit({ ...rendered, url: at('europepmc.org', `/articles/${pmcid}?pdf=render`), payload: pdf });
  }
  // Europe PMC has manuscripts of its funders that are in no bucket.
  if (inEuropePmc && work.index % 4 === 1) return pmcPage(build, license, version);
  const key = at('pmc-oa-opendata.s3.amazonaws.com', `/${pmcid}.${cloudVersion}/${pmcid}.${cloudVersion}`);
  if (hasPdf) build.deposit({ ...stored, url: `${key}.pdf`, payload: pdf });
  build.deposit({ ...stored, url: `${key}.xml`, payload: jats });
  pmcPage(build, license, version);
}

/** The PMC page, which OpenAlex lists and programs must not request. */
function pmcPage(build: LocationBuilder, license: string | null, version: Version): void {
  build.service({
    hostType: 'repository',
    kind: 'landing',
    url: at('pmc.ncbi.nlm.nih.gov', `/articles/${build.work.pmcid ?? ''}/`),
    version,
    license,
    isOa: true,
    visibleIn: ['openalex'],
    behaviour: PLAIN,
    file: null,
    template: 'js-only',
  });
}

/** bioRxiv and medRxiv: the API leads to the PDF, the DOI page has a challenge. */
export function biorxivLocations(build: LocationBuilder): Location {
  const { work, draw } = build;
  const server = draw.chance(0.7) ? 'biorxiv' : 'medrxiv';
  const version = 1 + draw.below(3);
  const page = at(`www.${server}.org`, `/content/${work.doi ?? ''}v${version}`);
  const file = build.deposit({
    hostType: 'preprint',
    url: `${page}.full.pdf`,
    version: 'submittedVersion',
    license: draw.pick(['cc-by', 'cc-by-nc-nd', 'cc0']),
    visibleIn: ['biorxiv'],
  });
  return build.service({
    ...file,
    kind: 'landing',
    url: page,
    visibleIn: ['openalex', 'doi'],
    behaviour: { kind: 'wall', how: 'challenge-403' },
    template: 'highwire',
    file: null,
  });
}

/** OpenAlex's cached copies, which need a key. */
export function contentLocations(build: LocationBuilder): void {
  const { work } = build;
  const url = at('content.openalex.org', `/works/${work.id}`);
  const cached = { hostType: 'aggregator', version: null, license: null, visibleIn: ['openalex_content'] } as const;
  if (work.hasContent.pdf) build.deposit({ ...cached, url: `${url}.pdf` });
  if (work.hasContent.tei)
    build.deposit({ ...cached, url: `${url}.grobid-xml`, payload: { form: 'tei', work: work.index } });
}
