import { PLAIN } from '../behaviours/behaviour.ts';
import { downHost } from '../services/down.ts';
import { at, SUFFIX } from '../world/identifiers.ts';
import { listedIn } from '../world/locations.ts';
import type { HostType, Lister, Location, Version, Work } from '../world/types.ts';
import type { World } from '../world/world.ts';
import type { Policy, Resolver } from './policy.ts';
import type { Reason } from './reasons.ts';
import { encodeDoi, isInSemanticScholar, shownLicense } from './shown.ts';

/** A URL that a resolver would try, with metadata from its source. */
export interface Plan {
  readonly resolver: Resolver;
  readonly url: string;
  readonly location: Location;
  /** `any`: the source does not say whether it is a page or a file. */
  readonly expect: 'pdf' | 'xml' | 'landing' | 'any';
  /** Licences a client may record, best first. */
  readonly licenses: readonly (string | null)[];
  readonly versions: readonly Version[];
  /** Host types a client may record, according to the source. */
  readonly hostTypes: readonly (HostType | null)[];
  readonly credits: number;
}

/** Results of earlier URLs, which determine what is requested from the archive. */
export type Tried = ReadonlyMap<string, Reason>;

/** Reasons that indicate a lost file rather than a closed one; only these lead to the archive. */
const GONE: ReadonlySet<Reason> = new Set(['not-found', 'soft-404', 'connection-failed', 'server-error', 'timeout']);

export function plansOf(world: World, work: Work, resolver: Resolver, policy: Policy, tried: Tried): Plan[] {
  const away = downHost(world.parameters);
  if (policy.deadHosts.some((host) => needsHost(resolver, host)) || (away !== null && needsHost(resolver, away)))
    return [];
  const listed = PLANNERS[resolver](world, work, policy, tried);
  return listed.filter((plan) =>
    plan.expect === 'pdf' ? policy.accept.includes('pdf') : plan.expect !== 'xml' || policy.accept.includes('xml'),
  );
}

type Planner = (world: World, work: Work, policy: Policy, tried: Tried) => Plan[];

/** Twins are listed under the published DOI by services that look up DOIs. */
function registered(world: World, work: Work): Work | undefined {
  return work.doi === null ? undefined : world.byDoi(work.doi);
}

/** Host types of sources that only distinguish repositories and publishers. */
const SEEN_AS: Readonly<Record<HostType, readonly HostType[]>> = {
  publisher: ['publisher'],
  repository: ['repository'],
  preprint: ['preprint', 'repository'],
  aggregator: ['aggregator', 'repository'],
  archive: ['archive'],
};

/** Sources without host types: a client may leave the field empty. */
const HOST_TYPES: Readonly<Partial<Record<Resolver, readonly (HostType | null)[]>>> = {
  doi: [null, 'publisher', 'repository', 'preprint'],
  semantic_scholar: [null, 'repository', 'aggregator'],
  openaire: [null, 'repository', 'aggregator'],
  openalex_content: ['aggregator', 'repository', 'publisher', null],
};

function plan(resolver: Resolver, location: Location, more: Partial<Plan> = {}): Plan {
  return {
    resolver,
    url: location.url,
    location,
    expect: location.kind === 'landing' ? 'landing' : location.kind === 'pdf' ? 'pdf' : 'xml',
    licenses: [location.license],
    versions: [location.version],
    hostTypes: HOST_TYPES[resolver] ?? SEEN_AS[location.hostType],
    credits: 0,
    ...more,
  };
}

const byDoiListing =
  (resolver: Resolver & Lister, more: (location: Location) => Partial<Plan> = () => ({}), key?: string): Planner =>
  (world, work, { keys }) =>
    key === undefined || keys.includes(key)
      ? listedIn(registered(world, work), resolver).map((location) => plan(resolver, location, more(location)))
      : [];

/** Plans from ids in a response: arXiv's file for programs, and Europe PMC's rendering of a PMC article. */
function byIds(work: Work, resolver: Resolver): Plan[] {
  const arxiv = listedIn(work, 'arxiv').map((location) =>
    plan(resolver, location, { licenses: [null, location.license], hostTypes: ['preprint'] }),
  );
  if (work.pmcid === null) return arxiv;
  const url = at('europepmc.org', `/articles/${work.pmcid}?pdf=render`);
  const rendered = work.locations.find((location) => location.url === url);
  const [any] = work.locations;
  const missing = any && {
    ...any,
    url,
    host: new URL(url).hostname,
    kind: 'pdf',
    file: null,
    behaviour: PLAIN,
    template: null,
  };
  const location = rendered ?? (missing as Location | undefined);
  return location
    ? [
        ...arxiv,
        plan(resolver, location, { licenses: [null, location.license], versions: [null], hostTypes: ['aggregator'] }),
      ]
    : arxiv;
}

