import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';

import type { Clock } from '../base/index.ts';
import { AppError, systemClock } from '../base/index.ts';
import { manifestFolder } from '../corpus/index.ts';
import type { Choice, Phase, Protocol, ScreeningDecision, Standing } from '../store/index.ts';
import { CHOICES, CorpusStore, PHASES, Records, verdictOf } from '../store/index.ts';
import type { WorkRecord } from '../works/index.ts';
import { emptyRecord } from '../works/index.ts';
import type { Agreement } from './agreement.ts';
import { agreementOf } from './agreement.ts';
import type { Rankable } from './features.ts';
import { featuresOf } from './features.ts';
import { DEFAULT_MODEL, RankingModel } from './model.ts';
import type { Promised } from './stopping.ts';
import { isTimeToSample, promiseOf } from './stopping.ts';

/** A work to decide about, as one reviewer sees it. */
export interface Candidate {
  readonly work: string;
  /** Its place among the works without a decision, the likeliest first. */
  readonly rank: number;
  /** Whether it comes from the random sample. */
  readonly isSampled: boolean;
  readonly record: WorkRecord;
  /** This reviewer's own decision, and those of others once the reviewer has decided. */
  readonly decisions: readonly Shown[];
}

export type Shown = Pick<ScreeningDecision, 'by' | 'decision' | 'phase' | 'reason' | 'note' | 'at'>;

/** How far a phase is. */
export interface PhaseCounts {
  /** Works to decide about in this phase. */
  readonly works: number;
  readonly included: number;
  readonly excluded: number;
  readonly maybe: number;
  readonly conflicts: number;
  /** Works about which somebody has still to decide. */
  readonly undecided: number;
}

/** How far a review is. */
export interface ReviewStatus {
  readonly protocol: Protocol;
  readonly phases: Readonly<Record<Phase, PhaseCounts>>;
  /** What the random sample allows to promise; null before it began. */
  readonly sample:
    | (Promised & {
        readonly population: number;
        readonly read: number;
        readonly found: number;
        /** The share of the included works that is likely found: what the sample suggests, not a promise. */
        readonly estimate: number;
      })
    | null;
  /** Ranked reading finds hardly anything any more: a random sample would say whether to stop. */
  readonly isTimeToSample: boolean;
  readonly agreement: Agreement | null;
  readonly reviewers: readonly string[];
}

/** A decision as it is made. */
export interface Decided {
  /** Made by whoever sends it, so that it may be sent again. */
  readonly id?: string | undefined;
  readonly work: string;
  readonly phase?: Phase | undefined;
  readonly decision: Choice;
  readonly by: string;
  readonly reason?: string | undefined;
  readonly note?: string | undefined;
}

/** A decision that was made elsewhere or before, with what is known of it. */
export interface Logged extends Decided {
  readonly at?: string | undefined;
  readonly criteria?: number | undefined;
  /** Null where the work was not ranked. */
  readonly rank?: number | null;
}

const LONGEST_NAME = 100;
const LONGEST_TEXT = 4_000;
const MOST_REVIEWERS = 10;
/** Names of one work that lead to each other: more are damage. */
const MOST_STEPS = 10;
const NO_PROTOCOL: Protocol = { version: 0, reviewers: 1, question: '', criteria: '', reasons: [], highlight: [] };

/**
 * The screening of a run: what to read next, what was decided, and whether enough was read. Decisions are appended to
 * `decisions.jsonl` before they count; several processes may screen one run.
 *
 * ```js
 * using screening = Screening.open('runs/coral');
 * const [next] = screening.next('ada');
 * if (next) screening.decide({ work: next.work, decision: 'include', by: 'ada' });
 * console.log(screening.status().phases['title-abstract'].undecided);
 * ```
 */
export class Screening implements Disposable {
  readonly #store: CorpusStore;
  readonly #records: Records;
  readonly #clock: Clock;
  #seen = '';
  #works: readonly string[] = [];
  #rows = new Map<string, number>();
  /** Works of which another record is a better version, and that one. */
  #best: ReadonlyMap<string, string> = new Map();
  #decisions = new Map<string, (Standing & { readonly sequence: number })[]>();
  #protocol: Protocol = NO_PROTOCOL;
  #model: RankingModel | undefined;
  #modelOf = '';
  #scores: Float64Array = new Float64Array();
  #isTrained = false;

