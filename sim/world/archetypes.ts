import type { Behaviour, Wall } from '../behaviours/behaviour.ts';
import { PLAIN } from '../behaviours/behaviour.ts';
import { NO_ROBOTS_HOST, soloHost } from './hosts.ts';
import { at, numberOf, osfGuid, pad } from './identifiers.ts';
import type { HostChoice } from './locations.ts';
import { LocationBuilder } from './locations.ts';
import type { Host, Location, Payload, Version, Work, WorldParameters } from './types.ts';
import type { Archetype, WorkCore } from './work.ts';
import { isPlanted } from './work.ts';

export function locate(parameters: WorldParameters, core: WorkCore, hosts: HostChoice): Work {
  const build = new LocationBuilder(parameters, core, hosts);
  const target = PLACES[core.archetype](build) ?? closedPage(build);
  return {
    ...core,
    locations: build.found,
    doiTarget: core.doi === null ? null : target,
    doiHops: build.draw.chance(0.7) ? 1 : 2 + build.draw.below(4),
  };
}

/** A closed page at the publisher, the DOI target of works that are open elsewhere or nowhere. */
function closedPage(build: LocationBuilder, how: Wall = 'paywall', visible = true): Location {
  return build.copy({
    class: 'publisher',
    kind: 'landing',
    visibleIn: visible ? ['openalex', 'doi'] : ['doi'],
    isOa: false,
    license: null,
    behaviour: { kind: 'wall', how },
    template: 'js-only',
    fileless: true,
  });
}

/** Adds the locations of a work; returns its DOI target, if that is not a closed page. */
type Place = (build: LocationBuilder) => Location | undefined;

