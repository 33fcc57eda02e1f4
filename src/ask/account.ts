import { namesNoWork, REASONS } from '../download/index.ts';
import type { CorpusStore } from '../store/index.ts';

/** Each count in one sentence. Every place that shows numbers of a corpus shows these. */
export const COUNTS = {
  listed: 'Works that lists, searches and papers named, each once; entries that name no work are not among them.',
  downloaded: 'Listed works of which there is a downloaded file.',
  local: 'Listed works that are papers of the user’s own.',
  deferred: 'Listed works that a host put off; they are tried again.',
  failed: 'Listed works that failed for a reason that may pass; `retry-failed` or a later run tries them again.',
  unavailable: 'Listed works of which no source has an open full text.',
  waiting: 'Listed works that were not tried yet.',
  downloaded_this_run: 'Works whose file this run downloaded.',
  downloaded_earlier: 'Works whose file an earlier run downloaded.',
  unreadable_entries: 'Entries of input files that name no work.',
  repeated_entries: 'Entries of input files that name a work which another entry named.',
  other_versions: 'Works of which another version is better and is in the corpus too.',
  included: 'Works that screening included.',
  excluded: 'Works that screening excluded.',
  retracted: 'Listed works that were retracted.',
  parsed: 'Documents whose text and structure were parsed.',
  scans: 'Documents that are scans without text; they need OCR.',
  chunked: 'Documents that were chunked.',
  embedded: 'Documents that were embedded.',
  failed_documents: 'Documents that failed in a stage.',
} as const;

/** How many there are of each, by reason, resolver and input file where these are known. */
export interface Account extends Readonly<Record<keyof typeof COUNTS, number>> {
  /** Why listed works have no file. */
  readonly by_reason: Readonly<Record<string, number>>;
  /** By which resolver works were downloaded. */
  readonly by_resolver: Readonly<Record<string, number>>;
  /** Entries that name no work, by input file. */
  readonly unreadable_by_file: Readonly<Record<string, number>>;
}

/** Counts a corpus. `run` is the id of the run that counts as this one. */
export function accountOf(store: CorpusStore, run?: string): Account {
  const counts = {
    listed: 0,
    downloaded: 0,
    local: 0,
    deferred: 0,
    failed: 0,
    unavailable: 0,
    waiting: 0,
    unreadable: 0,
    duplicates: 0,
  };
  const byReason: Record<string, number> = {};
  const tally = store.all<{ outcome: string; reason: string; rows: number }>(
    'select outcome, reason, sum(rows) as rows from works_tally group by outcome, reason order by rows desc, reason',
  );
  for (const { outcome, reason, rows } of tally) {
    // What was found for such an entry is a work of its own.
    if (reason === 'entry-identified') continue;
    if (reason === 'duplicate') {
      counts.duplicates += rows;
      continue;
    }
    if (namesNoWork(reason)) {
      counts.unreadable += rows;
      continue;
    }
    counts.listed += rows;
    counts[stateOf(outcome, reason)] += rows;
    if (outcome !== 'saved' && outcome !== 'own' && outcome !== 'waiting') byReason[reason] = rows;
  }
  const number = (sql: string, ...values: string[]): number => store.get<{ n: number }>(sql, ...values)?.n ?? 0;
  const now =
    run === undefined
      ? 0
      : number(
          `select count(*) as n from works join outcomes on outcomes.sequence = works.sequence
           where works.outcome = 'saved' and outcomes.run = ?`,
          run,
        );
  const { listed, downloaded, local, deferred, failed, unavailable, waiting, unreadable } = counts;
  return {
    listed, downloaded, local, deferred, failed, unavailable, waiting,
    downloaded_this_run: now,
    downloaded_earlier: downloaded - now,
    unreadable_entries: unreadable,
    repeated_entries: counts.duplicates + number('select coalesce(sum(times), 0) as n from repeated_entries'),
    other_versions: otherVersions(store),
    included: number("select count(*) as n from labels where label = 'included'"),
    excluded: number("select count(*) as n from labels where label = 'excluded'"),
    retracted: number('select count(*) as n from works where retracted = 1'),
    parsed: number("select count(*) as n from documents where parsed = 'success'"),
    scans: number("select count(*) as n from documents where parsed = 'needs-ocr'"),
    chunked: number("select count(*) as n from documents where chunked = 'success'"),
    embedded: number("select count(*) as n from documents where embedded = 'success'"),
    failed_documents: number("select count(*) as n from documents where 'failure' in (parsed, chunked, embedded)"),
    by_reason: byReason,
    by_resolver: named(
      store.all(
        "select coalesce(resolver, 'unknown') as name, count(*) as n from works where outcome = 'saved' group by 1 order by 2 desc, 1",
      ),
    ),
    unreadable_by_file: named(
      store.all(
        `select substr(work, 7, instr(work, '#') - 7) as name, count(*) as n from works
         where work like 'entry:%#%' and reason <> 'entry-identified' group by 1 order by 2 desc, 1`,
      ),
    ),
  }; // prettier-ignore
}

