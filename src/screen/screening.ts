import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';

import type * as z from 'zod';

import type { Clock } from '../base/index.ts';
import { AppError, sha256, systemClock } from '../base/index.ts';
import type { Journal } from '../journal/index.ts';
import type { Corpus } from '../corpus/index.ts';
import { stageManifestFolder } from '../corpus/index.ts';
import type { Choice, Phase, Protocol, ScreeningDecision, Standing } from '../database/index.ts';
import { CHOICES, CorpusStore, PHASES, Records, verdictOf } from '../database/index.ts';
import type { WorkRecord } from '../works/index.ts';
import { emptyRecord, yearOf } from '../works/index.ts';
import type { Ranking } from './background-ranking.ts';
import { BackgroundRanking } from './background-ranking.ts';
import type { Rankable } from './model.ts';
import { featuresOf, RankingModel } from './model.ts';
import type { candidate, screeningHead } from './shapes/index.ts';
import { isTimeToSample, promiseOf } from './stopping.ts';

/** A work as one reviewer sees it. */
export type Candidate = Omit<z.output<typeof candidate>, 'document'>;
type DecisionSummary = Candidate['decisions'][number];
export type ReviewStatus = Omit<z.output<typeof screeningHead>, 'run' | 'own' | 'conflicts'>;

type Given<Fields extends keyof ScreeningDecision> = {
  readonly [Field in Fields]?: NonNullable<ScreeningDecision[Field]> | undefined;
};
export type Decided = Pick<ScreeningDecision, 'work' | 'decision' | 'by'> & Given<'id' | 'phase' | 'reason' | 'note'>;
/** A decision made elsewhere or earlier, with its known details. */
export type Logged = Decided & Given<'at' | 'criteria'> & Partial<Pick<ScreeningDecision, 'rank'>>;
type ProtocolChange = { readonly [Field in keyof Omit<Protocol, 'version'>]?: Protocol[Field] | undefined };

const LONGEST_NAME = 100;
const LONGEST_TEXT = 4_000;
const MOST_REVIEWERS = 10;
/** Longest chain of aliases of one work; longer ones indicate damage. */
const MOST_STEPS = 10;
const NO_PROTOCOL: Protocol = { version: 0, reviewers: 1, question: '', criteria: '', reasons: [], highlight: [] };

type Verdict = Choice | 'conflict' | null;
type Screened = ScreeningDecision & { readonly sequence: number };
type Entry = Standing & Pick<Screened, 'sequence'>;

const ENTRY = ['decision', 'by', 'phase', 'reason', 'sequence'] as const;
const DECISION = ['id', 'work', 'phase', 'decision', 'by', 'at', 'reason', 'note', 'criteria', 'rank'] as const;

interface OpenOptions {
  readonly manifests?: string | undefined;
  /** Takes the decisions, and says when they are durable; by default the logs of the folder, at once. */
  readonly shared?: { readonly journal: Journal; settle(): Promise<void> } | undefined;
  readonly clock?: Clock;
  /** Creates nothing: a read-only folder can be read but not screened. */
  readonly asItIs?: boolean;
  /** Trains the ranking in a thread; `ready` waits for the first ranking. */
  readonly inBackground?: boolean;
}

/** Decisions are appended to `decisions.jsonl` before they count; several processes may screen one run. */
export class Screening implements Disposable {
  readonly records: Records;
  readonly #store: CorpusStore;
  readonly #clock: Clock;
  readonly #shared: OpenOptions['shared'];
  readonly #background: BackgroundRanking | undefined;
  #seen = '';
  #works: readonly string[] = [];
  #rows = new Map<string, number>();
  /** Works with a better version, mapped to it. */
  #best: ReadonlyMap<string, string> = new Map();
  #decisions = new Map<number, readonly Entry[]>();
  #verdicts: Readonly<Record<Phase, Verdict[]>> = { 'title-abstract': [], 'full-text': [] };
  #protocol: Protocol = NO_PROTOCOL;
  #model: RankingModel | undefined;
  #modelOf = '';
  #scores: Float64Array = new Float64Array();
  #isTrained = false;
  #drawn: { readonly seed: string; readonly works: readonly string[]; readonly rows: readonly number[] } | undefined;

