import type { AttemptRow, ManifestRow } from '../download/index.ts';
import { ResolverAccount } from '../download/index.ts';
import { escapeHtml } from '../parse/index.ts';
import type { CorpusStore, HostRow, Phase, Standing } from '../database/index.ts';
import { STEPS, verdictOf } from '../database/index.ts';
import { sentenceOf } from './works/work-table.ts';

/** What each count means, for every view of a corpus. */
const COUNTS = {
  listed: 'Works that lists, searches and papers named, each once; entries that name no work are not among them.',
  downloaded: 'Listed works of which there is a downloaded file.',
  local: 'Listed works that are papers of the user’s own.',
  deferred: 'Listed works that a host deferred; they are tried again.',
  failed: 'Listed works that failed for a reason that may pass; `retry-failed` or a later run tries them again.',
  unavailable: 'Listed works of which no source has an open full text.',
  waiting: 'Listed works that were not tried yet.',
  downloaded_this_run: 'Works whose file this run downloaded.',
  downloaded_earlier: 'Works whose file an earlier run downloaded.',
  unidentified:
    'Listed works known only by the title, authors and year of their entry: no service knows an id (grey literature).',
  unreadable_entries: 'Entries of input files with neither an id nor a title.',
  repeated_entries: 'Entries of lists that name a work which another entry named, under the same id or another one.',
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

/** Counts of a corpus; `COUNTS` says what each counts, in the order of a summary. */
export interface Account {
  readonly listed: number;
  readonly included: number;
  readonly excluded: number;
  readonly downloaded_this_run: number;
  readonly downloaded_earlier: number;
  readonly unidentified: number;
  readonly unreadable_entries: number;
  readonly repeated_entries: number;
  readonly other_versions: number;
  readonly retracted: number;
  readonly parsed: number;
  readonly partial: number;
  readonly scans: number;
  readonly chunked: number;
  readonly embedded: number;
  readonly failed_documents: number;
  /** Why listed works have no file. */
  readonly by_reason: Record<string, number>;
  readonly by_resolver: Record<string, number>;
  /** Listed works by input file; a work in several files counts in each. */
  readonly listed_by_file: Record<string, number>;
  /** Entries of each file that name a work which an earlier entry of it named. */
  readonly repeated_by_file: Record<string, number>;
  readonly unreadable_by_file: Record<string, number>;
  /** The same works as counted by a PRISMA 2020 flow diagram; each line is a part of the one before. */
  readonly prisma: {
    identified: number;
    removed_before_screening: {
      unreadable_entries: number;
      duplicates: number;
    };
    /** What is left to screen: the screened and those that are not. */
    records: number;
    /**
     * Records known by title, authors and year only, because no service has an id for them; screened like the others.
     */
    unidentified: number;
    /** Works that a person labelled; 0 before any screening. */
    screened: number;
    /** Works without a label: not read yet, unread because the stopping rule was met, or not settled. */
    not_screened: number;
    /** Of those, works that somebody has decided about. */
    not_screened_unsettled: Unsettled;
    /** Excluded by title and abstract. */
    excluded: number;
    /** Works not excluded by title and abstract; all works before any screening. */
    sought: number;
    not_retrieved: number;
    not_retrieved_by_reason: Record<string, number>;
    /** Works with a file or an assessed full text that title and abstract did not exclude. */
    retrieved: number;
    /** Works that a person included or excluded by their full text. */
    assessed: number;
    not_assessed: number;
    /** Of those, works about whose full text somebody has decided. */
    not_assessed_unsettled: Unsettled;
    excluded_by_full_text: number;
    excluded_by_full_text_reasons: Record<string, number>;
    /** Included by full text. */
    included: number;
  };
  readonly deferred: number;
  readonly downloaded: number;
  readonly failed: number;
  readonly local: number;
  readonly unavailable: number;
  readonly waiting: number;
}

/** Works with decisions that do not settle them. */
interface Unsettled {
  /** Waiting for the decision of another reviewer. */
  waiting: number;
  /** The reviewers disagree. */
  in_conflict: number;
  /** Decided as maybe. */
  unsure: number;
}

/** Counts of works by their outcome. */
const STATES = {
  downloaded: 'saved',
  local: 'local',
  deferred: 'parked',
  failed: 'failed',
  unavailable: 'skipped',
  waiting: 'waiting',
} as const;

const HAS_FILE = "outcome in ('saved', 'local')";
const IS_ENTRY = "work >= 'entry:' and work < 'entry;'";
const IS_BEST = "outcome <> 'unreadable' and other_version = 0";
const WHY_MISSING = "iif(outcome = 'waiting', 'not-tried-yet', reason)";

/** Counts a corpus. `run` is the id of the current run. */
export function accountOf(store: CorpusStore, run?: string): Account {
  const count = (where: string): number => store.number(`select sum(rows) from works_tally where ${where}`);
  const by = (what: string, where: string): Record<string, number> =>
    countsOf(store, `select ${what}, sum(rows) from works_tally where ${where} group by 1 order by 2 desc, 1`);
  const states = Object.entries(STATES).map(([state, outcome]) => [state, count(`outcome = '${outcome}'`)]);
  const works = {
    listed: count("outcome <> 'unreadable'"),
    ...(Object.fromEntries(states) as Record<keyof typeof STATES, number>),
  };
  const unreadable = count("outcome = 'unreadable'");
  const others = works.listed - count(IS_BEST);
  const screened = {
    included: count(`${IS_BEST} and label = 'included'`),
    excluded: count(`${IS_BEST} and label = 'excluded'`),
  };
  const now = store.number(
    `select count(*) from works join outcomes on outcomes.sequence = works.sequence
     where works.outcome = 'saved' and outcomes.run = ?`,
    run ?? null,
  );
  // A work that was tried under several names repeats all but one of them.
  const repeated =
    store.number("select count(distinct work) from outcomes where work not like 'entry:%'") -
    store.count("works where tried not like 'entry:%'") +
    store.number(
      // An entry that was identified since is counted under its work.
      "select sum(times) from repeated_entries where work not like 'entry:%' or work in (select work from works)",
    );
  const byText = assessedWorks(store);
  const records = works.listed - others;
  const labelled = screened.included + screened.excluded;
  // Before any screening all works are sought, afterwards only the included ones.
  const wanted = labelled > 0 ? `${IS_BEST} and label = 'included'` : IS_BEST;
  const notRetrieved = by(WHY_MISSING, `${wanted} and not ${HAS_FILE}`);
  // The full text of an assessed work is available, whether or not it was downloaded here.
  for (const [reason, read] of Object.entries(byText.notTried))
    notRetrieved[reason] = (notRetrieved[reason] ?? 0) - read;
  const excluded = screened.excluded - byText.excluded;
  const sought = (labelled > 0 ? labelled : records) - excluded;
  const retrieved = count(`${wanted} and ${HAS_FILE}`) + byText.excluded + byText.includedWithoutFile;
  const assessed = byText.included + byText.excluded;
  const counts = {
    ...works,
    downloaded_this_run: now,
    downloaded_earlier: works.downloaded - now,
    unidentified: store.count(`works where ${IS_ENTRY} and outcome <> 'unreadable'`),
    unreadable_entries: unreadable,
    repeated_entries: repeated,
    other_versions: others,
    ...screened,
    retracted: store.count("works where retracted = 1 and outcome <> 'unreadable'"),
    parsed: countStep(store, 'parsed', 'success'),
    partial: store.count('document_steps where partial = 1'),
    scans: countStep(store, 'parsed', 'needs-ocr'),
    chunked: countStep(store, 'chunked', 'success'),
    embedded: countStep(store, 'embedded', 'success'),
    failed_documents: store.number("select count(distinct document) from document_steps where ended = 'failure'"),
  } satisfies Readonly<Record<keyof typeof COUNTS, number>>;
  return {
    ...counts,
    by_reason: by('reason', `outcome <> 'unreadable' and outcome <> 'waiting' and not ${HAS_FILE}`),
    by_resolver: countsOf(
      store,
      "select coalesce(resolver, 'unknown'), count(*) from works where outcome = 'saved' group by 1 order by 2 desc, 1",
    ),
    listed_by_file: countsOf(
      store,
      `select file, count(distinct listed_in.work) from listed_in join works using (work)
       where outcome <> 'unreadable' group by 1 order by 2 desc, 1`,
    ),
    repeated_by_file: countsOf(
      store,
      `select file, sum(times) - count(distinct listed_in.work) as repeated from listed_in group by 1
       having repeated > 0 order by 2 desc, 1`,
    ),
    unreadable_by_file: countsOf(
      store,
      `select substr(work, 7, instr(work, '#') - 7), count(*) from works
       where ${IS_ENTRY} and outcome = 'unreadable' group by 1 order by 2 desc, 1`,
    ),
    prisma: {
      identified: works.listed + unreadable + repeated,
      removed_before_screening: { unreadable_entries: unreadable, duplicates: repeated + others },
      records,
      unidentified: store.count(`works where ${IS_ENTRY} and ${IS_BEST}`),
      screened: labelled,
      not_screened: records - labelled,
      not_screened_unsettled: unsettledWorks(store, 'title-abstract'),
      excluded,
      sought,
      not_retrieved: sought - retrieved,
      not_retrieved_by_reason: sorted(notRetrieved),
      retrieved,
      assessed,
      not_assessed: retrieved - assessed,
      not_assessed_unsettled: unsettledWorks(store, 'full-text'),
      excluded_by_full_text: byText.excluded,
      excluded_by_full_text_reasons: byText.why,
      included: byText.included,
    },
  };
}

export function countStep(store: CorpusStore, step: 'parsed' | 'chunked' | 'embedded', ended: string): number {
  return store.number('select count(*) from document_steps where step = ? and ended = ?', step, ended);
}

/** Works whose full text was assessed, whether or not it was downloaded here. */
function assessedWorks(store: CorpusStore) {
  const assessed = `(
    select works.label, coalesce(max(labels.reason), 'no reason given') as said, works.outcome, works.reason
    from labels join works on works.work = coalesce(
      (select work from works as own where own.work = labels.work), (select work from work_ids where id = labels.work limit 1))
    where labels.phase = 'full-text' and works.label = labels.label and works.other_version = 0 group by works.work)`;
  const by = (what: string, where: string): Record<string, number> =>
    countsOf(store, `select ${what}, count(*) from ${assessed} where ${where} group by 1 order by 2 desc, 1`);
  return {
    included: store.count(`${assessed} where label = 'included'`),
    includedWithoutFile: store.count(`${assessed} where label = 'included' and not ${HAS_FILE}`),
    notTried: by(WHY_MISSING, `label = 'included' and not ${HAS_FILE}`),
    excluded: store.count(`${assessed} where label = 'excluded'`),
    why: by('said', "label = 'excluded'"),
  };
}

/** Works that have decisions in a phase, but no verdict that counts. */
function unsettledWorks(store: CorpusStore, phase: Phase): Unsettled {
  const rows = store.all<Standing & { readonly work: string }>(
    `select works.work, screened.decision, screened.by, screened.phase, screened.reason
     from screened join works on works.work = coalesce(
       (select work from works as own where own.work = screened.work), (select work from work_ids where id = screened.work limit 1))
     where screened.undone = 0 and screened.phase = :phase and ${IS_BEST}
       and works.label = iif(:phase = 'full-text', 'included', '')
     order by screened.sequence`,
    { phase },
  );
  const reviewers = store.number('select coalesce((select reviewers from protocols order by version desc limit 1), 1)');
  const verdicts = [...Map.groupBy(rows, ({ work }) => work).values()].map((own) => verdictOf(own, reviewers)?.verdict);
  const count = (...of: (typeof verdicts)[number][]): number => verdicts.filter((each) => of.includes(each)).length;
  return { waiting: count(undefined), in_conflict: count('conflict'), unsure: count('maybe') };
}

/** The number of works by outcome, under the names used in lists of works. */
export function outcomesOf(account: Account): Readonly<Record<string, number>> {
  const states = Object.entries(STATES) as [keyof typeof STATES, string][];
  return Object.fromEntries(
    states.flatMap(([state, outcome]) => (account[state] > 0 ? [[outcome, account[state]]] : [])),
  );
}

function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts)
      .filter(([, works]) => works > 0)
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
  );
}

