import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import type { Account, RunCounts } from '../library/index.ts';
import type { Clock } from '../base/index.ts';
import { AppError, FileLock, parseJson, writeOwnFile } from '../base/index.ts';
import type { DownloadEvent, DownloadSummary } from '../download/index.ts';
import type { IdentifiedPapers } from './papers/identify-papers.ts';
import type { WantedWorks } from './list/provider.ts';
import type { QueueEvent } from '../queue/index.ts';
import type { IndexEvent } from '../search/index.ts';
import type { StageEvent, StageOutcome } from '../stage/index.ts';
import type { CorpusStageName } from './stages/run-prepared.ts';

/** The version of `run.json`; it changes when a field changes its meaning. */
const RUN_SCHEMA = 'docstokg/run/1';
const NAME = 'run.json';

/** `run.json`: the request and its last outcome. Times are ISO 8601. */
export interface RunFile {
  readonly schema: string;
  readonly asked: RunAsked;
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  readonly started_at: string;
  readonly ended_at: string | null;
  /** The process that works, or last worked, on it. */
  readonly process: { readonly pid: number; readonly host: string };
  /** From the last completed run, even while it runs again. */
  readonly account: RunAccount | null;
}

export interface RunAsked extends WantedWorks {
  readonly ids?: readonly string[] | undefined;
  /** Which works are downloaded, as in `--works`; all by default. */
  readonly works?: string | undefined;
  /** The contact address, so that the folder alone is enough to resume. */
  readonly mailto?: string | undefined;
}

export async function readRunFile(folder: string): Promise<RunFile | undefined> {
  const path = join(folder, NAME);
  return existsSync(path) ? checkedRun(parseJson(await readFile(path, 'utf8')), path) : undefined;
}

export async function writeRunFile(folder: string, run: RunFile): Promise<void> {
  await writeOwnFile(join(folder, NAME), `${JSON.stringify(run, undefined, 2)}\n`);
}

/** What a file, or a database, says of a run. */
export function checkedRun(given: unknown, from: string): RunFile {
  const file = given as RunFile | undefined;
  if (file?.schema === RUN_SCHEMA) return file;
  throw new AppError('RUN_FILE', `${from} was not written by this version of docstokg run`, {
    hint: 'move it away; all other files in the folder are reused',
  });
}

/** Locks a run folder and creates it if needed. The lock ends with the process, even if it is killed. */
export async function openRunFolder(path: string, asked: RunAsked, clock: Clock) {
  await mkdir(join(path, 'state'), { recursive: true });
  using held = new DisposableStack();
  const lock = held.use(new FileLock(join(path, 'state', 'run.lock'), clock));
  const taken = lock.tryTake();
  const before = await readRunFile(path);
  if (!taken) {
    const { pid, host } = before?.process ?? { pid: '?', host: '?' };
    throw new AppError(
      'RUN_FOLDER_BUSY',
      `process ${pid} on ${host} has been working on ${path} since ${before?.started_at}`,
      { hint: 'let it finish, stop it with Ctrl-C, or use another --out for a separate run' },
    );
  }
  held.use(taken);
  const now = (): string => new Date(clock.now()).toISOString();
  const file: RunFile = {
    schema: RUN_SCHEMA,
    asked,
    state: 'running',
    started_at: now(),
    ended_at: null,
    process: { pid: process.pid, host: hostname() },
    account: before?.account ?? null,
  };
  await writeRunFile(path, file);
  const opened = held.move();
  return {
    /** Records how the run ended; without an account the last one stays. */
    async end(state: 'done' | 'stopped' | 'failed', account = file.account): Promise<RunFile> {
      const ended = { ...file, state, ended_at: now(), account };
      await writeRunFile(path, ended);
      return ended;
    },
    [Symbol.dispose]: () => opened.dispose(),
  };
}

/** The counts of a folder over all its runs; works listed and bytes downloaded by this run. */
export interface WorksAccount extends Account {
  /** Works that this run listed. */
  readonly listed_this_run: number;
  /** Bytes that this run downloaded. */
  readonly bytes_this_run: number;
}

/** What a stage did in a run, and how long documents took. */
export interface StageAccount {
  readonly done: number;
  /** Done by an earlier run. */
  readonly kept: number;
  readonly failed: number;
  /** Not taken, because the run was stopped. */
  readonly left: number;
  readonly wall_ms: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
}

export interface FailedDocument {
  readonly stage: CorpusStageName;
  readonly document: string;
  readonly code: string;
  readonly message: string;
}

/** A file that is no paper. */
export interface SkippedFile {
  readonly file: string;
  /** A known reason; `copy` for a file with the same bytes as another. */
  readonly reason: string;
  /** What it is instead. */
  readonly detail: string;
}

/** What a run did. */
export interface RunAccount {
  /** Null if nothing was downloaded, because the documents were already there. */
  readonly works: WorksAccount | null;
  /** Documents that went through the stages. */
  readonly documents: number;
  /** Documents that are scans without text; they need OCR. */
  readonly scans: number;
  /** Parsed documents with missing pages or words. */
  readonly partial: number;
  /** Files that are no papers. */
  readonly skipped_files: readonly SkippedFile[];
  /** How the user's papers were identified; null if there are none. */
  readonly own_papers: IdentifiedPapers | null;
  /** Counts and times of each stage that ran. */
  readonly stages: Readonly<Partial<Record<CorpusStageName, StageAccount>>>;
  /** Documents that a stage could not process. */
  readonly failures: readonly FailedDocument[];
  /** The index after the run; null if it was not updated. */
  readonly index: { readonly passages: number; readonly searched_by: 'words' | 'words and meaning' } | null;
  /** Why it ended early; null if it did not. */
  readonly stopped: string | null;
  /** How long the run took. */
  readonly seconds: number;
}

/** Scans are skipped in every run; they do not count as done before. */
export function accountOfStages(
  outcomes: Readonly<Partial<Record<CorpusStageName, StageOutcome>>>,
  scans: number,
): Pick<RunAccount, 'stages' | 'failures'> {
  const entries = Object.entries(outcomes) as [CorpusStageName, StageOutcome][];
  return {
    stages: Object.fromEntries(
      entries.map(([name, outcome]) => [name, stageAccount(outcome, name === 'doctags' ? scans : 0)]),
    ),
    failures: entries.flatMap(([stage, { errors }]) =>
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

export function accountOfWorks(counts: Account, now: DownloadSummary | undefined): WorksAccount {
  return { ...counts, listed_this_run: now?.found ?? 0, bytes_this_run: now?.bytes ?? 0 };
}

export interface MessageEvent {
  readonly kind: 'message';
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
}

/** What happens while a corpus is made; `docs/reference/events.md` lists the events inside. */
export type CorpusEvent =
  | MessageEvent
  /** A work was found, tried, saved or given up. */
  | { readonly kind: 'download'; readonly event: DownloadEvent }
  /** A job was leased or settled, or its worker has gone. */
  | { readonly kind: 'queue'; readonly event: QueueEvent }
  /** The download ended: what this run did, and the outcome of all works of the folder. */
  | {
      readonly kind: 'downloaded';
      readonly summary: DownloadSummary;
      readonly run: RunCounts;
      readonly counts: Account;
    }
  /** A document went through a stage, or failed in it. */
  | { readonly kind: 'stage'; readonly stage: CorpusStageName; readonly event: StageEvent }
  /** All documents have gone through all stages; the index is built next. */
  | { readonly kind: 'indexing' }
  /** The index takes passages. */
  | { readonly kind: 'index'; readonly event: IndexEvent }
  /** Always the last event. */
  | { readonly kind: 'ended'; readonly account: RunAccount };
