export interface Rankable {
  readonly title: string;
  readonly abstract: string;
  readonly id: string;
  /** Ids of the works it cites; empty if unknown. */
  readonly references: readonly string[];
}

/** The best-ranking values measured; `npm run score:screening` compares alternatives. */
export const DEFAULT_MODEL = {
  /** Words and pairs in a larger share of the records are left out. */
  maxShare: 0.95,
  /** Whether "trials" and "trial" count as one word. */
  joinsPlurals: true,
  /** Weight of shared references and citations relative to words; 0 ignores them. */
  referenceWeight: 0.35,
  /** Cost of a misclassified record relative to the size of the weights. */
  cost: 0.11,
  /** Total weight of included records relative to excluded ones. */
  includedWeight: 9.8,
};
export type ModelOptions = Readonly<typeof DEFAULT_MODEL>;
type Features = ReturnType<typeof featuresOf>;

const WORD = /[\p{L}\p{N}_]{2,}/gu;
const LONGEST_TEXT = 20_000;
const MOST_REFERENCES = 2_000;
/** Most hash buckets for pairs of words; pairs in the same bucket count as one. */
const MOST_BUCKETS = 1 << 24;

/** TF-IDF (1 + log tf, smoothed idf, rows of length 1) over words, pairs of words, and references. */
export function featuresOf(records: readonly Rankable[], options: ModelOptions = DEFAULT_MODEL) {
  const words = new Map<string, number>();
  const idOf = (word: string, isNew: boolean): number => {
    const known = words.get(word);
    if (known !== undefined || !isNew) return known ?? -1;
    words.set(word, words.size);
    return words.size - 1;
  };
  const idsOf = (text: string, isNew: boolean): number[] =>
    Array.from(text.slice(0, LONGEST_TEXT).toLowerCase().matchAll(WORD), ([word]) =>
      idOf(options.joinsPlurals ? singular(word) : word, isNew),
    );
  const texts = records.map(({ title, abstract }) => idsOf(`${title} ${abstract}`, true));
  const count = texts.reduce((sum, ids) => sum + ids.length, 0);
  const buckets = Math.min(MOST_BUCKETS, 1 << Math.max(10, Math.ceil(Math.log2(4 * count + 1))));
  const { size } = words;
  const terms = (ids: readonly number[]): number[] => {
    const found = [...ids];
    for (let at = 1; at < ids.length; at += 1) found.push(size + bucketOf(ids[at - 1] ?? 0, ids[at] ?? 0, buckets));
    return found;
  };
  const total = records.length;
  const { maxShare, referenceWeight } = options;
  const rows = texts.map((ids) => countsOf(terms(ids)));
  const text = blockOf(rows, { terms: size + buckets, total, maxShare, first: 0, weight: 1, countsOwn: true });
  const cited = new Map<string, number>();
  const citing = referenceWeight > 0 ? records.map((record) => countsOf(citationsOf(record, cited))) : [];
  const how = { terms: cited.size, total, maxShare: 1, first: text.width, weight: referenceWeight, countsOwn: false };
  const references = blockOf(citing, how);
  return {
    ...joinBlocks(total, [text, references]),
    options,
    width: text.width + references.width,
    /** Columns and values of a text that is not a record, such as the question. */
    ofText: (asked: string): ReadonlyMap<number, number> =>
      new Map(text.row(countsOf(terms(idsOf(asked, false).filter((id) => id !== -1)))).found),
  };
}

/** The works a record cites, and itself, so that it shares a column with the works that cite it. */
function citationsOf({ id, references }: Rankable, known: Map<string, number>): number[] {
  const all = new Set(references.slice(0, MOST_REFERENCES));
  all.add(id);
  return Array.from(all, (each) => {
    const column = known.get(each) ?? known.size;
    known.set(each, column);
    return column;
  });
}