/** What a work counts as, by its last outcome. */
function stateOf(
  outcome: string,
  reason: string,
): 'downloaded' | 'local' | 'deferred' | 'failed' | 'unavailable' | 'waiting' {
  if (outcome === 'saved') return 'downloaded';
  if (outcome === 'own') return 'local';
  if (outcome === 'parked') return 'deferred';
  if (outcome === 'waiting') return 'waiting';
  const known = (REASONS as Readonly<Record<string, { readonly later: boolean }>>)[reason];
  return outcome === 'failed' && known?.later === true ? 'failed' : 'unavailable';
}

function named(rows: Record<string, unknown>[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ name, n }) => [String(name), Number(n)]));
}

/** Each group of versions has one best. */
function otherVersions(store: CorpusStore): number {
  const parent = new Map<string, string>();
  const root = (work: string): string => {
    let at = work;
    for (let next = parent.get(at); next !== undefined; next = parent.get(at)) at = next;
    return at;
  };
  let others = 0;
  for (const { work, of } of store.all<{ work: string; of: string }>(
    'select work, of from versions where undone = 0',
  )) {
    const [a, b] = [root(work), root(of)];
    if (a === b) continue;
    parent.set(a, b);
    others += 1;
  }
  return others;
}

/** What one run did, by works and not by tries, and what earlier runs left. */
export interface RunCounts {
  /** Works whose last outcome is of this run. */
  readonly outcomes: Readonly<Record<'saved' | 'skipped' | 'failed' | 'parked', number>>;
  readonly by_resolver: Readonly<Record<string, number>>;
  readonly by_reason: Readonly<Record<string, number>>;
  /** Why works of earlier runs have no file and were not tried again. */
  readonly earlier_by_reason: Readonly<Record<string, number>>;
  /** Works that will be tried again, each with its reason and moment: the first of them, and how many there are. */
  readonly deferred: { readonly works: number; readonly first: readonly string[] };
  /** Hosts that were given up. */
  readonly given_up: readonly string[];
}

const MOST_NAMED = 10;

export function runCountsOf(store: CorpusStore, run: string): RunCounts {
  const from = 'from works join outcomes on outcomes.sequence = works.sequence where';
  const counts = (column: string, where: string): Record<string, number> =>
    named(store.all(`select ${column} as name, count(*) as n ${from} ${where} group by 1 order by 2 desc, 1`, run));
  const ended = counts('works.outcome', 'outcomes.run = ?');
  const deferred = store.all<{ text: string }>(
    `select works.tried || ': ' || works.reason || coalesce(', until ' || (outcomes.row ->> '$.retry_at'), '') as text
     ${from} works.outcome = 'parked' order by works.sequence limit ${MOST_NAMED}`,
  );
  const givenUp = store.all<{ detail: string }>(
    `select distinct outcomes.row ->> '$.detail' as detail ${from} works.reason = 'host-given-up' and detail is not null limit ${MOST_NAMED}`,
  );
  return {
    outcomes: {
      saved: ended['saved'] ?? 0,
      skipped: ended['skipped'] ?? 0,
      failed: ended['failed'] ?? 0,
      parked: ended['parked'] ?? 0,
    },
    by_resolver: counts("coalesce(works.resolver, 'unknown')", "outcomes.run = ? and works.outcome = 'saved'"),
    by_reason: counts('works.reason', "outcomes.run = ? and works.outcome <> 'saved'"),
    earlier_by_reason: counts('works.reason', "outcomes.run <> ? and works.outcome <> 'saved'"),
    deferred: {
      works: store.get<{ n: number }>("select count(*) as n from works where outcome = 'parked'")?.n ?? 0,
      first: deferred.map(({ text }) => text),
    },
    given_up: givenUp.map(({ detail }) => detail),
  };
}