const PLACES: Readonly<Record<Archetype, Place>> = {
  A1(build) {
    const file = build.copy({ class: 'publisher', kind: 'pdf', visibleIn: ['openalex', 'unpaywall'] });
    const isTwice = build.draw.chance(0.25);
    // A hostile world needs many files, so that each behaviour occurs at several hosts.
    const more = build.parameters.profile === 'hostile' ? 3 : isTwice ? 1 : 0;
    for (let copy = 0; copy < more; copy += 1)
      build.copy({
        class: 'repository',
        kind: 'pdf',
        visibleIn: ['openalex', 'unpaywall'],
        version: 'acceptedVersion',
      });
    if (build.work.hasContent.pdf) contentLocations(build);
    return build.pageFor(file, ['doi']);
  },
  A2: (build) =>
    build.copy({
      class: 'publisher',
      kind: 'landing',
      visibleIn: build.draw.chance(0.2) ? ['openalex', 'unpaywall', 'doi'] : ['openalex', 'doi'],
    }),
  A3(build) {
    const isOnlyInOpenalex = build.draw.chance(0.5) || isPlanted(build.parameters, build.work.index);
    const visibleIn = isOnlyInOpenalex ? (['openalex'] as const) : (['openalex', 'unpaywall'] as const);
    build.copy({ class: 'repository', kind: 'pdf', visibleIn });
  },
  A4: arxivLocations,
  A5: biomedicalLocations,
  A6(build) {
    build.copy({ class: 'repository', kind: build.draw.chance(0.8) ? 'pdf' : 'landing', visibleIn: ['unpaywall'] });
  },
  A7(build) {
    const kind = build.draw.chance(0.8) ? 'pdf' : 'jats';
    const license = build.draw.pick(['cc-by', 'cc-by-nc', 'cc-by-nc-nd', 'cc0']);
    build.copy({ class: 'publisher', kind, visibleIn: ['crossref'], license });
  },
  'A8-semantic_scholar'(build) {
    const kind = build.draw.chance(0.5) ? 'pdf' : 'landing';
    build.copy({ class: 'repository', kind, visibleIn: ['semantic_scholar'], version: null });
  },
  'A8-core'(build) {
    // CORE lists files that no longer exist.
    const behaviour: Behaviour = build.mishap(0.2) ? { kind: 'status', status: 404 } : PLAIN;
    const url = at('core.ac.uk', `/download/${numberOf(build.work.index)}.pdf`);
    build.deposit({ hostType: 'aggregator', url, visibleIn: ['core'], version: null, license: null, behaviour });
  },
  'A8-doaj'(build) {
    const kind = build.draw.chance(0.4) ? 'pdf' : 'landing';
    build.copy({ class: 'publisher', kind, visibleIn: ['doaj'], license: null });
  },
  'A8-hal'(build) {
    const url = at('hal.science', `/hal-0${numberOf(build.work.index)}/document`);
    const license = build.draw.pick(['cc-by', null]);
    build.deposit({ hostType: 'repository', url, visibleIn: ['hal'], version: null, license });
  },
  'A8-openaire'(build) {
    const kind = build.parameters.profile === 'reality' && build.work.index % 2 === 0 ? 'pdf' : 'landing';
    build.copy({ class: 'repository', kind, visibleIn: ['openaire'], version: null });
  },
  'A9-zenodo'(build) {
    const id = `1${numberOf(build.work.index)}`;
    const isRestricted = build.mishap(0.1);
    const file = build.deposit({
      hostType: 'repository',
      url: at('zenodo.org', `/api/records/${id}/files/paper.pdf/content`),
      visibleIn: isRestricted ? [] : ['zenodo'],
      version: null,
      license: build.draw.pick(['cc-by', 'cc-by-sa', 'cc0']),
    });
    return shell(build, file, at('zenodo.org', `/records/${id}`));
  },
  'A9-figshare'(build) {
    const id = `2${numberOf(build.work.index)}`;
    const file = build.deposit({
      hostType: 'repository',
      url: at('ndownloader.figshare.com', `/files/3${id}`),
      visibleIn: ['figshare'],
      version: null,
      license: build.draw.pick(['cc-by', 'cc0']),
    });
    const behaviour = { kind: 'wall', how: 'challenge-403' } as const;
    return shell(build, { ...file, behaviour }, at('figshare.com', `/articles/preprint/paper/${id}`));
  },
  'A9-osf'(build) {
    const guid = osfGuid(build.work.index);
    const isWithdrawn = build.mishap(0.08);
    const file = build.deposit({
      hostType: 'preprint',
      url: at('osf.io', `/download/${guid}/`),
      visibleIn: isWithdrawn ? [] : ['osf'],
      version: 'submittedVersion',
      license: build.draw.pick(['cc-by', null]),
    });
    return shell(build, file, at('osf.io', `/${guid}/`));
  },
  A10: biorxivLocations,
  A11: contentLocations,
  A12: archived,
  A13: (build) =>
    closedPage(build, build.draw.pick(['paywall', 'paywall', 'login', 'captcha', 'cookie-stays'] as const)),
  A14: blocked,
  'B-version'(build) {
    build.copy({
      class: 'repository',
      kind: 'landing',
      visibleIn: ['openalex'],
      version: 'submittedVersion',
      template: 'own-doi',
    });
  },
  'B-doi': (build) => build.copy({ class: 'publisher', kind: 'landing', visibleIn: ['doi'] }),
  'B-datacite'(build) {
    build.copy({ class: 'repository', kind: 'pdf', visibleIn: ['datacite'], version: null });
    const page = { kind: 'landing', visibleIn: ['doi'], template: 'js-only', fileless: true } as const;
    return build.copy({ class: 'repository', ...page });
  },
  'B-springer_nature'(build) {
    const { index, doi } = build.work;
    const url = at('api.springernature.com', `/openaccess/jats?q=${encodeURIComponent(`doi:${doi ?? ''}`)}`);
    const payload: Payload = { form: 'jats', work: index, body: true };
    build.deposit({ ...PUBLISHED, url, visibleIn: ['springer_nature'], payload });
  },
  'B-wiley_tdm'(build) {
    const url = at('api.wiley.com', `/onlinelibrary/tdm/v1/articles/${encodeURIComponent(build.work.doi ?? '')}`);
    build.deposit({ ...PUBLISHED, url, visibleIn: ['wiley_tdm'], isOa: false });
  },
  'B-elsevier_tdm'(build) {
    const url = at('api.elsevier.com', `/content/article/doi/${build.work.doi ?? ''}?httpAccept=application%2Fpdf`);
    build.deposit({ ...PUBLISHED, url, visibleIn: ['elsevier_tdm'], isOa: false });
  },
  'B-promised'(build) {
    build.copy({ class: 'publisher', kind: 'landing', visibleIn: ['doaj'], license: null });
  },
  'B-fulltext': (build) =>
    build.copy({
      class: 'publisher',
      kind: 'landing',
      visibleIn: ['openalex', 'doi'],
      template: 'full-text',
      isFullText: true,
      behaviour: PLAIN,
    }),
};