interface BlockOptions {
  /** How many different terms there are. */
  readonly terms: number;
  readonly total: number;
  readonly maxShare: number;
  /** Number of the first column. */
  readonly first: number;
  readonly weight: number;
  /** Whether features that only one record has count in the row's length. */
  readonly countsOwn: boolean;
}

/** One kind of features, with rows of length 1, from how often each record has each term. */
function blockOf(rows: Map<number, number>[], { terms, total, maxShare, first, weight, countsOwn }: BlockOptions) {
  const records = new Int32Array(terms);
  for (const counts of rows) for (const term of counts.keys()) records[term]! += 1;
  const columns = new Int32Array(terms).fill(-1);
  let width = 0;
  for (const [term, having] of records.entries()) if (having > 1 && having <= maxShare * total) columns[term] = width++;

  /** Columns and values, and the squared length of the features without a column. */
  const row = (counts: ReadonlyMap<number, number>): { readonly found: [number, number][]; readonly own: number } => {
    const found: [number, number][] = [];
    let [square, own] = [0, 0];
    for (const [term, times] of counts) {
      const having = records[term] ?? 0;
      if (having > maxShare * total && having > 1) continue;
      const value = (1 + Math.log(times)) * (Math.log((1 + total) / (1 + having)) + 1);
      const column = columns[term] ?? -1;
      if (column === -1 && !countsOwn) continue;
      square += value * value;
      if (column === -1) own += value * value;
      else found.push([first + column, value]);
    }
    const scale = square === 0 ? 0 : Math.sqrt(weight) / Math.sqrt(square);
    return { found: found.map(([column, value]) => [column, value * scale]), own: own * scale * scale };
  };

  /** The row of a record; frees its counts. */
  const take = (at: number): ReturnType<typeof row> => {
    const counts = rows[at] ?? EMPTY;
    rows[at] = EMPTY;
    return row(counts);
  };
  return { width, row, take };
}

const EMPTY = new Map<number, number>();

