import type { DownloadSummary } from '../download/index.ts';
import type { Account } from '../ask/index.ts';
import type { IdentifiedPapers } from '../harvest/index.ts';
import type { StageOutcome } from '../stage/index.ts';
import type { CorpusStageName } from './corpus-run.ts';
import type { PassedOver } from './own-papers.ts';

/** The counts of a folder over all its runs, and of this run. */
export interface WorksAccount extends Account {
  /** Works listed and bytes downloaded by this run. */
  readonly listed_this_run: number;
  readonly bytes_this_run: number;
}

/** The outcomes of documents in one stage. */
export interface StageAccount {
  readonly done: number;
  /** Done by an earlier run. */
  readonly kept: number;
  readonly failed: number;
  readonly left: number;
  readonly wall_ms: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
}

/** A document that failed in a stage. */
export interface FailedDocument {
  readonly stage: CorpusStageName;
  readonly document: string;
  readonly code: string;
  readonly message: string;
}

/** The summary of a run, stored in `run.json`. */
export interface RunAccount {
  /** Null if nothing was downloaded, because the documents were already there. */
  readonly works: WorksAccount | null;
  readonly documents: number;
  /** Documents that are scans without text; they need OCR. */
  readonly scans: number;
  /** Parsed documents with missing pages or words. */
  readonly partial: number;
  /** The user's files that were skipped, and why. */
  readonly passed_over: readonly PassedOver[];
  /** How the user's papers were identified; null if there are none. */
  readonly own_papers: IdentifiedPapers | null;
  readonly stages: Readonly<Partial<Record<CorpusStageName, StageAccount>>>;
  readonly failures: readonly FailedDocument[];
  readonly index: { readonly passages: number; readonly searched_by: 'words' | 'words and meaning' } | null;
  /** Why it ended early; null if it did not. */
  readonly stopped: string | null;
  readonly seconds: number;
}

/** The account of the stages. Scans are skipped in every run; they do not count as done before. */
export function accountOfStages(
  outcomes: Readonly<Partial<Record<CorpusStageName, StageOutcome>>>,
  scans: number,
): Pick<RunAccount, 'stages' | 'failures'> {
  const entries = Object.entries(outcomes) as [CorpusStageName, StageOutcome][];
  return {
    stages: Object.fromEntries(
      entries.map(([name, outcome]) => [name, stageAccount(outcome, name === 'doctags' ? scans : 0)]),
    ),
    // If a document fails here, the embed stage tries it again and reports it.
    failures: entries
      .filter(([name]) => name !== 'dense')
      .flatMap(([stage, { errors }]) =>
        errors.map(({ itemId, code, category, message }) => ({
          stage,
          document: itemId,
          code: code ?? category,
          message,
        })),
      ),
  };
}

function stageAccount(outcome: StageOutcome, scans: number): StageAccount {
  return {
    done: outcome.succeeded,
    kept: Math.max(0, outcome.skipped - scans),
    failed: outcome.failed,
    left: outcome.unfinished,
    wall_ms: Math.round(outcome.wallMs),
    p50_ms: Math.round(outcome.execP50Ms),
    p95_ms: Math.round(outcome.execP95Ms),
  };
}

/** The account of a folder with what a run did. */
export function accountOfWorks(counts: Account, now: DownloadSummary | undefined): WorksAccount {
  return { ...counts, listed_this_run: now?.found ?? 0, bytes_this_run: now?.bytes ?? 0 };
}