/** A text behind a publisher's API: open JATS with a free key, or text mining with a token. */
const PUBLISHED = { hostType: 'publisher', version: 'publishedVersion', license: null } as const;

/** The DOI page of a deposit is filled by JavaScript, so only the API leads to the file. */
function shell(build: LocationBuilder, file: Location, url: string): Location {
  return build.service({ ...file, kind: 'landing', url, visibleIn: ['doi'], template: 'js-only' });
}

/** arXiv: the PDF at export.arxiv.org for programs, and the abstract page listed by OpenAlex. */
function arxivLocations(build: LocationBuilder): Location {
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
function biomedicalLocations(build: LocationBuilder): undefined {
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
  if (!inEuropePmc || work.index % 4 !== 1) {
    const key = at('pmc-oa-opendata.s3.amazonaws.com', `/${pmcid}.${cloudVersion}/${pmcid}.${cloudVersion}`);
    if (hasPdf) build.deposit({ ...stored, url: `${key}.pdf`, payload: pdf });
    build.deposit({ ...stored, url: `${key}.xml`, payload: jats });
  }
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
function biorxivLocations(build: LocationBuilder): Location {
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
function contentLocations(build: LocationBuilder): undefined {
  const { work } = build;
  const url = at('content.openalex.org', `/works/${work.id}`);
  const cached = { hostType: 'aggregator', version: null, license: null, visibleIn: ['openalex_content'] } as const;
  if (work.hasContent.pdf) build.deposit({ ...cached, url: `${url}.pdf` });
  if (work.hasContent.tei)
    build.deposit({ ...cached, url: `${url}.grobid-xml`, payload: { form: 'tei', work: work.index } });
}

/** A dead host whose file is in the archive. */
function archived(build: LocationBuilder): Location {
  const { draw } = build;
  const behaviour: Behaviour = draw.pick([
    { kind: 'status', status: 404 },
    { kind: 'status', status: 410 },
    { kind: 'dead' },
  ] as const);
  const { url, version, license, file } = build.copy({
    class: draw.pick(['publisher', 'repository'] as const),
    kind: 'pdf',
    visibleIn: ['openalex', 'unpaywall'],
    host: soloHost('gone', numberOf(build.work.index)),
    behaviour,
  });
  const timestamp = `2023${pad(1 + draw.below(12))}${pad(1 + draw.below(28))}120000`;
  const captured = at('web.archive.org', `/web/${timestamp}id_/${url}`);
  const capture = { hostType: 'archive', url: captured, version, license, visibleIn: ['wayback'] } as const;
  if (file) build.deposit({ ...capture, payload: file.payload });
  return closedPage(build, 'soft-404', false);
}

const CHALLENGES = ['challenge-403', 'challenge-503', 'ban-1015'] as const;
const TODAY = ['challenge-403', 'challenge-anubis', 'challenge-proof-of-work', 'challenge-radware'] as const;

/** Open according to the record, but not reachable for a polite client. */
function blocked(build: LocationBuilder): Location {
  const { draw, work, parameters, hosts } = build;
  const isReality = parameters.profile === 'reality';
  const drawn = draw.below(3);
  // The `reality` world also has hosts with a Retry-After of a year and unresolvable names.
  const how = isReality ? work.index % 5 : drawn;
  const barrier = (): Behaviour => {
    if (how === 1) return { kind: 'wall', how: draw.pick(isReality ? TODAY : CHALLENGES) };
    if (how === 3) return { kind: 'throttled', times: 99, retryAfter: 'year' };
    if (how === 4) return { kind: 'nameless' };
    return { kind: 'redirect-trap', to: draw.pick(['canary-4', 'metadata', 'canary-6'] as const) };
  };
  const norobots = hosts.find(({ name }) => name === NO_ROBOTS_HOST) as Host;
  const file = { class: 'publisher', kind: 'pdf', visibleIn: ['openalex', 'unpaywall'] } as const;
  build.copy(how === 0 ? { ...file, host: norobots } : { ...file, behaviour: barrier() });
  return closedPage(build, 'challenge-403', false);
}
