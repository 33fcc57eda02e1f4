export interface Rankable {
  readonly title: string;
  readonly abstract: string;
  /** Its own id, under which others cite it, and those of the works it cites; empty if unknown. */
  readonly id: string;
  readonly references: readonly string[];
}

export interface FeatureOptions {
  /** Words and pairs in a larger share of the records are left out. */
  readonly maxShare: number;
  /** Whether "trials" and "trial" count as one word. */
  readonly joinsPlurals: boolean;
  /** Weight of shared references and citations relative to words; 0 ignores them. */
  readonly referenceWeight: number;
}

/** Rows of a sparse matrix: columns and values of row `i` are from `starts[i]` to `starts[i + 1]`. */
export interface Features {
  readonly rows: number;
  readonly width: number;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float32Array;
  /** The square of each row's length. */
  readonly squares: Float64Array;
  /** The part of it from terms of this record alone: they have no column, but count in the row's length. */
  readonly ownSquares: Float64Array;
  /** Features of a text that is not a record, such as the question: columns and values. */
  readonly ofText: (text: string) => ReadonlyMap<number, number>;
}

const WORD = /[\p{L}\p{N}_]{2,}/gu;
const LONGEST_TEXT = 20_000;
const MOST_REFERENCES = 2_000;
/** Most hash buckets for pairs of words; pairs in the same bucket count as one. */
const MOST_BUCKETS = 1 << 24;

/** TF-IDF (1 + log tf, smoothed idf, rows of length 1) over words, pairs of words, and references. */
export function featuresOf(records: readonly Rankable[], options: FeatureOptions): Features {
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
  const text = new Block(size + buckets, records.length, options, true);
  for (const ids of texts) text.add(terms(ids));
  text.close(0, 1);
  const cited = new Map<string, number>();
  const citing = options.referenceWeight > 0 ? records.map((record) => citationsOf(record, cited)) : [];
  const references = new Block(cited.size, records.length, { ...options, maxShare: 1 }, false);
  for (const ids of citing) references.add(ids);
  references.close(text.width, options.referenceWeight);
  const joined = joinBlocks(records.length, [text, references]);
  return {
    ...joined,
    width: text.width + references.width,
    ofText: (asked) => new Map(text.row(countsOf(terms(idsOf(asked, false).filter((id) => id !== -1)))).found),
  };
}

/** The works a record cites, and itself, so that a cited record shares a column with those citing it. */
function citationsOf({ id, references }: Rankable, known: Map<string, number>): number[] {
  const all = new Set(references.slice(0, MOST_REFERENCES));
  all.add(id);
  return Array.from(all, (each) => {
    const column = known.get(each) ?? known.size;
    known.set(each, column);
    return column;
  });
}

/** One kind of features, with rows of length 1. */
class Block {
  readonly #rows: Map<number, number>[] = [];
  readonly #records: Int32Array;
  readonly #total: number;
  readonly #options: FeatureOptions;
  readonly #columns: Int32Array;
  /** Whether features that only one record has count in the row's length. */
  readonly #countsOwn: boolean;
  #first = 0;
  #weight = 1;
  width = 0;

  constructor(terms: number, total: number, options: FeatureOptions, countsOwn: boolean) {
    this.#countsOwn = countsOwn;
    this.#records = new Int32Array(terms);
    this.#columns = new Int32Array(terms).fill(-1);
    this.#total = total;
    this.#options = options;
  }

  add(terms: readonly number[]): void {
    const counts = countsOf(terms);
    for (const term of counts.keys()) this.#records[term] = (this.#records[term] ?? 0) + 1;
    this.#rows.push(counts);
  }

  /** Numbers the used columns from `first` on. */
  close(first: number, weight: number): void {
    const { maxShare } = this.#options;
    this.#first = first;
    this.#weight = Math.sqrt(weight);
    for (const [term, records] of this.#records.entries())
      if (records > 1 && records <= maxShare * this.#total) this.#columns[term] = this.width++;
  }

  /** Columns and values, and the squared length of the features without a column. */
  row(counts: ReadonlyMap<number, number>): { readonly found: [number, number][]; readonly own: number } {
    const found: [number, number][] = [];
    let [square, own] = [0, 0];
    for (const [term, times] of counts) {
      const records = this.#records[term] ?? 0;
      if (records > this.#options.maxShare * this.#total && records > 1) continue;
      const value = (1 + Math.log(times)) * (Math.log((1 + this.#total) / (1 + records)) + 1);
      const column = this.#columns[term] ?? -1;
      if (column === -1 && !this.#countsOwn) continue;
      square += value * value;
      if (column === -1) own += value * value;
      else found.push([this.#first + column, value]);
    }
    const scale = square === 0 ? 0 : this.#weight / Math.sqrt(square);
    return { found: found.map(([column, value]) => [column, value * scale]), own: own * scale * scale };
  }

  /** The row of a record; frees its counts. */
  take(at: number): ReturnType<Block['row']> {
    const counts = this.#rows[at] ?? EMPTY;
    this.#rows[at] = EMPTY;
    return this.row(counts);
  }
}

const EMPTY = new Map<number, number>();

function countsOf(terms: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function joinBlocks(rows: number, blocks: readonly Block[]): Omit<Features, 'width' | 'ofText'> {
  const starts = new Int32Array(rows + 1);
  const squares = new Float64Array(rows);
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