function countsOf(store: CorpusStore, sql: string, ...values: string[]): Record<string, number> {
  return Object.fromEntries(store.map<number>(sql, ...values));
}

const MOST_NAMED = 10;

export interface RunCounts {
  /** Works whose last outcome is from this run. */
  readonly outcomes: {
    saved: number;
    skipped: number;
    failed: number;
    parked: number;
  };
  readonly by_resolver: Record<string, number>;
  readonly by_reason: Record<string, number>;
  /** Why works of earlier runs have no file and were not tried again. */
  readonly earlier_by_reason: Record<string, number>;
  /** Works that will be tried again, with reason and time: the first of them, and their number. */
  readonly deferred: {
    works: number;
    first: string[];
  };
  readonly given_up: string[];
}

/** What one run did, counted by works and not by attempts, and what earlier runs left. */
export function runCountsOf(store: CorpusStore, run: string): RunCounts {
  const from = 'from works join outcomes on outcomes.sequence = works.sequence where';
  const by = (column: string, where: string): Record<string, number> =>
    countsOf(store, `select ${column}, count(*) ${from} ${where} group by 1 order by 2 desc, 1`, run);
  const ended = by('works.outcome', 'outcomes.run = ?');
  const deferred = store.column(
    `select works.tried || ': ' || works.reason || coalesce(', until ' || (outcomes.row ->> '$.retry_at'), '')
     ${from} works.outcome = 'parked' order by works.sequence limit ${MOST_NAMED}`,
  );
  const givenUp = store.column(
    `select distinct outcomes.row ->> '$.detail' as detail ${from} works.reason = 'host-given-up' and detail is not null limit ${MOST_NAMED}`,
  );
  return {
    outcomes: {
      saved: ended['saved'] ?? 0,
      skipped: ended['skipped'] ?? 0,
      failed: ended['failed'] ?? 0,
      parked: ended['parked'] ?? 0,
    },
    by_resolver: by("coalesce(works.resolver, 'unknown')", "outcomes.run = ? and works.outcome = 'saved'"),
    by_reason: by('works.reason', "outcomes.run = ? and works.outcome not in ('saved', 'unreadable')"),
    earlier_by_reason: by('works.reason', "outcomes.run <> ? and works.outcome not in ('saved', 'unreadable')"),
    deferred: { works: store.count("works where outcome = 'parked'"), first: deferred },
    given_up: givenUp,
  };
}