  private constructor(store: CorpusStore, clock: Clock) {
    this.#store = store;
    this.#records = new Records(store);
    this.#clock = clock;
  }

  static open(
    folder: string,
    options: {
      readonly manifests?: string | undefined;
      readonly clock?: Clock;
      /** Makes nothing in a folder that cannot be written; it can be looked at, not screened. */
      readonly asItIs?: boolean;
    } = {},
  ): Screening {
    const { manifests, asItIs = false } = options;
    const store = asItIs ? CorpusStore.open(folder, { manifests }) : CorpusStore.create(folder, { manifests });
    try {
      return new Screening(store, options.clock ?? systemClock);
    } catch (error) {
      store[Symbol.dispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
  }

  get records(): Records {
    return this.#records;
  }

  get protocol(): Protocol {
    this.#look();
    return this.#protocol;
  }

  /** Changes how the review is done; what is not named stays. Answers the version in force. */
  setProtocol(change: Partial<Omit<Protocol, 'version'>>, by: string): Protocol {
    const before = this.protocol;
    const after = { ...before, ...change };
    if (!Number.isInteger(after.reviewers) || after.reviewers < 1 || after.reviewers > MOST_REVIEWERS)
      throw new AppError('USAGE_REVIEWERS', `expected 1 to ${MOST_REVIEWERS} reviewers`);
    if (JSON.stringify(after) === JSON.stringify(before)) return before;
    const version = before.version + 1;
    this.#records.screen([{ kind: 'protocol', ...after, version, by: nameOf(by), at: this.#now() }]);
    this.#seen = '';
    return this.protocol;
  }

  /** The works that a reviewer should decide about next: the likeliest first, or the random sample once it began. */
  next(by: string, options: { readonly phase?: Phase; readonly limit?: number } = {}): Candidate[] {
    const { phase = 'title-abstract', limit = 1 } = options;
    this.#look();
    this.#train();
    const open = this.#openFor(nameOf(by), phase);
    const sample = phase === 'title-abstract' ? this.#sampleOrder() : undefined;
    const ranks = this.#ranks();
    const isSampled = sample !== undefined;
    const place = sample ?? ranks;
    const first = open.toSorted((a, b) => (place.get(a) ?? Infinity) - (place.get(b) ?? Infinity) || (a < b ? -1 : 1));
    return first
      .slice(0, limit)
      .flatMap((work) => this.#candidate(work, by, ranks.get(work) ?? 0, isSampled && sample.has(work)));
  }

  /** One work as a reviewer sees it; undefined for one that is not screened. */
  candidate(work: string, by: string): Candidate | undefined {
    this.#look();
    if (!this.#rows.has(work)) return undefined;
    this.#train();
    return this.#candidate(work, by, this.#ranks().get(work) ?? 0, this.#sampleOrder()?.has(work) ?? false)[0];
  }

  /** Writes a decision down; it is on the disk when this returns. The same decision sent again changes nothing. */
  decide(given: Decided): void {
    this.decideAll([given]);
  }

  /** The same for many, such as those of a file. */
  decideAll(given: readonly Logged[]): void {
    this.#look();
    const version = this.#protocol.version;
    const ranks = this.#scores.length === this.#works.length ? this.#ranks() : new Map<string, number>();
    const rows = given.map((each): ScreeningDecision & { readonly kind: 'screened' } => {
      const { id = randomUUID(), phase = 'title-abstract', decision, by, reason, note } = each;
      const work = this.#idOf(each.work);
      if (!this.#rows.has(work))
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
        at: each.at ?? this.#now(),
        reason: textOf(reason),
        note: textOf(note),
        criteria: each.criteria ?? version,
        rank: each.rank === undefined ? (ranks.get(work) ?? null) : each.rank,
      };
    });
    this.#records.screen(rows);
    if (this.#isOurs()) for (const work of new Set(rows.map((row) => row.work))) this.#read(work);
    else this.#seen = '';
    this.#isTrained = false;
  }

  /** Takes a reviewer's last decision back; answers which work it was about, or undefined where there is none. */
  undo(by: string): string | undefined {
    this.#look();
    const last = this.#store.get<{ id: string; work: string }>(
      'select id, work from screened where by = ? and undone = 0 order by sequence desc limit 1',
      nameOf(by),
    );
    if (!last) return undefined;
    this.#records.screen([{ kind: 'undone', of: last.id, work: last.work, by: nameOf(by), at: this.#now() }]);
    this.#seen = '';
    this.#isTrained = false;
    return this.#idOf(last.work);
  }

  /** Begins a random sample of the works without a decision: what it shows says when to stop. */
  sample(by: string): void {
    this.#look();
    this.#records.screen([{ kind: 'sample', seed: randomUUID(), by: nameOf(by), at: this.#now() }]);
    this.#seen = '';
  }

  /** Learns from what was decided since. Called by `next`; a server calls it while nobody waits. */
  train(): void {
    this.#look();
    this.#train();
  }

  status(): ReviewStatus {
    this.#look();
    const phases = Object.fromEntries(PHASES.map((phase) => [phase, this.#counts(phase)])) as ReviewStatus['phases'];
    const rows = [...this.#decisions.values()].flat();
    return {
      protocol: this.#protocol,
      phases,
      sample: this.#sampled(),
      isTimeToSample: this.#lastSample() === undefined && isTimeToSample(this.#inOrder(), this.#works.length),
      agreement: agreementOf([...this.#decisions.values()]),
      reviewers: [...new Set(rows.map(({ by }) => by))].sort(),
    };
  }

  /** What the decisions about a work come to: that on the full text where there is one. */
  verdict(work: string): Choice | 'conflict' | null {
    this.#look();
    const id = this.#idOf(work);
    return this.#verdict(id, 'full-text') ?? this.#verdict(id, 'title-abstract');
  }

  /** Works about which reviewers differ, each with what they decided. */
  conflicts(phase: Phase = 'title-abstract'): { readonly work: string; readonly decisions: readonly Shown[] }[] {
    this.#look();
    return this.#works
      .filter((work) => this.#verdict(work, phase) === 'conflict')
      .map((work) => ({ work, decisions: this.#shown(work).filter((each) => each.phase === phase) }));
  }

  /** Every decision that was not undone, in their order. */
  *all(): Generator<ScreeningDecision> {
    this.#look();
    for (const row of this.#store.iterate<ScreeningDecision>(
      'select id, work, phase, decision, by, at, reason, note, criteria, rank from screened where undone = 0 order by sequence',
    ))
      yield { ...row, work: this.#idOf(row.work) };
  }

  /** The works that are screened. */
  get works(): readonly string[] {
    this.#look();
    return this.#works;
  }

  /** Reads what this or another process has written since the last look. */
  #look(): void {
    this.#store.ingest();
    if (this.#seen === this.#store.version) return;
    this.#seen = this.#store.version;
    this.#best = new Map(
      this.#records
        .versionGroups()
        .flatMap(([best, ...others]) => others.map(({ id }) => [id, best?.id ?? id] as const)),
    );
    this.#works = this.#store
      .all<{ work: string }>("select work from works where other_version = 0 and outcome <> 'unreadable' order by row")
      .map(({ work }) => work);
    this.#rows = new Map(this.#works.map((work, row) => [work, row]));
    const protocol = this.#store.get<Protocol & { reasons: string; highlight: string }>(
      'select version, reviewers, question, criteria, reasons, highlight from protocols order by version desc limit 1',
    );
    this.#protocol = protocol
      ? {
          ...protocol,
          reasons: JSON.parse(protocol.reasons) as string[],
          highlight: JSON.parse(protocol.highlight) as string[],
        }
      : NO_PROTOCOL;
    this.#decisions = new Map();
    for (const row of this.#store.iterate<Standing & { readonly work: string; readonly sequence: number }>(
      'select work, decision, by, phase, reason, sequence from screened where undone = 0 order by sequence',
    )) {
      const work = this.#idOf(row.work);
      const rows = this.#decisions.get(work);
      if (rows) rows.push(row);
      else this.#decisions.set(work, [row]);
    }
    this.#isTrained = false;
  }

  /** Whether nothing but our own decisions changed the database since the last look. */
  #isOurs(): boolean {
    const [others] = this.#seen.split('.');
    const [now] = this.#store.version.split('.');
    if (others !== now) return false;
    this.#seen = this.#store.version;
    return true;
  }

  #read(work: string): void {
    this.#decisions.set(
      work,
      this.#store.all('select decision, by, phase, reason, sequence from screened where work = ? and undone = 0 order by sequence', work), // prettier-ignore
    );
  }

  /** Works may be filed under another id since a decision about them, or be another version of one. */
  #idOf(work: string): string {
    let name = work;
    for (let step = 0; step < MOST_STEPS && !this.#rows.has(name); step += 1) {
      const same = this.#store.get<{ of: string }>('select of from same_works where id = ?', name)?.of;
      const next = [this.#records.get(name)?.id, same, this.#best.get(name)].find(
        (each) => each !== undefined && each !== name,
      );
      if (next === undefined) break;
      name = next;
    }
    return name;
  }

  #verdict(work: string, phase: Phase): Choice | 'conflict' | null {
    const decisions = this.#decisions.get(work);
    if (!decisions) return null;
    return verdictOf(decisions.filter((each) => each.phase === phase), this.#protocol.reviewers)?.verdict ?? null; // prettier-ignore
  }

  /** Works to decide about in a phase: all of them, then those that title and abstract let through. */
  #inPhase(phase: Phase): readonly string[] {
    return phase === 'title-abstract'
      ? this.#works
      : this.#works.filter((work) => this.#verdict(work, 'title-abstract') === 'include');
  }

  /** Works of a phase that wait for this reviewer. */
  #openFor(by: string, phase: Phase): string[] {
    return this.#inPhase(phase).filter((work) => {
      const decisions = (this.#decisions.get(work) ?? []).filter((each) => each.phase === phase);
      const own = decisions.findLast((each) => each.by === by);
      const verdict = verdictOf(decisions, this.#protocol.reviewers)?.verdict ?? null;
      return own === undefined && (verdict === null || verdict === 'conflict');
    });
  }

  #counts(phase: Phase): PhaseCounts {
    const counts = { include: 0, exclude: 0, maybe: 0, conflict: 0, none: 0 };
    const works = this.#inPhase(phase);
    for (const work of works) counts[this.#verdict(work, phase) ?? 'none'] += 1;
    const { include: included, exclude: excluded, maybe, conflict: conflicts, none: undecided } = counts;
    return { works: works.length, included, excluded, maybe, conflicts, undecided };
  }

  /** Whether each decided work was included, in the order of the decisions. */
  #inOrder(): boolean[] {
    const decided = this.#works.flatMap((work) => {
      const verdict = this.#verdict(work, 'title-abstract');
      const sequence = this.#decisions.get(work)?.[0]?.sequence ?? 0;
      return verdict === 'include' || verdict === 'exclude' ? [{ sequence, isIncluded: verdict === 'include' }] : [];
    });
    return decided.sort((a, b) => a.sequence - b.sequence).map(({ isIncluded }) => isIncluded);
  }

  #lastSample(): { readonly seed: string; readonly after: number } | undefined {
    return this.#store.get('select seed, after from samples order by sequence desc limit 1');
  }

  /** The works of the sample with their places in it; undefined before a sample began. */
  #sampleOrder(): ReadonlyMap<string, number> | undefined {
    const sample = this.#lastSample();
    if (!sample) return undefined;
    const place = (work: string): string => createHash('sha256').update(`${sample.seed} ${work}`).digest('hex');
    const drawn = this.#works
      .filter((work) => (this.#decisions.get(work)?.[0]?.sequence ?? Infinity) > sample.after)
      .map((work) => [place(work), work] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return new Map(drawn.map(([, work], at) => [work, at]));
  }

  #sampled(): ReviewStatus['sample'] {
    const order = this.#sampleOrder();
    if (!order) return null;
    const isIncluded = (work: string): boolean => this.#verdict(work, 'title-abstract') === 'include';
    const foundBefore = this.#works.filter((work) => !order.has(work) && isIncluded(work)).length;
    let [read, found] = [0, 0];
    for (const work of order.keys()) {
      const verdict = this.#verdict(work, 'title-abstract');
      if (verdict !== 'include' && verdict !== 'exclude') break;
      read += 1;
      if (verdict === 'include') found += 1;
    }
    const population = order.size;
    const hidden = read === 0 ? population : (found / read) * (population - read);
    const all = foundBefore + found;
    const estimate = all + hidden === 0 ? 1 : all / (all + hidden);
    return { ...promiseOf({ foundBefore, population, read, found }), population, read, found, estimate };
  }

  #train(): void {
    const asked = JSON.stringify([this.#protocol.question, this.#works.length, this.#works.at(-1)]);
    if (!this.#model || asked !== this.#modelOf) {
      this.#modelOf = asked;
      this.#model = new RankingModel(featuresOf(this.#texts(), DEFAULT_MODEL), this.#protocol.question);
      this.#isTrained = false;
    }
    if (this.#isTrained) return;
    const decided = new Map<number, boolean>();
    for (const [work, decisions] of this.#decisions) {
      const row = this.#rows.get(work);
      // A decision counts for the ranking before the other reviewers have decided.
      const verdict =
        this.#verdict(work, 'title-abstract') ??
        decisions.findLast(({ phase }) => phase === 'title-abstract')?.decision;
      if (row !== undefined && (verdict === 'include' || verdict === 'exclude'))
        decided.set(row, verdict === 'include');
    }
    this.#model.train(decided);
    this.#scores = this.#model.scores();
    this.#isTrained = true;
  }

  #texts(): Rankable[] {
    const texts = new Map<string, Rankable>();
    for (const { id, title, abstract, cited } of this.#store.iterate<{
      readonly id: string;
      readonly title: string | null;
      readonly abstract: string | null;
      readonly cited: string | null;
    }>(`select work as id, works.title, record ->> '$.abstract' as abstract, record -> '$.references' as cited
        from works left join records on records.id = works.work`))
      texts.set(id, {
        id,
        title: title ?? '',
        abstract: abstract ?? '',
        references: JSON.parse(cited ?? '[]') as string[],
      });
    return this.#works.map((id) => texts.get(id) ?? { id, title: '', abstract: '', references: [] });
  }

  /** Works without a verdict and their places by score. */
  #ranks(): Map<string, number> {
    const open = this.#works.filter((work) => {
      const verdict = this.#verdict(work, 'title-abstract');
      return verdict === null || verdict === 'conflict' || verdict === 'maybe';
    });
    const score = (work: string): number => this.#scores[this.#rows.get(work) ?? -1] ?? 0;
    open.sort((a, b) => score(b) - score(a));
    return new Map(open.map((work, at) => [work, at + 1]));
  }

  #candidate(work: string, by: string, rank: number, isSampled: boolean): Candidate[] {
    const record = this.#records.get(work) ?? this.#named(work);
    const all = this.#shown(work);
    const hasDecided = (phase: Phase): boolean => all.some((each) => each.by === by && each.phase === phase);
    return [{ work, rank, isSampled, record, decisions: all.filter(({ phase, by: who }) => who === by || hasDecided(phase)) }]; // prettier-ignore
  }

  /** A work of which a list gave only the title. */
  #named(work: string): WorkRecord {
    const title = this.#store.get<{ title: string | null }>('select title from works where work = ?', work)?.title;
    return { ...emptyRecord(work), title: title ?? null };
  }

  #shown(work: string): Shown[] {
    return this.#store.all<Shown & { work: string }>(
      `select by, decision, phase, reason, note, at from screened
       where undone = 0 and (work = ?1 or work in (select id from work_ids where work_ids.work = ?1)) order by sequence`,
      work,
    ); // prettier-ignore
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

/** The screening of a run that is there, with the folders of its settings. */
export function openScreening(folder: string, config: Parameters<typeof manifestFolder>[0]): Screening {
  if (!existsSync(folder))
    throw new AppError('USAGE_RUN', `${folder} is not a run folder`, { hint: 'docstokg run or docstokg screen add make one' }); // prettier-ignore
  return Screening.open(folder, { manifests: manifestFolder(config), asItIs: true });
}

function nameOf(by: string): string {
  const name = by.trim().slice(0, LONGEST_NAME);
  if (name !== '') return name;
  throw new AppError('USAGE_REVIEWER', 'a decision needs the name of the reviewer', { hint: '--by ada' });
}

function textOf(text: string | undefined): string | null {
  const said = text?.trim().slice(0, LONGEST_TEXT) ?? '';
  return said === '' ? null : said;
}
