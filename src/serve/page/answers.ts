import type { WorkLine } from '../../corpus/index.ts';

// What the interface answers, as far as the page reads it; `src/serve/api/shapes/` describes all of it.

export interface Run {
  readonly id: string;
  readonly title: string;
  readonly folder: string;
  readonly state: 'running' | 'done' | 'stopped' | 'failed' | 'unknown';
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly works: number;
  readonly saved: number;
  readonly documents: number;
  readonly has_search: boolean;
  readonly has_graph: boolean;
}

export interface About {
  readonly version: string;
  readonly steering: boolean;
  readonly queue: boolean;
  readonly mcp: boolean;
  readonly runs: readonly Run[];
}

export interface Stage {
  readonly name: 'works' | 'saved' | 'parsed' | 'chunked' | 'embedded';
  readonly done: number;
  readonly failed: number;
  readonly of: number | null;
  readonly per_minute: number | null;
  readonly seconds_left: number | null;
}

/** How far a run is; also what is told while it is watched. */
export interface Figures {
  readonly state: Run['state'];
  readonly stages: readonly Stage[];
  readonly outcomes: Readonly<Record<string, number>>;
  readonly rate_per_minute: number | null;
  readonly seconds_left: number | null;
}

export interface RunEvent {
  readonly id: number;
  readonly at: string;
  readonly run: string | null;
  readonly kind: string;
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
  readonly work: string | null;
  readonly document: string | null;
}

export interface Now extends Figures {
  readonly run: Run;
  readonly history: readonly {
    readonly at: string;
    readonly works: number;
    readonly saved: number;
    readonly parsed: number;
    readonly chunked: number;
    readonly embedded: number;
  }[];
  readonly events: readonly RunEvent[];
}

export interface Queue {
  readonly states: Readonly<Record<string, number>>;
  readonly total: number;
  readonly due: number;
  readonly delayed: number;
  readonly oldest_queued_at: string | null;
  readonly next_available_at: string | null;
  readonly per_minute: number | null;
  readonly seconds_left: number | null;
  readonly counts: {
    readonly running: number;
    readonly waiting_for_host: number;
    readonly retrying: number;
    readonly processes: number;
    readonly workers: number;
  };
  readonly failures: readonly { readonly code: string; readonly state: string; readonly jobs: number }[];
  readonly retries: readonly { readonly code: string; readonly state: string; readonly jobs: number }[];
  readonly workers: readonly {
    readonly worker_id: string;
    readonly process: string;
    readonly started_at: string;
    readonly heard_at: string;
    readonly alive: boolean;
    readonly workers: number;
    readonly running: number;
    readonly leases: number;
  }[];
  readonly leases_of_others: readonly { readonly worker_id: string | null; readonly jobs: number }[];
  readonly pauses: readonly { readonly scope: string; readonly name: string; readonly since: string }[];
}

export interface QueuePoint {
  readonly at: string;
  readonly queued: number;
  readonly in_progress: number;
  readonly done: number;
  readonly skipped: number;
  readonly error: number;
}

export interface Job {
  readonly id: number;
  readonly artifact_id: string;
  readonly title: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly host: string | null;
  readonly last_error: string | null;
  readonly error_code: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly available_at: string | null;
  readonly worker_id: string | null;
}

export interface Tried {
  readonly run: string;
  readonly at: string;
  readonly outcome: string;
  readonly reason: string;
  readonly sentence: string | null;
  readonly resolver: string | null;
  readonly url: string | null;
  readonly file: string | null;
  readonly attempts: readonly {
    readonly resolver: string;
    readonly host: string;
    readonly url: string;
    readonly status: number | null;
    readonly reason: string;
    readonly sentence: string | null;
    readonly bytes: number;
    readonly duration_ms: number;
    readonly started_at: string;
  }[];
}

export interface Host {
  readonly host: string;
  readonly cap: number | null;
  readonly per_second: number | null;
  readonly in_flight: number | null;
  readonly waiting: number | null;
  readonly held_until: string | null;
  readonly held_why: string | null;
  readonly paused: boolean;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly last_at: string | null;
}

export type Work = WorkLine;

export interface WholeWork extends Work {
  readonly abstract: string | null;
  readonly apa: string | null;
  readonly bibtex: string | null;
  readonly history: readonly Tried[];
}

export interface Facet {
  readonly value: string;
  readonly works: number;
  readonly sentence: string | null;
}

export interface List<T> {
  readonly items: readonly T[];
  readonly next: string | null;
  readonly total?: number | null;
}

export interface DocumentLine {
  readonly id: string;
  readonly work: string | null;
  readonly title: string | null;
  readonly authors: string | null;
  readonly year: number | null;
  readonly parsed: string | null;
  readonly chunked: string | null;
  readonly embedded: string | null;
  readonly failure: string | null;
}

export interface WholeDocument {
  readonly id: string;
  readonly work: string | null;
  readonly title: string | null;
  readonly authors: string | null;
  readonly year: number | null;
  readonly kind: string | null;
  readonly apa: string | null;
  readonly bibtex: string | null;
  readonly pages: readonly { readonly number: number; readonly width: number; readonly height: number }[];
  readonly blocks: readonly {
    readonly order: number;
    readonly tag: string;
    readonly level: number | null;
    readonly text: string;
    readonly regions: readonly Box[];
    readonly rows: readonly (readonly string[])[] | null;
    readonly caption: string | null;
  }[];
  readonly next: number | null;
}

export interface Box {
  readonly page: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Hits {
  readonly mode: 'hybrid' | 'dense' | 'lexical';
  readonly passages: number;
  readonly took_ms: number;
  readonly hits: readonly {
    readonly rank: number;
    readonly fit: number | null;
    readonly id: string;
    readonly document: string;
    readonly title: string | null;
    readonly headings: readonly string[];
    readonly page: number | null;
    readonly boxes: readonly Box[];
    readonly text: string;
    readonly work: {
      readonly id: string;
      readonly title: string | null;
      readonly authors: readonly { readonly name: string }[];
      readonly year: number | null;
      readonly venue: string | null;
      readonly license: string | null;
      readonly retraction?: unknown;
      readonly apa: string;
      readonly bibtex: string;
    } | null;
  }[];
}

export interface AccountAnswer {
  readonly asked: Readonly<Record<string, unknown>> | null;
  readonly prisma: {
    readonly identified: number;
    readonly removed_before_screening?: { readonly unreadable_entries: number; readonly duplicates: number };
    readonly screened: number;
    readonly excluded: number;
    readonly sought: number;
    readonly not_retrieved: number;
    readonly included: number;
  };
  readonly outcomes: Readonly<Record<string, number>>;
  readonly reasons: readonly Facet[];
  readonly licences: readonly { readonly value: string; readonly works: number }[];
}