  private constructor(
    store: CorpusStore,
    { clock = systemClock, manifests, shared, inBackground = false }: OpenOptions,
  ) {
    this.#shared = shared;
    this.#store = store;
    this.records = new Records(store);
    this.#clock = clock;
    if (inBackground)
      this.#background = new BackgroundRanking({ folder: store.folder, manifests }, (ranking) => {
        // If works were added or removed meanwhile, another ranking is under way.
        if (ranking.of === this.#namesOf()) this.#scores = ranking.scores;
      });
  }

  static open(folder: string, options: OpenOptions = {}): Screening {
    const { manifests, shared, asItIs = false } = options;
    const journal = shared?.journal;
    const store = asItIs
      ? CorpusStore.open(folder, { manifests, journal })
      : CorpusStore.create(folder, { manifests, journal });
    return new Screening(store, options);
  }

  [Symbol.dispose](): void {
    this.#background?.[Symbol.dispose]();
    this.#store[Symbol.dispose]();
  }

  get protocol(): Protocol {
    this.#look();
    return this.#protocol;
  }

  get works(): readonly string[] {
    this.#look();
    return this.#works;
  }

  /** Resolves once works are ranked by the current decisions; later ones are learnt in the background. */
  async ready(): Promise<void> {
    this.#look();
    if (!this.#background || (this.#isTrained && this.#background.error === undefined)) return;
    this.#isTrained = true;
    const isFirst = this.#scores.length !== this.#works.length || this.#background.error !== undefined;
    const ranked = this.#background.request();
    if (isFirst) await ranked;
  }

  /** Changes the protocol; omitted fields stay. Returns the new version. */
  setProtocol(change: ProtocolChange, by: string): Protocol {
    const before = this.protocol;
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const after = { ...before, ...given };
    if (!Number.isInteger(after.reviewers) || after.reviewers < 1 || after.reviewers > MOST_REVIEWERS)
      throw new AppError('USAGE_REVIEWERS', `expected 1 to ${MOST_REVIEWERS} reviewers`);
    if (JSON.stringify(after) === JSON.stringify(before)) return before;
    const version = before.version + 1;
    this.records.screen([{ kind: 'protocol', ...after, version, by: nameOf(by), at: this.#now() }]);
    this.#seen = '';
    return this.protocol;
  }

  /** Likeliest works first, or the random sample once it has started; unsure ones come again at the end. */
  next(by: string, options: { readonly phase?: Phase; readonly limit?: number } = {}): Candidate[] {
    const { phase = 'title-abstract', limit = 1 } = options;
    this.#look();
    this.#train();
    const sample = phase === 'title-abstract' ? this.#sampleRows() : undefined;
    const { open, unsure } = this.#openFor(nameOf(by), phase);
    const isDone = open.length === 0 || this.#sampled(sample)?.isReached === true;
    const places = sample && new Map(sample.map((row, place) => [row, place]));
    // Works that another reviewer decided about before the sample come first.
    const place = (row: number): number => places?.get(row) ?? (places ? -1e9 : 0) - (this.#scores[row] ?? 0);
    const first = limit === 1 ? least(open, place) : open.sort((a, b) => place(a) - place(b) || a - b);
    return [...(isDone ? unsure : []), ...first]
      .slice(0, limit)
      .map((row) => this.#candidate(row, by, places?.has(row) ?? false));
  }

  candidate(work: string, by: string): Candidate | undefined {
    this.#look();
    const row = this.#rows.get(this.#idOf(work));
    if (row === undefined) return undefined;
    this.#train();
    return this.#candidate(row, by, this.#sampleRows()?.includes(row) ?? false);
  }

  /**
   * Logs a decision, which is on the disk when this returns, or on the server after `settle`. Sending it again changes
   * nothing.
   */
  decide(given: Decided): void {
    this.decideAll([given]);
  }

  decideAll(given: readonly Logged[]): void {
    this.#look();
    const version = this.#protocol.version;
    const rows = given.map((each): ScreeningDecision & { readonly kind: 'screened' } => {
      const { id = randomUUID(), phase = 'title-abstract', decision, by, reason, note } = each;
      const work = this.#idOf(each.work);
      const row = this.#rows.get(work);
      if (row === undefined)
        throw new AppError('USAGE_WORK', `there is no work "${work.slice(0, 100)}" to screen here`);
      if (!PHASES.includes(phase) || !CHOICES.includes(decision))
        throw new AppError('USAGE_DECISION', `expected one of ${CHOICES.join(', ')} in ${PHASES.join(' or ')}`);
      if (phase === 'full-text' && decision === 'exclude' && textOf(reason) === null)
        throw new AppError('USAGE_REASON', 'a work that is excluded by its full text needs a reason', {
          hint: 'PRISMA counts them: population, outcome, design …',
        });
      return {
        kind: 'screened',
        id: id.slice(0, LONGEST_NAME),
        work,
        phase,
        decision,
        by: nameOf(by),
        at: each.at?.slice(0, LONGEST_NAME) ?? this.#now(),
        reason: textOf(reason),
        note: textOf(note),
        criteria: each.criteria ?? version,
        rank: each.rank === undefined ? this.#rankOf(row) : each.rank,
      };
    });
    this.records.screen(rows);
    if (this.#isOurs()) for (const work of new Set(rows.map((row) => row.work))) this.#read(work);
    else this.#seen = '';
    this.#isTrained = false;
  }

  /** Resolves when all decisions are durable, and counted here: at once, unless they go to a server. */
  async settle(): Promise<void> {
    await this.#shared?.settle();
  }

  /** Undoes a reviewer's last decision; returns its work, or undefined if there is none. */
  undo(by: string, phase?: Phase): string | undefined {
    this.#look();
    const last = this.#store.get<Pick<Screened, 'id' | 'work'>>(
      'select id, work from screened where by = ?1 and undone = 0 and (?2 is null or phase = ?2) order by sequence desc limit 1',
      nameOf(by),
      phase ?? null,
    );
    if (!last) return undefined;
    this.records.screen([{ kind: 'undone', of: last.id, work: last.work, by: nameOf(by), at: this.#now() }]);
    this.#seen = '';
    this.#isTrained = false;
    return this.#idOf(last.work);
  }

  /** Starts a random sample of the undecided works, which shows when to stop. */
  sample(by: string): void {
    this.#look();
    this.records.screen([{ kind: 'sample', seed: randomUUID(), by: nameOf(by), at: this.#now() }]);
    this.#seen = '';
  }

  train(): Ranking {
    this.#look();
    this.#train();
    return { of: this.#namesOf(), scores: this.#scores };
  }

  status(): ReviewStatus {
    this.#look();
    const decisions = [...this.#decisions.values()];
    const sample = this.#sampleRows();
    return {
      protocol: this.#protocol,
      phases: { 'title-abstract': this.#counts('title-abstract'), 'full-text': this.#counts('full-text') },
      sample: this.#sampled(sample),
      isTimeToSample: sample === undefined && isTimeToSample(this.#inOrder(), this.#works.length),
      agreement: agreementOf(decisions),
      reviewers: [...new Set(decisions.flatMap((rows) => rows.map(({ by }) => by)))].sort(),
    };
  }

  /** How many works a reviewer has decided about in a phase. */
  decidedBy(by: string, phase: Phase): number {
    this.#look();
    const isOwn = (each: { readonly by: string; readonly phase: Phase }): boolean =>
      each.by === by && each.phase === phase;
    return [...this.#decisions.values()].filter((rows) => rows.some(isOwn)).length;
  }

  /** What a reviewer has decided in a phase: the last decision about each work, in the order in which they were made. */
  madeBy(by: string, phase: Phase): readonly Pick<Screened, 'work' | 'decision' | 'reason'>[] {
    this.#look();
    const made = new Map<string, Pick<Screened, 'work' | 'decision' | 'reason'>>();
    for (const { by: who, phase: at, work: named, ...more } of this.#screened([
      'work',
      'decision',
      'reason',
      'by',
      'phase',
    ])) {
      if (who !== by || at !== phase) continue;
      const work = this.#idOf(named);
      made.delete(work);
      made.set(work, { work, ...more });
    }
    return [...made.values()];
  }

  /** The verdict on a work: that on the full text if there is one. */
  verdict(work: string): Verdict {
    this.#look();
    const row = this.#rows.get(this.#idOf(work)) ?? -1;
    return this.#verdicts['full-text'][row] ?? this.#verdicts['title-abstract'][row] ?? null;
  }

  decisionOf(work: string, by: string, phase: Phase): Choice | undefined {
    this.#look();
    const rows = this.#decisions.get(this.#rows.get(this.#idOf(work)) ?? -1) ?? [];
    return rows.findLast((each) => each.by === by && each.phase === phase)?.decision;
  }

  /** The record of a work; only a title if it is known only from a list. */
  record(work: string): WorkRecord {
    const known = this.records.get(work);
    if (known) return known;
    const listed = this.#store.get<{ title: string | null }>('select title from works where work = ?', work);
    return { ...emptyRecord(work), title: listed?.title ?? null };
  }

  conflicts(phase: Phase = 'title-abstract') {
    this.#look();
    return this.#works
      .filter((_, row) => this.#verdicts[phase][row] === 'conflict')
      .map((work) => {
        const decisions = this.#decisionsOf(work).filter((each) => each.phase === phase);
        return { work, title: this.record(work).title, decisions };
      });
  }

  *all(): Generator<ScreeningDecision> {
    this.#look();
    for (const row of this.#screened(DECISION)) yield { ...row, work: this.#idOf(row.work) };
  }

  /** Reads what any process has written since the last call. */
  #look(): void {
    this.#store.ingest();
    if (this.#seen === this.#store.version) return;
    this.#seen = this.#store.version;
    this.#best = new Map(
      this.records
        .versionGroups()
        .flatMap(([best, ...others]) => others.map(({ id }) => [id, best?.id ?? id] as const)),
    );
    this.#readWorks();
    this.#protocol = this.#lastProtocol();
    this.#decisions = Map.groupBy(
      this.#screened(['work', ...ENTRY]),
      ({ work }) => this.#rows.get(this.#idOf(work)) ?? -1,
    );
    this.#decisions.delete(-1);
    this.#verdicts = { 'title-abstract': this.#works.map(() => null), 'full-text': this.#works.map(() => null) };
    for (const at of this.#decisions.keys()) this.#judge(at);
    this.#isTrained = false;
  }

  /** Reads the works in row order; scores stay with their works. */
  #readWorks(): void {
    const works = this.#store.column(
      "select work from works where other_version = 0 and outcome <> 'unreadable' order by row",
    );
    if (works.length === this.#works.length && works.every((work, row) => work === this.#works[row])) return;
    const [rows, scores] = [this.#rows, this.#scores];
    this.#works = works;
    this.#rows = new Map(works.map((work, row) => [work, row]));
    if (scores.length > 0) this.#scores = Float64Array.from(works, (work) => scores[rows.get(work) ?? -1] ?? 0);
  }

  #lastProtocol(): Protocol {
    const row = this.#store.get<Protocol & { reasons: string; highlight: string }>(
      'select version, reviewers, question, criteria, reasons, highlight from protocols order by version desc limit 1',
    );
    if (!row) return NO_PROTOCOL;
    const list = (json: string): string[] => this.#store.parse<string[]>(json);
    return { ...row, reasons: list(row.reasons), highlight: list(row.highlight) };
  }

  /** Decisions that were not undone, in order: all, or about one work under any of its ids. */
  #screened<C extends keyof Screened>(columns: readonly C[], work?: string): IterableIterator<Pick<Screened, C>> {
    const about = 'and (work = ?1 or work in (select id from work_ids where work_ids.work = ?1))';
    const sql = `select ${columns.join(', ')} from screened where undone = 0 ${work === undefined ? '' : about} order by sequence`;
    return this.#store.iterate<Pick<Screened, C>>(sql, ...(work === undefined ? [] : [work]));
  }

  #namesOf(): string {
    return sha256(this.#works.join('\n'));
  }

  /** Whether only our own decisions have changed the database since the last read. */
  #isOurs(): boolean {
    const [others] = this.#seen.split('.');
    const [now] = this.#store.version.split('.');
    if (others !== now) return false;
    this.#seen = this.#store.version;
    return true;
  }

  #read(work: string): void {
    const row = this.#rows.get(work) ?? -1;
    this.#decisions.set(row, [...this.#screened(ENTRY, work)]);
    this.#judge(row);
  }

  #judge(row: number): void {
    const decisions = this.#decisions.get(row) ?? [];
    for (const phase of PHASES)
      this.#verdicts[phase][row] =
        verdictOf(
          decisions.filter((each) => each.phase === phase),
          this.#protocol.reviewers,
        )?.verdict ?? null;
  }

  /** Since the decision, a work may have got another id or become a version of another one. */
  #idOf(work: string): string {
    let name = work;
    for (let step = 0; step < MOST_STEPS && !this.#rows.has(name); step += 1) {
      const next = [this.records.idOf(name), this.#best.get(name)].find((each) => each !== name);
      if (next === undefined) break;
      name = next;
    }
    return name;
  }

  #isInPhase(row: number, phase: Phase): boolean {
    return phase === 'title-abstract' || this.#verdicts['title-abstract'][row] === 'include';
  }

  /** Works that this reviewer has not decided, and works marked unsure, oldest first. */
  #openFor(by: string, phase: Phase): { readonly open: number[]; readonly unsure: readonly number[] } {
    const open: number[] = [];
    const unsure: { readonly row: number; readonly sequence: number }[] = [];
    for (let row = 0; row < this.#works.length; row += 1) {
      const verdict = this.#verdicts[phase][row] ?? null;
      if (verdict === 'include' || verdict === 'exclude' || !this.#isInPhase(row, phase)) continue;
      const own = this.#decisions.get(row)?.findLast((each) => each.by === by && each.phase === phase);
      if (own?.decision === 'maybe') unsure.push({ row, sequence: own.sequence });
      else if (own === undefined && verdict !== 'maybe') open.push(row);
    }
    return { open, unsure: unsure.sort((a, b) => a.sequence - b.sequence).map(({ row }) => row) };
  }

  #counts(phase: Phase): ReviewStatus['phases'][Phase] {
    const verdicts = this.#verdicts[phase].filter((_, row) => this.#isInPhase(row, phase));
    const count = (verdict: Verdict): number => verdicts.filter((each) => each === verdict).length;
    return {
      works: verdicts.length,
      included: count('include'),
      excluded: count('exclude'),
      maybe: count('maybe'),
      conflicts: count('conflict'),
      undecided: count(null),
    };
  }

  /** For each decided work, in order of decision, whether it was included. */
  #inOrder(): boolean[] {
    const decided = Array.from(this.#decisions, ([row, rows]) => ({
      sequence: rows[0]?.sequence ?? 0,
      verdict: this.#verdicts['title-abstract'][row],
    })).filter(({ verdict }) => verdict === 'include' || verdict === 'exclude');
    return decided.sort((a, b) => a.sequence - b.sequence).map(({ verdict }) => verdict === 'include');
  }

  /** The works of the last sample in drawing order; undefined before the first. */
  #sampleRows(): readonly number[] | undefined {
    const sample = this.#store.get<{ seed: string; after: number }>(
      'select seed, after from samples order by sequence desc limit 1',
    );
    if (!sample) return undefined;
    if (this.#drawn?.seed !== sample.seed || this.#drawn.works !== this.#works) {
      const places = this.#works.map((work, row) => [sha256(`${sample.seed} ${work}`), row] as const);
      const drawn = places.sort(([a], [b]) => (a < b ? -1 : 1));
      this.#drawn = { seed: sample.seed, works: this.#works, rows: drawn.map(([, row]) => row) };
    }
    return this.#drawn.rows.filter((row) => (this.#decisions.get(row)?.[0]?.sequence ?? Infinity) > sample.after);
  }

  #sampled(sample: readonly number[] | undefined): ReviewStatus['sample'] {
    if (!sample) return null;
    const verdicts = this.#verdicts['title-abstract'];
    let [read, found] = [0, 0];
    for (const row of sample) {
      const verdict = verdicts[row] ?? null;
      if (verdict === null || verdict === 'conflict') break;
      read += 1;
      // An unsure work may be relevant, so it counts as found.
      if (verdict !== 'exclude') found += 1;
    }
    const inSample = new Set(sample);
    const foundBefore = verdicts.filter((verdict, row) => verdict === 'include' && !inSample.has(row)).length;
    const population = sample.length;
    const hidden = read === 0 ? population : (found / read) * (population - read);
    const all = foundBefore + found;
    const estimate = all + hidden === 0 ? 1 : all / (all + hidden);
    const promise = promiseOf({ foundBefore, population, read, found });
    // A work in conflict may be relevant: it has to be settled before reading may stop.
    const isReached = promise.isReached && !verdicts.includes('conflict');
    return { ...promise, isReached, population, read, found, estimate };
  }

  #train(): void {
    if (this.#isTrained) return;
    this.#isTrained = true;
    if (this.#background) {
      // Scores are replaced when they arrive; the next `ready` reports a failure.
      void this.#background.request();
      return;
    }
    const asked = `${this.#protocol.question}\n${this.#namesOf()}`;
    if (!this.#model || asked !== this.#modelOf) {
      this.#modelOf = asked;
      this.#model = new RankingModel(featuresOf(this.#texts()), this.#protocol.question);
    }
    const decided = new Map<number, boolean>();
    for (const [row, decisions] of this.#decisions) {
      // A decision affects the ranking before the other reviewers have decided.
      const verdict =
        this.#verdicts['title-abstract'][row] ??
        decisions.findLast(({ phase }) => phase === 'title-abstract')?.decision;
      if (verdict === 'include' || verdict === 'exclude') decided.set(row, verdict === 'include');
    }
    this.#model.train(decided);
    this.#scores = this.#model.scores();
  }

  #texts(): Rankable[] {
    const texts = new Map<string, Rankable>();
    const rows = this.#store.iterate<Record<'id', string> & Record<'title' | 'abstract' | 'cited', string | null>>(
      `select work as id, works.title, record ->> '$.abstract' as abstract, record -> '$.references' as cited
       from works left join records on records.id = works.work`,
    );
    for (const { id, title, abstract, cited } of rows)
      texts.set(id, {
        id,
        title: title ?? '',
        abstract: abstract ?? '',
        references: this.#store.parse<string[]>(cited ?? '[]'),
      });
    return this.#works.map((id) => texts.get(id) ?? { id, title: '', abstract: '', references: [] });
  }

  /** The rank of a work among works without a verdict; null before the first ranking. */
  #rankOf(row: number): number | null {
    const own = this.#scores[row];
    if (own === undefined || this.#scores.length !== this.#works.length) return null;
    const verdicts = this.#verdicts['title-abstract'];
    let rank = 1;
    for (const [at, score] of this.#scores.entries())
      if ((score > own || (score === own && at < row)) && verdicts[at] !== 'include' && verdicts[at] !== 'exclude')
        rank += 1;
    return rank;
  }

  #candidate(row: number, by: string, isSampled: boolean): Candidate {
    const work = this.#works[row] ?? '';
    const decisions = this.#decisionsOf(work).filter(
      (each) => each.by === by || (this.#verdicts[each.phase][row] ?? null) !== null,
    );
    const record = this.record(work);
    return {
      work,
      rank: this.#rankOf(row) ?? 0,
      is_sampled: isSampled,
      title: record.title,
      abstract: record.abstract ?? '',
      authors: record.authors.map(({ name }) => name),
      year: yearOf(record),
      venue: record.venue,
      doi: record.ids.doi,
      decisions,
    };
  }

  #decisionsOf(work: string): DecisionSummary[] {
    return [...this.#screened(['by', 'decision', 'phase', 'reason', 'note', 'at'], work)];
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

export function openScreening(
  { folder, config, shared }: Pick<Corpus, 'folder' | 'config' | 'shared'>,
  options: Pick<OpenOptions, 'inBackground'> = {},
): Screening {
  if (!existsSync(folder))
    throw new AppError('USAGE_RUN', `${folder} does not exist`, {
      hint: 'docstokg run and docstokg screen --add create one',
    });
  return Screening.open(folder, {
    ...options,
    manifests: stageManifestFolder(config),
    shared,
    asItIs: true,
  });
}

/** Opened on first use and ranked in the background, for long-running processes. */
export function screeningOnDemand(corpus: Corpus): (() => Screening) & Disposable {
  let opened: Screening | undefined;
  const open = (): Screening => (opened ??= openScreening(corpus, { inBackground: true }));
  return Object.assign(open, { [Symbol.dispose]: () => opened?.[Symbol.dispose]() });
}

/** The element with the lowest value, as a list; the first of equal ones. */
function least(rows: readonly number[], value: (row: number) => number): number[] {
  let best: { readonly row: number; readonly at: number } | undefined;
  for (const row of rows) {
    const at = value(row);
    if (!best || at < best.at) best = { row, at };
  }
  return best ? [best.row] : [];
}

function nameOf(by: string): string {
  const name = by.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_NAME);
  if (name !== '') return name;
  throw new AppError('USAGE_REVIEWER', 'a decision needs the name of the reviewer', { hint: '--by ada' });
}

