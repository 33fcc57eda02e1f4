import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { AppError, forEachOf, writeOwnFile, readFields } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { namesNoWork, REASONS, renewalOf } from '../../download/index.ts';
import type { Asking } from '../download/open-download.ts';
import type { Runtime } from '../queue/open-queue.ts';
import { askRecords, keptFromArxiv, noteArxivVersions } from '../list/ask-records.ts';
import { openAsking } from '../download/open-download.ts';
import { openQueue } from '../queue/open-queue.ts';
import { keepChanges } from './changes.ts';
import type { RefreshDiff, States } from './compare-states.ts';
import { diffStates, isEmptyDiff, isNewerVersion, publishedSince, revisedSince, stateOf } from './compare-states.ts';
import type { WorkQueue } from '../../queue/index.ts';
import type { CorpusWorks } from '../../library/index.ts';
import type { Records } from '../../database/index.ts';
import type { Work, WorkRecord } from '../../works/index.ts';
import { NO_IDS, readRetractionWatch, workFromIds } from '../../works/index.ts';

/** What a refresh uses besides the services. */
export interface RefreshRequest {
  /** Crossref's `retraction_watch.csv`. */
  readonly retractionWatch?: string | undefined;
}

const TOGETHER = 4;
const DAY = 86_400_000;
/** Days before a failed work is retried: fewer for transient reasons, more for closed works. */
const RETRY_DAYS = { later: 1, other: 30 } as const;

/**
 * A killed refresh resumes from the saved state and reports the same changes.
 *
 *   state saved → records and arXiv versions read again → failed jobs retried → run as before
 *     → new records completed from Crossref → changes stored and reported, saved state removed
 */
export async function refreshCorpus(
  folder: string,
  parts: {
    readonly config: Config;
    readonly runtime: Runtime;
    readonly request: RefreshRequest;
    readonly openWorks: () => CorpusWorks;
    /** Repeats the folder's request. */
    readonly run: () => Promise<void>;
  },
  signal: AbortSignal,
): Promise<RefreshDiff> {
  const { config, runtime, request } = parts;
  const { retractionWatch } = request;
  // It is read at the end; a typing mistake is reported at the start.
  if (retractionWatch !== undefined && !existsSync(retractionWatch))
    throw new AppError('USAGE_RETRACTION_WATCH', `file not found: ${retractionWatch}`, { hint: 'check the path' });
  const path = join(folder, 'state', 'refresh.json');
  const before = await remembered(path, () => {
    using works = parts.openWorks();
    return { began: new Date(runtime.clock.now()).toISOString(), states: statesOf(works.records) };
  });
  {
    using works = parts.openWorks();
    const { records } = works;
    await using asking = openAsking(config, runtime);
    await readAgain([...records.all()], records, { asking, runtime, signal });
    await noteArxivVersions(keptFromArxiv(records, asking.services), records, asking, signal);
    await using queue = await openQueue(config, runtime);
    await retryFailures(records, before.states, queue, runtime.clock.now());
    const known = { names: savedWorks(records), versions: records.arxivVersions() };
    const newer = newerVersions(records.all(), before.states, known);
    for (const { key, work } of newer) await queue.enqueue(key, work);
  }
  await parts.run();
  using works = parts.openWorks();
  const { records } = works;
  {
    await using asking = openAsking(config, runtime);
    // A new work may be the retraction notice of another, which only Crossref says.
    const added = [...records.all()].filter(({ id }) => before.states[id] === undefined);
    await readAgain(added, records, { asking, runtime, signal });
  }
  if (retractionWatch !== undefined) records.addNotices(await Array.fromAsync(readRetractionWatch(retractionWatch)));
  records.linkVersions(new Date(runtime.clock.now()).toISOString());
  const diff = diffStates(before.states, statesOf(records));
  if (!isEmptyDiff(diff))
    await keepChanges(folder, { began: before.began, ended: new Date(runtime.clock.now()).toISOString(), diff });
  rmSync(path, { force: true });
  return diff;
}

