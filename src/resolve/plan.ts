import type { Credential, Headers } from '../http/index.ts';
import type { HostType, License, Version, Work } from '../works/index.ts';
import type { Lookups } from './lookups.ts';
import type { SameAs } from './same-work.ts';
import type { Services } from './services.ts';

export type ResolverName =
  | 'openalex'
  | 'arxiv'
  | 'europe_pmc'
  | 'pmc'
  | 'biorxiv'
  | 'unpaywall'
  | 'crossref'
  | 'landing_page'
  | 'doi'
  | 'doaj'
  | 'hal'
  | 'zenodo'
  | 'figshare'
  | 'osf'
  | 'semantic_scholar'
  | 'core'
  | 'openaire'
  | 'openalex_content'
  | 'datacite'
  | 'springer_nature'
  | 'wiley_tdm'
  | 'elsevier_tdm'
  | 'wayback';

/** What a source says is at a URL: 'landing' a page that leads to the text, 'any' unknown. */
export type Expectation = 'pdf' | 'xml' | 'html' | 'landing' | 'any';

export interface Checksum {
  readonly algorithm: 'md5' | 'sha1' | 'sha256';
  readonly hex: string;
}

/** One URL to try, with its source's metadata. */
export interface Plan {
  readonly resolver: string;
  readonly url: string;
  readonly expect: Expectation;
  /** The source promises a file; if a page comes instead it is still read, but counts as a broken promise. */
  readonly isPromised: boolean;
  readonly license: License | null;
  readonly version: Version | null;
  readonly hostType: HostType | null;
  /** 'terms' if the URL belongs to an API with its own terms. */
  readonly robots: 'obey' | 'terms';
  readonly credentials: readonly Credential[];
  readonly headers: Headers;
  readonly checksum: Checksum | null;
  /** The DOI of this copy, if it is another version of the work. */
  readonly sameAs: SameAs | null;
  /** The file may be mined but not redistributed: a publisher's text-mining terms, or a reservation (TDMRep). */
  readonly terms: 'text-mining' | null;
  /** Cost in credits of a daily budget. */
  readonly credits: number;
}

/** A resolver's result: a plan, or why it has none. */
export type Finding =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | {
      readonly kind: 'problem';
      readonly resolver: string;
      readonly message: string;
      /** When to retry; null if that is pointless. */
      readonly at: number | null;
      /** Skipped for lack of a key, which is not a failure. */
      readonly wantsKey?: true;
      /** The service answered about something else, so retrying is pointless. */
      readonly hasAnswered?: true;
    };

/** What a resolver may use. */
export interface ResolveContext {
  readonly lookups: Lookups;
  readonly services: Services;
  readonly contact: string | null;
  /** URLs of this work tried before, and the reason of each. */
  readonly attempted: ReadonlyMap<string, string>;
  /** Also search repositories that probably do not have the work. */
  readonly thorough: boolean;
  /** What to do with retracted works; default 'keep'. */
  readonly retracted?: 'keep' | 'skip';
  /** With 'published', manuscripts are tried after all other copies. */
  readonly prefer?: 'any' | 'published';
  /** Called for every resolver that is queried. */
  readonly asked?: (resolver: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A source of plans. The array of resolvers is the plugin system: see the guide on writing one. */
export interface Resolver {
  readonly name: string;
  /** Runs after all other plans were tried. */
  readonly isLast?: boolean;
  plans(work: Work, context: ResolveContext): AsyncGenerator<Finding>;
}

/** A plan with defaults; none if the URL cannot be fetched. */
export function plan(
  resolver: string,
  url: string | URL | null | undefined,
  details: Partial<Omit<Plan, 'resolver' | 'url'>> = {},
): Finding[] {
  // Some services return URLs with HTML entities.
  const parsed = URL.parse(
    String(url ?? '')
      .trim()
      .replaceAll('&amp;', '&'),
  );
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return [];
  return [
    {
      kind: 'plan',
      plan: {
        resolver,
        url: parsed.href,
        expect: 'any',
        isPromised: false,
        license: null,
        version: null,
        hostType: null,
        robots: 'obey',
        credentials: [],
        headers: {},
        checksum: null,
        sameAs: null,
        terms: null,
        credits: 0,
        ...details,
      },
    },
  ];
}
