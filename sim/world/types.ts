import type { Behaviour, Wall } from '../behaviours/behaviour.ts';
import type { Layout } from '../content/index.ts';
import type { LandingTemplate } from '../hosts/landing.ts';
import type { RobotsVariant } from '../hosts/robots.ts';
import type { Resolver } from '../truth/policy.ts';
import type { Moment, Said } from './month.ts';
import type { Archetype } from './work.ts';

export type Profile = 'calm' | 'realistic' | 'reality' | 'politeness' | 'hostile' | 'demo' | 'load';
export const PROFILES: readonly Profile[] = ['calm', 'realistic', 'reality', 'politeness', 'hostile', 'demo', 'load'];

/** Parameters of a world; equal parameters give equal worlds. */
export interface WorldParameters {
  readonly seed: number;
  readonly works: number;
  readonly hosts: number;
  readonly profile: Profile;
  /** The state of a world before or after its month; without it the world does not change. */
  readonly moment?: Moment;
}

/** A service that lists locations. */
export type Lister = Exclude<Resolver, 'landing_page'>;

export type Version = 'submittedVersion' | 'acceptedVersion' | 'publishedVersion' | null;
export type HostType = 'publisher' | 'repository' | 'preprint' | 'aggregator' | 'archive';
export type WorkType = 'article' | 'preprint' | 'review' | 'book-chapter' | 'dataset';

/** Content of a file. */
export type Payload =
  | { readonly form: 'pdf'; readonly work: number; readonly layout: Layout }
  | { readonly form: 'jats'; readonly work: number; readonly body: boolean }
  | { readonly form: 'tei'; readonly work: number }
  | { readonly form: 'html'; readonly work: number; readonly style: 'ojs' | 'arxiv' }
  | {
      readonly form: 'odd-pdf';
      readonly work: number;
      readonly how: 'unrelated' | 'preview' | 'encrypted' | 'zero-pages' | 'long';
    };

export interface FileSpec {
  readonly url: string;
  readonly behaviour: Behaviour;
  readonly payload: Payload;
}

/** A location of a work, real or only listed. */
export interface Location {
  readonly id: string;
  readonly work: number;
  readonly host: string;
  readonly hostType: HostType;
  readonly kind: 'pdf' | 'jats' | 'html' | 'tei' | 'landing';
  readonly url: string;
  readonly version: Version;
  readonly license: string | null;
  readonly isOa: boolean;
  readonly visibleIn: readonly Lister[];
  readonly behaviour: Behaviour;
  /** For a direct location the content at `url`; for a landing page the file it links to. */
  readonly file: FileSpec | null;
  readonly template: LandingTemplate | null;
}

export interface Work {
  readonly index: number;
  readonly id: string;
  readonly archetype: Archetype;
  readonly doi: string | null;
  /** The DOI as OpenAlex shows it: case and a trailing dot may differ from the canonical form. */
  readonly doiAsShown: string | null;
  readonly agency: 'crossref' | 'datacite' | null;
  readonly title: string;
  readonly type: WorkType;
  readonly year: number;
  readonly date: string;
  readonly language: string;
  readonly topics: readonly { readonly topic: number; readonly score: number }[];
  readonly authors: readonly number[];
  readonly source: number;
  readonly references: readonly number[];
  readonly danglingReferences: readonly number[];
  readonly related: readonly number[];
  readonly hasAbstract: boolean;
  readonly isRetracted: boolean;
  readonly isXpac: boolean;
  readonly duplicateOf: number | null;
  readonly arxivId: string | null;
  readonly arxivVersions: number;
  readonly pmcid: string | null;
  readonly pmid: string | null;
  readonly hasContent: { readonly pdf: boolean; readonly tei: boolean };
  /** DOI target and number of redirects. */
  readonly doiTarget: Location | null;
  readonly doiHops: number;
  readonly locations: readonly Location[];
  /** Changes during the month, if any. */
  readonly said?: Said;
}

export type Platform = 'ojs' | 'atypon' | 'custom' | 'dspace6' | 'dspace7' | 'eprints';

/** A generated host and its behaviour. */
export interface Host {
  readonly index: number;
  readonly name: string;
  readonly class: 'publisher' | 'repository';
  readonly platform: Platform;
  readonly robots: RobotsVariant;
  /** Requests per second before it returns 429; null means unlimited. */
  readonly rate: { readonly perSecond: number; readonly burst: number; readonly retryAfter: RetryAfter } | null;
  readonly flaky: boolean;
  /** A wall in front of all files and pages of the host. */
  readonly wall: Wall | null;
  readonly medianLatencyMs: number;
  readonly template: LandingTemplate;
}

type RetryAfter = 'seconds' | 'date' | 'none';
