import type { DownloadSummary } from '../download/index.ts';
import { REASONS } from '../download/index.ts';
import type { IdentifiedPapers, LatestRow } from '../harvest/index.ts';
import type { StageOutcome } from '../stage/index.ts';
import type { CorpusStageName } from './corpus-run.ts';
import type { PassedOver } from './own-papers.ts';

/** What came of the works of a run folder, over all its runs. */
export interface WorksAccount {
  readonly works: number;
  readonly saved: number;
  readonly not_to_be_had: number;
  /** A host asked for patience: the same command gets them later. */
  readonly later: number;
  readonly by_resolver: Readonly<Record<string, number>>;
  /** Why works were not saved. */
  readonly by_reason: Readonly<Record<string, number>>;
  /** Of this run alone. */
  readonly found_now: number;
  readonly saved_now: number;
  readonly bytes_now: number;
}

/** What came of the documents in one stage. */
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
  /** Own files that were not taken, and why. */
  readonly passed_over: readonly PassedOver[];
  /** How one's own papers were told apart as works; null where there are none. */
  readonly own_papers: IdentifiedPapers | null;
  readonly stages: Readonly<Partial<Record<CorpusStageName, StageAccount>>>;
  readonly failures: readonly FailedDocument[];
  readonly index: { readonly passages: number; readonly searched_by: 'words' | 'words and meaning' } | null;
  /** Why it ended before its end; null where it did not. */
  readonly stopped: string | null;
  readonly seconds: number;
}

/** The account of the stages. */
export function accountOfStages(
  outcomes: Readonly<Partial<Record<CorpusStageName, StageOutcome>>>,
): Pick<RunAccount, 'stages' | 'failures'> {
  const entries = Object.entries(outcomes) as [CorpusStageName, StageOutcome][];
  return {
    stages: Object.fromEntries(entries.map(([name, outcome]) => [name, stageAccount(outcome)])),
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

function stageAccount(outcome: StageOutcome): StageAccount {
  return {
    done: outcome.succeeded,
    kept: outcome.skipped,
    failed: outcome.failed,
    left: outcome.unfinished,
    wall_ms: Math.round(outcome.wallMs),
    p50_ms: Math.round(outcome.execP50Ms),
    p95_ms: Math.round(outcome.execP95Ms),
  };
}

/** Counts over all runs of the folder, from the last row of each work. */
export function accountOfWorks(rows: readonly LatestRow[], now: DownloadSummary | undefined): WorksAccount {
  const counts = { works: 0, saved: 0, not_to_be_had: 0, later: 0 };
  const byResolver: Record<string, number> = {};
  const byReason: Record<string, number> = {};
  for (const row of rows) {
    const { outcome, resolver } = row;
    // What was found for such an entry is a work of its own.
    if (row.reason === 'entry-identified') continue;
    counts.works += 1;
    if (outcome === 'saved') {
      counts.saved += 1;
      raise(byResolver, resolver ?? 'unknown');
      continue;
    }
    // What broke, or could not be asked, is known of nobody not to be there.
    const isOpen = outcome === 'parked' || (outcome === 'failed' && REASONS[row.reason].later);
    counts[isOpen ? 'later' : 'not_to_be_had'] += 1;
    raise(byReason, row.reason);
  }
  return {
    ...counts,
    by_resolver: byResolver,
    by_reason: byReason,
    found_now: now?.found ?? 0,
    saved_now: now?.saved ?? 0,
    bytes_now: now?.bytes ?? 0,
  };
}

function raise(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
