import type { SavedRow } from '../../database/index.ts';

/** Rows read at once. */
const PAGE = 100;

/**
 * The downloaded files of a corpus, in the order of their rows: those of earlier runs, then each when its row is in the
 * database. Nothing is held but a position, so a download never waits for the parser, however far that lags behind, and
 * the next run gives the same files again.
 */
export class SavedFiles implements AsyncIterable<readonly SavedRow[]> {
  readonly #rowsAfter: (sequence: number, limit: number) => readonly SavedRow[];
  #isComplete = false;
  #changed = Promise.withResolvers<void>();

  constructor(rowsAfter: (sequence: number, limit: number) => readonly SavedRow[]) {
    this.#rowsAfter = rowsAfter;
  }

  /** There may be new rows. */
  wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** There will be no more rows: the files end after those that are there. */
  complete(): void {
    this.#isComplete = true;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly SavedRow[], void> {
    for (let position = 0; ;) {
      const { promise: changed } = this.#changed;
      const isLast = this.#isComplete;
      const rows = this.#rowsAfter(position, PAGE);
      position = rows.at(-1)?.sequence ?? position;
      if (rows.length > 0) yield rows;
      else if (isLast) return;
      else await changed;
    }
  }
}