const [WIDTH, BOX, GAP, LINE] = [300, 330, 40, 18];

/** A PRISMA 2020 flow diagram. */
export function prismaSvg(counts: Account['prisma']): string {
  const { screened, not_screened: unscreened, assessed, not_assessed: unassessed } = counts;
  const n = (what: string, number: number): string => `${what} (n = ${number})`;
  const each = (numbers: Readonly<Record<string, number>>): string[] =>
    Object.entries(numbers).map(([what, number]) => n(what, number));
  const { duplicates, unreadable_entries: unreadable } = counts.removed_before_screening;
  const removed = ['Removed before screening:', n('duplicates', duplicates), n('unreadable entries', unreadable)];
  const { records, unidentified } = counts;
  const unsettled = ({ waiting, in_conflict: conflicts, unsure }: Unsettled): string[] => [
    ...(waiting > 0 ? [n('– waiting for another decision', waiting)] : []),
    ...(conflicts > 0 ? [n('– in conflict', conflicts)] : []),
    ...(unsure > 0 ? [n('– unsure', unsure)] : []),
  ];
  const left = [
    ...(unscreened > 0 ? [n('Records not screened', unscreened)] : []),
    ...unsettled(counts.not_screened_unsettled),
  ];
  /** The box in the middle, then the lines beside it. */
  const rows: readonly (readonly string[])[] = [
    [n('Records identified', counts.identified), ...removed],
    ...(unidentified > 0
      ? [
          [
            n('Records to screen', records),
            'Grey literature among them,',
            n('known by title, authors and year only', unidentified),
          ],
        ]
      : []),
    screened > 0
      ? [n('Records screened', screened), n('Records excluded', counts.excluded), ...left]
      : ['Records not screened yet', ...unsettled(counts.not_screened_unsettled)],
    [
      n('Reports sought', counts.sought),
      n('Reports not retrieved', counts.not_retrieved),
      ...each(counts.not_retrieved_by_reason),
    ],
    [n('Reports retrieved', counts.retrieved)],
    assessed > 0
      ? [
          n('Reports assessed for eligibility', assessed),
          `${n('Reports excluded', counts.excluded_by_full_text)}${counts.excluded_by_full_text > 0 ? ':' : ''}`,
          ...each(counts.excluded_by_full_text_reasons),
          ...(unassessed > 0 ? [n('Reports not assessed', unassessed)] : []),
          ...unsettled(counts.not_assessed_unsettled),
        ]
      : ['Reports not assessed for eligibility yet', ...unsettled(counts.not_assessed_unsettled)],
    ...(assessed > 0 ? [[n('Studies included', counts.included)]] : []),
  ];
  let y = 10;
  const parts: string[] = [];
  for (const [at, [main = '', ...side]] of rows.entries()) {
    const height = Math.max(2, side.length + 1) * LINE;
    parts.push(box(10, y, WIDTH, height, [main]));
    if (side.length > 0) {
      parts.push(box(WIDTH + 10 + GAP, y, BOX, height, side));
      parts.push(arrow(WIDTH + 10, y + height / 2, WIDTH + 10 + GAP, y + height / 2));
    }
    if (at < rows.length - 1) parts.push(arrow(10 + WIDTH / 2, y + height, 10 + WIDTH / 2, y + height + GAP));
    y += height + GAP;
  }
  const size = `${WIDTH + BOX + GAP + 20} ${y}`;
  const marker =
    '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" font-family="sans-serif" font-size="13">${marker}${parts.join('')}</svg>\n`;
}

