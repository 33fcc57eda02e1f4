import type { ManifestSink } from './manifest-sink.ts';
import type { ItemEnd, ItemSource, WorkItem } from './types.ts';

/** How long rows gather before they are written: a lock, a write and a sync per row would cost more than a small item. */
const GATHER_MS = 100;

/** Has rows written, a group at a time, and tells the source how its items ended, each after its row is safe. */
export class Settlement {
  readonly #sink: ManifestSink;
  readonly #source: ItemSource | undefined;
  readonly #failed: (error: unknown) => void;
  readonly #settled: () => void;
  #ends: { readonly item: WorkItem; readonly end: ItemEnd }[] = [];
  #working = false;
  #logged = false;
  #goOn: (() => void) | undefined;

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
    this.#logged = true;
    if (!this.#working) void this.#work();
  }

  /** Nothing more will come soon: there is nothing to gather for. */
  hurry(): void {
    this.#goOn?.();
  }

  async #work(): Promise<void> {
    this.#working = true;
    try {
      do {
        await this.#gather();
        this.#logged = false;
        const ends = this.#ends;
        this.#ends = [];
        await this.#sink.flush();
        for (const { item, end } of ends) await this.#source?.settle(item, end);
      } while (this.#logged);
    } catch (error) {
      this.#failed(error);
    }
    this.#working = false;
    this.#settled();
  }

  /** Real time, not the run's clock: this is about the disk, and ends early when nothing else is going on. */
  #gather(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS);
      this.#goOn = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
