import type { DownloadSummary } from '../download/index.ts';
import type { Account } from '../ask/index.ts';
import type { IdentifiedPapers } from '../harvest/index.ts';
import type { StageOutcome } from '../stage/index.ts';
import type { CorpusStageName } from './corpus-run.ts';
import type { PassedOver } from './own-papers.ts';

/** The account of the folder, over all its runs, and what this run did. */
export interface WorksAccount extends Account {
  /** Works that this run has listed, and bytes that it has downloaded. */
  readonly listed_this_run: number;
  readonly bytes_this_run: number;
}

/** The outcome of the documents in one stage. */
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

/** A document that a stage could not do. */
export interface FailedDocument {
  readonly stage: CorpusStageName;
  readonly document: string;
  readonly code: string;
  readonly message: string;
}

/** What a run tells at its end, and keeps in `run.json`. */
export interface RunAccount {
  /** Null where the documents were there already. */
  readonly works: WorksAccount | null;
  readonly documents: number;
  /** Documents that are scans without text; they need OCR. */
  readonly scans: number;
  /** Parsed documents of which some pages or words are missing. */
  readonly partial: number;
  /** Own files that were not taken, and why. */
  readonly passed_over: readonly PassedOver[];
  /** How your own papers were recognised as works; null where there are none. */
  readonly own_papers: IdentifiedPapers | null;
  readonly stages: Readonly<Partial<Record<CorpusStageName, StageAccount>>>;
  readonly failures: readonly FailedDocument[];
  readonly index: { readonly passages: number; readonly searched_by: 'words' | 'words and meaning' } | null;
  /** Why it ended before its end; null where it did not. */
  readonly stopped: string | null;
  readonly seconds: number;
}

/** The account of the stages. Scans are skipped each time; they are not done before. */
export function accountOfStages(
  outcomes: Readonly<Partial<Record<CorpusStageName, StageOutcome>>>,
  scans: number,
): Pick<RunAccount, 'stages' | 'failures'> {
  const entries = Object.entries(outcomes) as [CorpusStageName, StageOutcome][];
  return {
    stages: Object.fromEntries(
      entries.map(([name, outcome]) => [name, stageAccount(outcome, name === 'doctags' ? scans : 0)]),
    ),
    // A document whose vectors could not be made ahead is told of by the embed stage, if it fails there too.
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
