/** More than a worker can hold, so that it never runs over. */
const ENTRIES = 128;
/** Where the counts stand; the entries follow. */
const COUNT_BYTES = 8;

/**
 * Plain answers of a thread in memory that it shares with its owner. An answer is there the moment it is written, also
 * when the thread dies in the next; but nobody is woken by it, which is what makes a message dear. An answer that needs a
 * message leaves a mark here, so that all are read in the order in which they were given.
 */
export class AnswerRing {
  readonly memory: SharedArrayBuffer;
  /** How many entries were ever written. */
  readonly #written: Int32Array;
  /** Two numbers each: the job's id, and how long it took in milliseconds, or NaN where a message tells. */
  readonly #entries: Float64Array;
  #read = 0;

  constructor(memory = new SharedArrayBuffer(COUNT_BYTES + ENTRIES * 16)) {
    this.memory = memory;
    this.#written = new Int32Array(memory, 0, 1);
    this.#entries = new Float64Array(memory, COUNT_BYTES);
  }

  write(id: number, durationMs: number): void {
    const count = Atomics.load(this.#written, 0);
    const at = (count % ENTRIES) * 2;
    this.#entries[at] = id;
    this.#entries[at + 1] = durationMs;
    // Seen only when it is whole.
    Atomics.store(this.#written, 0, (count + 1) % (ENTRIES * 2));
  }

  /** A message tells of this job. */
  mark(id: number): void {
    this.write(id, Number.NaN);
  }

  /** The next plain answer; undefined when there is none, or a message comes first. */
  take(): readonly [id: number, durationMs: number] | undefined {
    if (this.#read === Atomics.load(this.#written, 0)) return undefined;
    const at = (this.#read % ENTRIES) * 2;
    const durationMs = this.#entries[at + 1] ?? Number.NaN;
    if (Number.isNaN(durationMs)) return undefined;
    this.#step();
    return [this.#entries[at] ?? 0, durationMs];
  }

  /** Passes over the mark of a message that has come. */
  passMark(): void {
    this.#step();
  }

  #step(): void {
    this.#read = (this.#read + 1) % (ENTRIES * 2);
  }
}
