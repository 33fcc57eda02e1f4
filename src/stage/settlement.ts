import type { ManifestSink } from './manifest-sink.ts';
import type { ItemEnd, ItemSource, WorkItem } from './types.ts';

/** Tells the source how its items ended, each after its row is safe; and watches over the sink for everybody else. */
export class Settlement {
  readonly #sink: ManifestSink;
  readonly #source: ItemSource | undefined;
  readonly #failed: (error: unknown) => void;
  readonly #settled: () => void;
  #ends: { readonly item: WorkItem; readonly end: ItemEnd }[] = [];
  #working = false;

  constructor(options: {
    readonly sink: ManifestSink;
    readonly source: ItemSource | undefined;
    readonly failed: (error: unknown) => void;
    readonly settled: () => void;
  }) {
    this.#sink = options.sink;
    this.#source = options.source;
    this.#failed = options.failed;
    this.#settled = options.settled;
  }

  get idle(): boolean {
    return !this.#working;
  }

  /** A row was logged for the item, or none will be. */
  add(item: WorkItem, end: ItemEnd): void {
    if (this.#source) this.#ends.push({ item, end });
    this.wake();
  }

  /** Something was logged. */
  wake(): void {
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    try {
      do {
        const ends = this.#ends;
        this.#ends = [];
        await this.#sink.flush();
        for (const { item, end } of ends) await this.#source?.settle(item, end);
      } while (this.#ends.length > 0 || this.#sink.pending > 0);
    } catch (error) {
      this.#failed(error);
    }
    this.#working = false;
    this.#settled();
  }
}
