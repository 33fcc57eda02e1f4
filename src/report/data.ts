/**
 * What is embedded in the page. The page's script reads exactly this; moments are epoch milliseconds. Everything that
 * came from outside (titles, texts, addresses) is text to be shown, never markup.
 */
export interface ReportData {
  readonly title: string;
  readonly generatedAt: number;
  /** When works were first and last settled; null for a run without a download. */
  readonly period: { readonly from: number; readonly to: number } | null;
  /** Real seconds per second on the clock of the download: below 1 for a simulated web. */
  readonly timeScale: number;
  /** In how many parts of their own the lines of works stand, and how many there are. */
  readonly works: { readonly parts: number; readonly lines: number };
  /** Counts over all works, also those whose lines were left out. */
  readonly account: Account | null;
  readonly hosts: readonly HostLine[];
  /** Whether hosts come from the host log, or only from the attempts at files that the manifest names. */
  readonly hostsFrom: 'log' | 'attempts';
  readonly stages: readonly StageLine[];
  readonly documents: readonly DocumentLine[];
  readonly passages: readonly PassageLine[];
  /** The works whose surroundings in the graph stand in parts of their own; null where no graph was built. */
  readonly graph: readonly GraphWork[] | null;
  /** What each reason means, of those that occur. */
  readonly sentences: Readonly<Record<string, string>>;
  /** What does not stand in the page, in sentences. */
  readonly leftOut: readonly string[];
}

export type Outcome = 'saved' | 'failed' | 'parked' | 'skipped';

/** Tallies of the download. */
export interface Account {
  readonly works: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Saved works by the resolver that found the file. */
  readonly resolvers: readonly ResolverTally[];
  /** Works that were not saved by reason, and attempts that lost by theirs. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly attemptReasons: Readonly<Record<string, number>>;
  /** By host that would not or could not give what it has: works that nobody had. */
  readonly lostSources: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, number>>;
  readonly licences: Readonly<Record<string, number>>;
  readonly bytes: number;
}

interface ResolverTally {
  readonly name: string;
  /** Works for which it was asked. */
  readonly asked: number;
  /** Of these, the ones for which it answered. */
  readonly answered: number;
  readonly saved: number;
  readonly attempts: number;
}

/** One work of the account. */
export interface WorkLine {
  readonly id: string;
  readonly title: string;
  readonly doi: string;
  readonly outcome: Outcome;
  readonly reason: string;
  readonly resolver: string;
  readonly licence: string;
  readonly bytes: number;
  /** Where the kept file is, relative to the page; empty where there is none. */
  readonly file: string;
  /** Attempts that lost: host and reason. */
  readonly lost: readonly (readonly [resolver: string, host: string, reason: string])[];
  /** Its place among the documents, -1 where it was not parsed. */
  readonly document: number;
  readonly retracted?: true;
}

/** A host over time. */
export interface HostLine {
  readonly host: string;
  readonly requests: number;
  readonly bytes: number;
  readonly most: number;
  /** Most requests allowed at once; 0 where that is not known. */
  readonly cap: number;
  readonly refused: number;
  readonly failed: number;
  readonly waitedMs: number;
  /** Slices: when, how long, requests, refusals (429, 503), failures. */
  readonly slices: readonly (readonly [at: number, ms: number, sent: number, refused: number, failed: number])[];
  /** Spans in which the host was left alone: because it asked, or because it failed. */
  readonly holds: readonly (readonly [from: number, to: number, why: 'asked' | 'failing'])[];
}

/** A stage: how long its documents took. */
export interface StageLine {
  readonly name: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  /** Documents per bucket of duration; a bucket ends at its bound in seconds. */
  readonly histogram: readonly (readonly [bound: number, count: number])[];
  readonly slowest: readonly (readonly [document: string, seconds: number])[];
  readonly categories: Readonly<Record<string, number>>;
  readonly failures: readonly (readonly [document: string, category: string, message: string])[];
}

/** A document of the viewer; its pages and blocks stand in a part of their own, read when it is opened. */
export interface DocumentLine {
  readonly id: string;
  readonly title: string;
  readonly authors: string;
  readonly file: string;
  readonly pages: number;
  readonly blocks: number;
  /** Whether its structure stands in the page. */
  readonly shown: boolean;
  /** Its first passage among all, and how many follow. */
  readonly passages: readonly [from: number, count: number];
  readonly retracted?: true;
}

/** A passage that can be searched. */
export interface PassageLine {
  readonly document: number;
  readonly headings: readonly string[];
  readonly page: number;
  readonly text: string;
  /** What is searched besides the text: title and headings. */
  readonly context: string;
  readonly tokens: number;
  readonly blocks: readonly number[];
}

/** A work of the graph. */
export interface GraphWork {
  readonly id: string;
  /** Author, year, title. */
  readonly label: string;
}

/** The part of one document. */
export interface DocumentPart {
  readonly pages: readonly (readonly [number: number, width: number, height: number])[];
  /** PNG images in base64 by page number. */
  readonly images: Readonly<Record<string, string>>;
  readonly blocks: readonly BlockLine[];
}

export interface BlockLine {
  readonly tag: string;
  readonly text: string;
  /** Page, left, top, right, bottom, in points. */
  readonly regions: readonly (readonly [number, number, number, number, number])[];
  readonly rows?: readonly (readonly string[])[];
}