function box(x: number, y: number, width: number, height: number, lines: readonly string[]): string {
  const text = lines
    .map((line, at) => `<tspan x="${x + 10}" y="${y + LINE * (at + 1)}">${escapeHtml(line)}</tspan>`)
    .join('');
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="none" stroke="black"/><text>${text}</text>`;
}

function arrow(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="black" marker-end="url(#a)"/>`;
}

const MOST_LOST = 30;

type AttemptAtHost = Pick<AttemptRow, 'url' | 'status' | 'bytes' | 'started_at'>;

/** Where full texts came from and what failed, by the last manifest row of every work. */
export function sourcesOf(store: CorpusStore) {
  const account = new ResolverAccount();
  const kinds: Record<string, number> = {};
  const reasons: Record<string, number> = {};
  const count = (counts: Record<string, number>, name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
  let [works, bytes] = [0, 0];
  for (const { row } of store.iterate<{ row: string }>(
    'select outcomes.row from works join outcomes on outcomes.sequence = works.sequence order by works.sequence',
  )) {
    const last = store.parse<ManifestRow>(row);
    account.add(last);
    works += 1;
    bytes += last.bytes ?? 0;
    if (last.outcome === 'saved') count(kinds, last.kind ?? 'unknown');
    for (const { reason } of last.attempts) if (reason !== 'success') count(reasons, reason);
  }
  return {
    works,
    bytes,
    /** Works for which each was asked, answered, had the saved file, and its attempts. */
    resolvers: Object.entries(account.lines)
      .map(([name, { asked, answered, kept, plans }]) => ({ name, asked, answered, saved: kept, attempts: plans }))
      .sort((a, b) => b.saved - a.saved || b.attempts - a.attempts || b.asked - a.asked || (a.name < b.name ? -1 : 1)),
    attempt_reasons: Object.entries(sorted(reasons)).map(([reason, attempts]) => ({
      reason,
      attempts,
      sentence: sentenceOf(reason),
    })),
    /** Hosts that did not deliver, with the number of works. */
    lost: Object.fromEntries(
      Object.entries(account.sources)
        .map(([host, line]) => [host, line.works] as const)
        .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
        .slice(0, MOST_LOST),
    ),
    kinds: sorted(kinds),
  };
}

export function attemptsAtHosts(store: CorpusStore): IterableIterator<AttemptAtHost> {
  return store.iterate<AttemptAtHost>(
    `select value ->> 'url' as url, value ->> 'status' as status, value ->> 'bytes' as bytes, value ->> 'started_at' as started_at
     from works join outcomes on outcomes.sequence = works.sequence, json_each(outcomes.row, '$.attempts')`,
  );
}

const SLOWEST = 5;
const MOST_FAILURES = 100;
/** Bounds of the buckets: from 0.01 s, each twice the previous one. */
const FIRST_BOUND_S = 0.01;
const MOST_BUCKETS = 30;

/** The times of the stages, from the last outcome of each document; stages without outcomes are omitted. */
export function stageTimes(store: CorpusStore) {
  return Object.entries(STEPS).flatMap(([name, step]) => {
    const from = `from document_steps where step = '${step}'`;
    const ended = store.map<number>(
      `select iif(ended = 'success' and seconds is null, 'skipped', ended), count(*) ${from} group by 1`,
    );
    if (ended.size === 0) return [];
    const good = store.all<{ document: string; seconds: number }>(
      `select document, seconds ${from} and ended = 'success' and seconds is not null order by seconds, document`,
    );
    const seconds = good.map((row) => row.seconds);
    const share = (part: number): number =>
      seconds[Math.min(seconds.length - 1, Math.floor(part * seconds.length))] ?? 0;
    const failed = `${from} and ended = 'failure'`;
    return [
      {
        name,
        succeeded: good.length,
        failed: ended.get('failure') ?? 0,
        /** Finished before this program logged it. */
        skipped: ended.get('skipped') ?? 0,
        needs_ocr: ended.get('needs-ocr') ?? 0,
        median_s: share(0.5),
        p95_s: share(0.95),
        max_s: share(1),
        histogram: histogram(seconds),
        slowest: good.slice(-SLOWEST).toReversed(),
        categories: countsOf(
          store,
          `select coalesce(category, 'unknown'), count(*) ${failed} group by 1 order by 2 desc, 1`,
        ),
        failures: store.all<{ document: string; category: string; message: string }>(
          `select document, coalesce(category, 'unknown') as category, substr(coalesce(failure, ''), 1, 400) as message
           ${failed} order by document limit ${MOST_FAILURES}`,
        ),
      },
    ];
  });
}

function histogram(sorted: readonly number[]) {
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return [];
  const bucket = (seconds: number): number =>
    Math.min(MOST_BUCKETS, Math.max(0, Math.ceil(Math.log2(seconds / FIRST_BOUND_S))));
  const counts = Map.groupBy(sorted, bucket);
  return Array.from({ length: bucket(most) - bucket(least) + 1 }, (_, at) => ({
    up_to_s: FIRST_BOUND_S * 2 ** (bucket(least) + at),
    documents: counts.get(bucket(least) + at)?.length ?? 0,
  }));
}

/** A run's requests to a host. Times are ISO 8601. */
export type HostFigures = Readonly<Record<'requests' | 'refused' | 'failed' | 'cap', number>> &
  Readonly<Record<'host' | 'last_at', string>> &
  Readonly<Record<'held_until' | 'held_why', string | null>>;

export type HostSlice = Omit<HostRow, 'kind' | 'done'> & Readonly<Record<'row' | 'refused' | 'failed', number>>;

export function hostFigures(store: CorpusStore): HostFigures[] {
  return store.all(
    `select host, requests, refused, failed, cap, last_at, held_until, held_why
     from hosts order by requests desc, host limit 20000`,
  );
}

export function hostSlices(store: CorpusStore): IterableIterator<HostSlice> {
  return store.iterate('select * from host_slices order by row');
}

/** Intervals after a row in which a host's delay grew. */
export function newHolds(store: CorpusStore, after: number): HostSlice[] {
  return store.all(
    `select * from host_slices as slice where row > ? and (asked_until is not null or held_until is not null)
       and not exists (select 1 from host_slices as before where before.host = slice.host and before.row < slice.row
         and (before.asked_until is not null or before.held_until is not null)
         and coalesce(before.held_until, before.asked_until) >= coalesce(slice.held_until, slice.asked_until))
     order by row`,
    after,
  );
}