function countsOf(terms: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** Rows of a sparse matrix: columns and values of row `i` are from `starts[i]` to `starts[i + 1]`. */
function joinBlocks(rows: number, blocks: readonly ReturnType<typeof blockOf>[]) {
  const starts = new Int32Array(rows + 1);
  /** The square of each row's length. */
  const squares = new Float64Array(rows);
  /** The part of it from terms of this record alone: they have no column, but count in the row's length. */
  const ownSquares = new Float64Array(rows);
  let columns = new Int32Array(1 << 16);
  let values = new Float32Array(1 << 16);
  let end = 0;
  for (let row = 0; row < rows; row += 1) {
    for (const block of blocks) {
      const { found, own } = block.take(row);
      ownSquares[row]! += own;
      squares[row]! += own;
      for (const [column, value] of found) {
        if (end === columns.length) {
          columns = grown(columns, new Int32Array(2 * end));
          values = grown(values, new Float32Array(2 * end));
        }
        columns[end] = column;
        values[end] = value;
        squares[row]! += value * value;
        end += 1;
      }
    }
    starts[row + 1] = end;
  }
  return { rows, starts, columns, values, squares, ownSquares };
}

function grown<T extends Int32Array | Float32Array>(before: T, after: T): T {
  after.set(before);
  return after;
}

function bucketOf(first: number, second: number, buckets: number): number {
  let hash = Math.imul(first ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(second + 0x7f4a7c15, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) & (buckets - 1);
}

function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word;
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.slice(0, -1);
}

const MOST_PASSES = 10;
const TOLERANCE = 0.1;

/**
 * A linear support vector machine with squared hinge loss, trained by dual coordinate descent (Hsieh et al., 2008).
 * Each training starts from the one before. The same decisions in the same order give the same ranking.
 */
export class RankingModel {
  readonly features: Features;
  readonly #weights: Float64Array;
  #bias = 0;
  readonly #duals: Float64Array;
  readonly #question: ReadonlyMap<number, number>;
  #questionDual = 0;

  /** `question` counts as one more included record. */
  constructor(features: Features, question = '') {
    this.features = features;
    this.#weights = new Float64Array(features.width);
    this.#duals = new Float64Array(features.rows);
    this.#question = question === '' ? new Map<number, number>() : features.ofText(question);
  }

  /** Learns from decisions by row: true for an included record. Rows no longer present are forgotten. */
  train(decisions: ReadonlyMap<number, boolean>): void {
    for (const [row, dual] of this.#duals.entries())
      if (dual !== 0 && (!decisions.has(row) || decisions.get(row) !== dual > 0)) this.#move(row, -dual);
    const { options } = this.features;
    const hasQuestion = this.#question.size > 0;
    const included = [...decisions.values()].filter(Boolean).length + (hasQuestion ? 1 : 0);
    const excluded = decisions.size - included + (hasQuestion ? 1 : 0);
    const excludedWeight = included / (options.includedWeight * Math.max(1, excluded));
    const scale = (included + excluded) / (included + excluded * excludedWeight || 1);
    const cost = (isIncluded: boolean): number => options.cost * scale * (isIncluded ? 1 : excludedWeight);
    // Without an included record, the excluded ones only say what to avoid.
    const slack = (isIncluded: boolean): number => 1 / (2 * (included === 0 ? options.cost : cost(isIncluded)));
    const [forIncluded, forExcluded] = [slack(true), slack(false)];
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
      let most = hasQuestion ? this.#learnQuestion(forIncluded) : 0;
      for (const [row, isIncluded] of decisions)
        most = Math.max(most, this.#learn(row, isIncluded ? 1 : -1, isIncluded ? forIncluded : forExcluded));
      if (most < TOLERANCE) break;
    }
  }

  /** A score per row, higher for likelier inclusion; only the order is meaningful. */
  scores(): Float64Array {
    const { rows } = this.features;
    const scores = new Float64Array(rows);
    for (let row = 0; row < rows; row += 1) scores[row] = this.#score(row);
    return scores;
  }

  #score(row: number): number {
    const { starts, columns, values } = this.features;
    const weights = this.#weights;
    let sum = this.#bias;
    for (let at = starts[row]!, end = starts[row + 1]!; at < end; at += 1) sum += weights[columns[at]!]! * values[at]!;
    return sum;
  }

  /** Moves one dual variable to its optimum; returns how far the gradient was from 0. */
  #learn(row: number, sign: number, slack: number): number {
    const dual = this.#duals[row]! * sign;
    const gradient = sign * this.#score(row) - 1 + (slack + this.features.ownSquares[row]!) * dual;
    if (dual === 0 && gradient >= 0) return 0;
    if (Math.abs(gradient) < TOLERANCE / 10) return Math.abs(gradient);
    const moved = Math.max(0, dual - gradient / (this.features.squares[row]! + 1 + slack)) - dual;
    if (moved !== 0) this.#move(row, moved * sign);
    return Math.abs(gradient);
  }

  #move(row: number, change: number): void {
    const { starts, columns, values } = this.features;
    const weights = this.#weights;
    this.#duals[row]! += change;
    this.#bias += change;
    for (let at = starts[row]!, end = starts[row + 1]!; at < end; at += 1)
      weights[columns[at]!]! += change * values[at]!;
  }

  #learnQuestion(slack: number): number {
    let score = this.#bias;
    let square = 1;
    for (const [column, value] of this.#question) {
      score += (this.#weights[column] ?? 0) * value;
      square += value * value;
    }
    const gradient = score - 1 + slack * this.#questionDual;
    const moved = Math.max(0, this.#questionDual - gradient / (square + slack)) - this.#questionDual;
    this.#questionDual += moved;
    this.#bias += moved;
    for (const [column, value] of this.#question) this.#weights[column] = (this.#weights[column] ?? 0) + moved * value;
    return Math.abs(gradient);
  }
}