function textOf(text: string | undefined): string | null {
  const trimmed = text?.trim().slice(0, LONGEST_TEXT) ?? '';
  return trimmed === '' ? null : trimmed;
}

/** Agreement on title and abstract of each work's first two reviewers, by their first decisions. */
export function agreementOf(works: Iterable<readonly Standing[]>): ReviewStatus['agreement'] {
  const pairs: (readonly [string, string])[] = [];
  for (const decisions of works) {
    const first = new Map<string, string>();
    for (const { by, decision, phase } of decisions)
      if (phase === 'title-abstract' && !first.has(by)) first.set(by, decision);
    const [a, b] = [...first]
      .slice(0, 2)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, decision]) => decision);
    if (a !== undefined && b !== undefined) pairs.push([a, b]);
  }
  if (pairs.length === 0) return null;
  const agreed = pairs.filter(([a, b]) => a === b).length / pairs.length;
  const share = (choice: string, who: 0 | 1): number =>
    pairs.filter((pair) => pair[who] === choice).length / pairs.length;
  const chance = ['include', 'exclude', 'maybe'].reduce((sum, choice) => sum + share(choice, 0) * share(choice, 1), 0);
  return { works: pairs.length, agreed, kappa: chance === 1 ? 1 : (agreed - chance) / (1 - chance) };
}
