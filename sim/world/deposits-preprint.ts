import { PLAIN } from '../behaviours/behaviour.ts';
import type { Behaviour } from '../behaviours/behaviour.ts';
import { at } from './identifiers.ts';
import type { LocationBuilder } from './locations.ts';
import type { Lister, Location, Payload, Version } from './types.ts';
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
  const pdf = at('export.arxiv.org', `/pdf/${id}`);
  build.service({
    ...shared,
    host: 'export.arxiv.org.sim.test',
    kind: 'pdf',
    url: pdf,
    visibleIn: ['arxiv'],
    behaviour,
    file: { url: pdf, behaviour, payload },
    template: null,
  });
  return build.service({
    ...shared,
    host: 'arxiv.org.sim.test',
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
  const add = (host: string, path: string, kind: 'pdf' | 'jats', visibleIn: readonly Lister[]): void => {
    const url = at(host, path);
    build.service({
      host: `${host}.sim.test`,
      hostType: host === 'pmc-oa-opendata.s3.amazonaws.com' ? 'repository' : 'aggregator',
      kind,
      url,
      version: host === 'pmc-oa-opendata.s3.amazonaws.com' ? version : null,
      license,
      isOa: true,
      visibleIn,
      behaviour: PLAIN,
      file: { url, behaviour: PLAIN, payload: kind === 'pdf' ? pdf : jats },
      template: null,
    });
  };
  if (inEuropePmc) {
    add('www.ebi.ac.uk', `/europepmc/webservices/rest/${pmcid}/fullTextXML`, 'jats', ['europe_pmc']);
    add('europepmc.org', `/articles/${pmcid}?pdf=render`, 'pdf', ['europe_pmc']);
  }
  // Europe PMC has manuscripts of its funders that are in no bucket.
  if (inEuropePmc && work.index % 4 === 1) return pmcPage(build, license, version);
  const key = `/${pmcid}.${cloudVersion}/${pmcid}.${cloudVersion}`;
  if (hasPdf) add('pmc-oa-opendata.s3.amazonaws.com', `${key}.pdf`, 'pdf', ['pmc']);
  add('pmc-oa-opendata.s3.amazonaws.com', `${key}.xml`, 'jats', ['pmc']);
  pmcPage(build, license, version);
}

/** The PMC page, which OpenAlex lists and programs must not request. */
function pmcPage(build: LocationBuilder, license: string | null, version: Version): void {
  build.service({
    host: 'pmc.ncbi.nlm.nih.gov.sim.test',
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
  const url = at(`www.${server}.org`, `/content/${work.doi ?? ''}v${version}.full.pdf`);
  const file = build.service({
    host: `www.${server}.org.sim.test`,
    hostType: 'preprint',
    kind: 'pdf',
    url,
    version: 'submittedVersion',
    license: draw.pick(['cc-by', 'cc-by-nc-nd', 'cc0']),
    isOa: true,
    visibleIn: ['biorxiv'],
    behaviour: PLAIN,
    file: { url, behaviour: PLAIN, payload: build.pdf() },
    template: null,
  });
  return build.service({
    ...file,
    kind: 'landing',
    url: at(`www.${server}.org`, `/content/${work.doi ?? ''}v${version}`),
    visibleIn: ['openalex', 'doi'],
    behaviour: { kind: 'wall', how: 'challenge-403' },
    template: 'highwire',
    file: null,
  });
}

/** OpenAlex's cached copies, which need a key. */
export function contentLocations(build: LocationBuilder): void {
  const { work } = build;
  const add = (extension: string, kind: 'pdf' | 'tei', payload: Payload): void => {
    const url = at('content.openalex.org', `/works/${work.id}.${extension}`);
    build.service({
      host: 'content.openalex.org.sim.test',
      hostType: 'aggregator',
      kind,
      url,
      version: null,
      license: null,
      isOa: true,
      visibleIn: ['openalex_content'],
      behaviour: PLAIN,
      file: { url, behaviour: PLAIN, payload },
      template: null,
    });
  };
  if (work.hasContent.pdf) add('pdf', 'pdf', build.pdf());
  if (work.hasContent.tei) add('grobid-xml', 'tei', { form: 'tei', work: work.index });
}
