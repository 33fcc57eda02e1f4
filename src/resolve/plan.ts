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

/** What a source says is behind a URL: 'landing' a page that leads to the text, 'any' that it does not say. */
export type Expectation = 'pdf' | 'xml' | 'html' | 'landing' | 'any';

export interface Checksum {
  readonly algorithm: 'md5' | 'sha1' | 'sha256';
  readonly hex: string;
}

/** One URL to try, with what its source says about it. */
export interface Plan {
  readonly resolver: string;
  readonly url: string;
  readonly expect: Expectation;
  /** The source says that a file is here; a page that comes instead is read all the same, and broke a promise. */
  readonly isPromised: boolean;
  readonly license: License | null;
  readonly version: Version | null;
  readonly hostType: HostType | null;
  /** 'terms' where the URL belongs to an API that is governed by its own terms. */
  readonly robots: 'obey' | 'terms';
  readonly credentials: readonly Credential[];
  readonly headers: Headers;
  readonly checksum: Checksum | null;
  /** The DOI of its own that this copy has, where it is another version of the work. */
  readonly sameAs: SameAs | null;
  /** The file may be mined and not passed on: a publisher's text-mining terms, or a reservation (TDMRep). */
  readonly terms: 'text-mining' | null;
  /** What the attempt costs of a daily budget. */
  readonly credits: number;
}

/** What a resolver comes up with: a plan, or the reason why it has none where it might have had one. */
export type Finding =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | {
      readonly kind: 'problem';
      readonly resolver: string;
      readonly message: string;
      /** When asking again makes sense; null when it does not. */
      readonly at: number | null;
      /** It was not asked for want of a key, which is no failure of anybody. */
      readonly wantsKey?: true;
      /** It did answer, only about something else: asking again would change nothing. */
      readonly hasAnswered?: true;
    };

/** Everything a resolver may use. */
export interface ResolveContext {
  readonly lookups: Lookups;
  readonly services: Services;
  readonly contact: string | null;
  /** URLs of this work that were tried before, and what came of each, in the words of the closed list. */
  readonly attempted: ReadonlyMap<string, string>;
  /** Also search repositories that have no reason to know the work. */
  readonly thorough: boolean;
  /** What to do with retracted works; kept unless it says otherwise. */
  readonly retracted?: 'keep' | 'skip';
  /** Whether a published version is worth waiting for: copies that are known to be none are then tried after all others. */
  readonly prefer?: 'any' | 'published';
  /** Told of every resolver that is asked. */
  readonly asked?: (resolver: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A source of plans. The array of resolvers is the plugin system: see the guide on writing one. */
export interface Resolver {
  readonly name: string;
  /** Wants to know what came of all other plans before it makes its own. */
  readonly isLast?: boolean;
  plans(work: Work, context: ResolveContext): AsyncGenerator<Finding>;
}

/** A plan with what is usual filled in; none when the URL is none that can be fetched. */
export function plan(
  resolver: string,
  url: string | URL | null | undefined,
  details: Partial<Omit<Plan, 'resolver' | 'url'>> = {},
): Finding[] {
  // Some services pass on addresses as they stood in HTML.
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
