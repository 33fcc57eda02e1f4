import type { CorpusStore } from '../store/index.ts';
import type { PrismaCounts } from './prisma.ts';

/** Each count in one sentence. Every view of a corpus's numbers uses these. */
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
  repeated_entries:
    'Entries of input files that name a work which another entry named, under the same id or another one.',
  other_versions: 'Listed works of which another version is better and is listed too.',
  included: 'Listed works that screening included; of several versions the best.',
  excluded: 'Listed works that screening excluded; of several versions the best.',
  retracted: 'Listed works that were retracted.',
  parsed: 'Documents whose text and structure were parsed.',
  partial: 'Parsed documents of which pages need OCR or more than a twentieth of the words is missing.',
  scans: 'Documents that are scans without text; they need OCR.',
  chunked: 'Documents that were chunked.',
  embedded: 'Documents that were embedded.',
  failed_documents: 'Documents that failed in a stage.',
} as const;

/** All counts, by reason, resolver and input file where known. */
export interface Account extends Readonly<Record<keyof typeof COUNTS, number>> {
  /** Why listed works have no file. */
  readonly by_reason: Readonly<Record<string, number>>;
  /** Downloaded works by resolver. */
  readonly by_resolver: Readonly<Record<string, number>>;
  /** Listed works by input file; a work in several files counts in each. */
  readonly listed_by_file: Readonly<Record<string, number>>;
  /** Entries that name no work, by input file. */
  readonly unreadable_by_file: Readonly<Record<string, number>>;
  /** The same works as counted by a PRISMA flow diagram. */
  readonly prisma: PrismaCounts;
}

/** The count that each outcome of a work belongs to. */
const STATES = {
  saved: 'downloaded',
  own: 'local',
  parked: 'deferred',
  failed: 'failed',
  skipped: 'unavailable',
  waiting: 'waiting',
} as const;