interface Memory {
  readonly began: string;
  readonly states: States;
}

/** The states at the start: saved by a killed refresh, else the current ones. */
async function remembered(path: string, now: () => Memory): Promise<Memory> {
  if (existsSync(path)) {
    const { began, states } = readFields(path) as Partial<Memory>;
    if (typeof began === 'string' && typeof states === 'object') return { began, states };
    throw new AppError('REFRESH_STATE', `${path} is damaged`, { hint: 'remove it; the next refresh starts over' });
  }
  const memory = now();
  await writeOwnFile(path, JSON.stringify(memory));
  return memory;
}

/** The works with a file, each with the name under which it is stored. */
function savedWorks(records: Records): Map<string, string> {
  const saved = records.lastRows().filter(({ outcome }) => outcome === 'saved');
  return new Map(saved.map(({ work }) => [records.get(work)?.id ?? work, work]));
}

function statesOf(records: Records): States {
  const saved = savedWorks(records);
  const versions = records.arxivVersions();
  return Object.fromEntries(
    [...records.all()].map((record) => [record.id, stateOf(record, saved.has(record.id), versions.get(record.id))]),
  );
}

/** Updates records: from OpenAlex, where single records are free, and publishers' notices from Crossref. */
async function readAgain(
  all: readonly WorkRecord[],
  records: Records,
  { asking, runtime, signal }: { readonly asking: Asking; readonly runtime: Runtime; readonly signal: AbortSignal },
): Promise<void> {
  await forEachOf(all, TOGETHER, async ({ id, ids }) => {
    signal.throwIfAborted();
    const read = await askRecords(ids, asking, { now: runtime.clock.now(), signal });
    if (read.records.length > 0) records.add(read.records.map((each) => ({ ...each, id })));
    records.addNotices(read.given);
  });
}

export function retryDays(reason: keyof typeof REASONS): number {
  return REASONS[reason].later ? RETRY_DAYS.later : RETRY_DAYS.other;
}

/** Requeues failed jobs: works that have become open, and failures old enough for their reason. */
export async function retryFailures(records: Records, before: States, queue: WorkQueue, now: number): Promise<void> {
  const day = new Date(now).toISOString().slice(0, 10);
  for (const row of records.lastRows()) {
    if (row.outcome === 'saved' || namesNoWork(row.reason)) continue;
    const record = records.get(row.work);
    const hasOpened = record !== undefined && stateOf(record, false).isOpen && before[record.id]?.isOpen === false;
    if (!hasOpened && now - Date.parse(row.at) < retryDays(row.reason) * DAY) continue;
    const work = workFromIds(record?.ids ?? { ...NO_IDS, doi: row.doi }, { title: row.title });
    // A new job named after the day: the old one has ended, and a second refresh that day adds none.
    if (work) await queue.enqueue(`${row.work} again ${day}`, { ...work, id: row.work });
  }
}

/** A version with its own DOI is a separate work; a better open copy of the same work replaces its file. */
export function* newerVersions(
  records: Iterable<WorkRecord>,
  before: States,
  { names, versions }: { readonly names: ReadonlyMap<string, string>; readonly versions: ReadonlyMap<string, number> },
): Generator<{ readonly key: string; readonly work: Work }> {
  for (const record of records) {
    const earlier = before[record.id];
    if (!earlier?.isSaved) continue;
    const now = stateOf(record, true, versions.get(record.id));
    for (const doi of publishedSince(earlier, now)) {
      const work = workFromIds({ ...NO_IDS, doi });
      if (work) yield { key: work.id, work };
    }
    const id = names.get(record.id);
    const revised = revisedSince(earlier, now);
    const version = isNewerVersion(earlier, now) ? now.version : revised === undefined ? null : `arXiv v${revised}`;
    const own = version === null ? undefined : workFromIds(record.ids, { title: record.title });
    // One job per version: a second refresh adds none.
    if (own && id !== undefined) yield { key: `${id} ${version}`, work: renewalOf({ ...own, id }) };
  }
}