/** Version of a file according to Crossref; one in three records does not state it. */
export function crossrefLinkType(location: Location): keyof typeof CROSSREF_EXPECTS {
  if (location.kind === 'jats') return 'text/xml';
  return location.work % 3 === 0 ? 'unspecified' : 'application/pdf';
}

const CROSSREF_EXPECTS = { 'text/xml': 'xml', unspecified: 'any', 'application/pdf': 'pdf' } as const;

const PLANNERS: Readonly<Record<Resolver, Planner>> = {
  // Repository copies have no wall.
  openalex: (_world, work) =>
    listedIn(work, 'openalex')
      .filter(({ isOa, kind }) => isOa && kind === 'pdf')
      .toSorted((a, b) => Number(a.hostType === 'publisher') - Number(b.hostType === 'publisher'))
      .map((location) => plan('openalex', location)),
  // arXiv asks programs to use its export host, and PMC not to use its site at all.
  landing_page: (_world, work) =>
    listedIn(work, 'openalex')
      .filter(({ isOa, kind, host }) => isOa && kind === 'landing' && !/^(?:arxiv|pmc\.ncbi)\./.test(host))
      .map((location) => plan('landing_page', location, { licenses: [shownLicense(location), location.license] })),
  arxiv: (_world, work) =>
    listedIn(work, 'arxiv').map((location) =>
      plan('arxiv', location, { licenses: [location.license, shownLicense(location)] }),
    ),
  europe_pmc: (_world, work) =>
    listedIn(work, 'europe_pmc').map((location) =>
      plan('europe_pmc', location, { versions: [null, 'publishedVersion', 'acceptedVersion'] }),
    ),
  pmc: (_world, work) => listedIn(work, 'pmc').map((location) => plan('pmc', location)),
  biorxiv: byDoiListing('biorxiv'),
  unpaywall: (world, work) => {
    const found = registered(world, work);
    if (found?.agency !== 'crossref') return [];
    const open = listedIn(found, 'unpaywall').filter(({ isOa }) => isOa);
    const files = open.filter(({ kind }) => kind === 'pdf');
    const pages = open.filter(({ kind }) => kind === 'landing');
    return [...files, ...pages].map((location) => plan('unpaywall', location));
  },
  // Links are for readers if the record has an open licence or the work is known to be open
  // (crossref.org/documentation).
  crossref: (world, work) => {
    const found = registered(world, work);
    if (found?.agency !== 'crossref') return [];
    const listed = listedIn(found, 'crossref');
    const licensed = listed.find(({ license }) => license !== null);
    const isOpen = licensed !== undefined || listedIn(work, 'openalex').some(({ isOa }) => isOa);
    const links = listed.map((location) =>
      plan('crossref', location, {
        expect: CROSSREF_EXPECTS[crossrefLinkType(location)],
        licenses: [location.license, licensed?.license ?? null],
      }),
    );
    const page =
      licensed && found.doiTarget
        ? [
            plan('crossref', found.doiTarget, {
              expect: 'landing',
              licenses: [licensed.license],
              hostTypes: ['publisher'],
            }),
          ]
        : [];
    return [...(isOpen ? links : []), ...page];
  },
  doi: (world, work) => {
    const target = registered(world, work)?.doiTarget;
    // arXiv DOIs lead to a page whose file the arXiv resolver already has.
    if (!target || work.doi === null || work.doi.startsWith('10.48550/')) return [];
    return [
      plan('doi', target, {
        url: at('doi.org', `/${encodeDoi(work.doi)}`),
        expect: 'landing',
        licenses: [null, target.license, shownLicense(target)],
        versions: [null, target.version],
      }),
    ];
  },
  doaj: (world, work) =>
    listedIn(registered(world, work), 'doaj').map((location) =>
      plan('doaj', location, {
        versions: [null, 'publishedVersion'],
        ...(work.archetype === 'B-promised' && { expect: 'pdf' }),
      }),
    ),
  hal: byDoiListing('hal'),
  zenodo: byDoiListing('zenodo'),
  figshare: byDoiListing('figshare'),
  osf: byDoiListing('osf'),
  semantic_scholar: (world, work) => {
    const paper =
      registered(world, work) ?? (work.doi === null && (work.arxivId ?? work.pmcid ?? work.pmid) ? work : undefined);
    const found = paper && isInSemanticScholar(world, paper) ? paper : undefined;
    const listed = listedIn(found, 'semantic_scholar').map((location) =>
      plan('semantic_scholar', location, { expect: 'any', licenses: [location.license, null] }),
    );
    return found ? [...listed, ...byIds(found, 'semantic_scholar')] : [];
  },
  core: byDoiListing('core', () => ({ expect: 'any' }), 'core'),
  openaire: byDoiListing('openaire', (location) => ({ expect: 'any', licenses: [location.license, null] })),
  // Its files, and the DOI target for clients that did not go through doi.org.
  datacite: (world, work, _policy, tried) => {
    const found = registered(world, work);
    if (found?.agency !== 'datacite' || work.doi === null || /^10\.(?:48550|5281)\//.test(work.doi)) return [];
    // A DataCite record states the rights of everything it describes, not of each file.
    const license = found.locations.find((location) => location.license !== null)?.license ?? null;
    const files = listedIn(found, 'datacite').map((location) =>
      plan('datacite', location, { expect: 'any', licenses: [license] }),
    );
    const target = tried.has(at('doi.org', `/${encodeDoi(work.doi)}`)) ? null : found.doiTarget;
    const page = target
      ? [
          plan('datacite', target, {
            expect: 'landing',
            licenses: [license, target.license, null],
            versions: [null],
            hostTypes: ['repository'],
          }),
        ]
      : [];
    return [...files, ...page];
  },
  springer_nature: byDoiListing('springer_nature', undefined, 'springer_nature'),
  wiley_tdm: byDoiListing('wiley_tdm', undefined, 'wiley'),
  elsevier_tdm: byDoiListing('elsevier_tdm', undefined, 'elsevier'),
  openalex_content: (_world, work, policy) => {
    if (!policy.keys.includes('openalex')) return [];
    const best = listedIn(work, 'openalex').find(({ isOa }) => isOa);
    return listedIn(work, 'openalex_content').map((location) =>
      plan('openalex_content', location, {
        credits: 100,
        licenses: [best ? shownLicense(best) : null, null],
        versions: [best?.version ?? null, null],
      }),
    );
  },
  wayback: (world, work, _policy, tried) => {
    const known = [...listedIn(work, 'openalex'), ...listedIn(registered(world, work), 'unpaywall')];
    const gone = new Set(
      [...known.filter(({ isOa, kind }) => isOa && kind === 'pdf').map(({ url }) => url), ...tried.keys()].filter(
        (url) => {
          const reason = tried.get(url);
          return reason === undefined || GONE.has(reason);
        },
      ),
    );
    const captures = [...listedIn(work, 'wayback'), ...listedIn(registered(world, work), 'wayback')];
    return [...gone].flatMap((url) =>
      captures
        .filter((location) => location.url.endsWith(`id_/${url}`))
        .slice(0, 1)
        .map((location) =>
          plan('wayback', location, { licenses: [location.license, null], versions: [location.version, null] }),
        ),
    );
  },
};

/** The API host each resolver needs; without it there are no plans. */
const ASKED: Readonly<Partial<Record<Resolver, string>>> = {
  europe_pmc: 'www.ebi.ac.uk',
  pmc: 'pmc-oa-opendata.s3.amazonaws.com',
  biorxiv: 'api.biorxiv.org',
  unpaywall: 'api.unpaywall.org',
  crossref: 'api.crossref.org',
  doaj: 'doaj.org',
  hal: 'api.archives-ouvertes.fr',
  zenodo: 'zenodo.org',
  figshare: 'api.figshare.com',
  osf: 'api.osf.io',
  semantic_scholar: 'api.semanticscholar.org',
  core: 'api.core.ac.uk',
  openaire: 'api.openaire.eu',
  datacite: 'api.datacite.org',
  springer_nature: 'api.springernature.com',
  wayback: 'web.archive.org',
};

export function needsHost(resolver: Resolver, host: string): boolean {
  return `${ASKED[resolver] ?? ''}${SUFFIX}` === host;
}