/** Counts a corpus. `run` is the id of the current run. */
export function accountOf(store: CorpusStore, run?: string): Account {
  const counts = { listed: 0, downloaded: 0, local: 0, deferred: 0, failed: 0, unavailable: 0, waiting: 0 };
  const screened = { included: 0, excluded: 0 };
  const retrieved = { included: 0, all: 0 };
  // Before any screening all works are sought, afterwards only the included ones.
  const missing = { included: {} as Record<string, number>, all: {} as Record<string, number> };
  let [unreadable, others] = [0, 0];
  const byReason: Record<string, number> = {};
  for (const { outcome, reason, label, isOther, rows } of store.all<{
    outcome: string;
    reason: string;
    label: keyof typeof screened | '';
    isOther: 0 | 1;
    rows: number;
  }>(
    `select outcome, reason, label, other_version as isOther, sum(rows) as rows from works_tally
     group by outcome, reason, label, other_version order by rows desc, reason`,
  )) {
    if (outcome === 'unreadable') {
      unreadable += rows;
      continue;
    }
    const hasFile = outcome === 'saved' || outcome === 'own';
    counts.listed += rows;
    counts[STATES[outcome as keyof typeof STATES]] += rows;
    if (!hasFile && outcome !== 'waiting') byReason[reason] = (byReason[reason] ?? 0) + rows;
    if (isOther === 1) {
      others += rows;
      continue;
    }
    if (label !== '') screened[label] += rows;
    if (label === 'excluded') continue;
    const why = outcome === 'waiting' ? 'not-tried-yet' : reason;
    for (const which of label === 'included' ? (['all', 'included'] as const) : (['all'] as const))
      if (hasFile) retrieved[which] += rows;
      else missing[which][why] = (missing[which][why] ?? 0) + rows;
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
  const repeated = number(
    `select (select count(*) from same_works where id not in (select id from decided_works))
       + (select count(*) from decided_works where apart = 0)
       + (select coalesce(sum(times), 0) from repeated_entries) as n`,
  );
  const byText = assessedWorks(store);
  const records = counts.listed - others;
  const labelled = screened.included + screened.excluded;
  const which = labelled > 0 ? 'included' : 'all';
  const notRetrieved = missing[which];
  // The full text of an assessed work is available, whether or not it was downloaded here.
  for (const [reason, works] of Object.entries(byText.notTried))
    notRetrieved[reason] = (notRetrieved[reason] ?? 0) - works;
  const excluded = screened.excluded - byText.excluded;
  const sought = (labelled > 0 ? labelled : records) - excluded;
  const assessed = retrieved[which] + byText.excluded + byText.includedWithoutFile;
  return {
    ...counts,
    downloaded_this_run: now,
    downloaded_earlier: counts.downloaded - now,
    unreadable_entries: unreadable,
    repeated_entries: repeated,
    other_versions: others,
    ...screened,
    retracted: number("select count(*) as n from works where retracted = 1 and outcome <> 'unreadable'"),
    parsed: number("select count(*) as n from documents where parsed = 'success'"),
    partial: number('select count(*) as n from documents where partial = 1'),
    scans: number("select count(*) as n from documents where parsed = 'needs-ocr'"),
    chunked: number("select count(*) as n from documents where chunked = 'success'"),
    embedded: number("select count(*) as n from documents where embedded = 'success'"),
    failed_documents: number("select count(*) as n from documents where 'failure' in (parsed, chunked, embedded)"),
    by_reason: sorted(byReason),
    by_resolver: named(
      store.all(
        "select coalesce(resolver, 'unknown') as name, count(*) as n from works where outcome = 'saved' group by 1 order by 2 desc, 1",
      ),
    ),
    listed_by_file: named(
      store.all(
        `select file as name, count(distinct listed_in.work) as n from listed_in join works using (work)
         where outcome <> 'unreadable' group by 1 order by 2 desc, 1`,
      ),
    ),
    unreadable_by_file: named(
      store.all(
        `select substr(work, 7, instr(work, '#') - 7) as name, count(*) as n from works
         where work like 'entry:%#%' and outcome = 'unreadable' group by 1 order by 2 desc, 1`,
      ),
    ),
    prisma: {
      identified: counts.listed + unreadable + repeated,
      removed_before_screening: { unreadable_entries: unreadable, duplicates: repeated + others },
      // Only labelled works count as screened.
      screened: labelled,
      not_screened: records - labelled,
      excluded,
      sought,
      not_retrieved: sought - assessed,
      not_retrieved_by_reason: sorted(notRetrieved),
      retrieved: assessed,
      excluded_by_full_text: byText.excluded,
      excluded_by_full_text_reasons: sorted(byText.why),
      // Once full texts are assessed, only works included by full text count.
      included: byText.included + byText.excluded > 0 ? byText.included : retrieved.included,
    },
  };
}

/** Works whose full text was assessed, whether or not it was downloaded here. */
function assessedWorks(store: CorpusStore) {
  const found = { excluded: 0, included: 0, includedWithoutFile: 0 };
  const [why, notTried]: [Record<string, number>, Record<string, number>] = [{}, {}];
  for (const { label, said, outcome, reason } of store.all<{
    label: string;
    said: string;
    outcome: string;
    reason: string;
  }>(
    `select works.label, coalesce(max(labels.reason), 'no reason given') as said, works.outcome, works.reason
     from labels join works on works.work = coalesce(
       (select work from works as own where own.work = labels.work), (select work from work_ids where id = labels.work limit 1))
     where labels.phase = 'full-text' and works.label = labels.label and works.other_version = 0 group by works.work`,
  )) {
    const hasFile = outcome === 'saved' || outcome === 'own';
    if (label === 'excluded') {
      found.excluded += 1;
      why[said] = (why[said] ?? 0) + 1;
    } else {
      found.included += 1;
      const missing = outcome === 'waiting' ? 'not-tried-yet' : reason;
      if (!hasFile) {
        found.includedWithoutFile += 1;
        notTried[missing] = (notTried[missing] ?? 0) + 1;
      }
    }
  }
  return { ...found, why, notTried };
}

/** The number of works by outcome, with the names used in lists of works. */
export function outcomesOf(account: Account): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(STATES).flatMap(([outcome, state]) => (account[state] > 0 ? [[outcome, account[state]]] : [])),
  );
}

function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts)
      .filter(([, works]) => works > 0)
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
  );
}

function named(rows: Record<string, unknown>[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ name, n }) => [String(name), Number(n)]));
}

/** What one run did, counted by works and not by attempts, and what earlier runs left. */
export interface RunCounts {
  /** Works whose last outcome is from this run. */
  readonly outcomes: Readonly<Record<'saved' | 'skipped' | 'failed' | 'parked', number>>;
  readonly by_resolver: Readonly<Record<string, number>>;
  readonly by_reason: Readonly<Record<string, number>>;
  /** Why works of earlier runs have no file and were not tried again. */
  readonly earlier_by_reason: Readonly<Record<string, number>>;
  /** Works that will be tried again, with reason and time: the first of them, and their number. */
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
    by_reason: counts('works.reason', "outcomes.run = ? and works.outcome not in ('saved', 'unreadable')"),
    earlier_by_reason: counts('works.reason', "outcomes.run <> ? and works.outcome not in ('saved', 'unreadable')"),
    deferred: {
      works: store.get<{ n: number }>("select count(*) as n from works where outcome = 'parked'")?.n ?? 0,
      first: deferred.map(({ text }) => text),
    },
    given_up: givenUp.map(({ detail }) => detail),
  };
}
