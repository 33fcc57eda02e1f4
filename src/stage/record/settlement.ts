import type { Tell } from '../kernel-event.ts';
import type { ManifestSink } from './manifest-sink.ts';
import type { ItemEnd, ItemSource, WorkItem } from '../types.ts';

/** How long rows gather before they are written: a lock, a write and a sync per row would cost more than a small item. */
const GATHER_MS = 100;

/** Has rows written, a group at a time, and tells the source how its items ended, each after its row is safe. */
export class Settlement {
  readonly #sink: ManifestSink;
  readonly #source: ItemSource | undefined;
  readonly #tell: Tell;
  #ends: { readonly item: WorkItem; readonly end: ItemEnd }[] = [];
  /** idle ──logged──▶ writing ──logged meanwhile──▶ writing-more ──▶ writing ──▶ idle */
  #mode: 'idle' | 'writing' | 'writing-more' = 'idle';
  #goOn: (() => void) | undefined;

  constructor(options: { readonly sink: ManifestSink; readonly source: ItemSource | undefined; readonly tell: Tell }) {
    this.#sink = options.sink;
    this.#source = options.source;
    this.#tell = options.tell;
  }

  get idle(): boolean {
    return this.#mode === 'idle';
  }

  /** A row was logged for the item, or none will be. */
  add(item: WorkItem, end: ItemEnd): void {
    if (this.#source) this.#ends.push({ item, end });
    this.wake();
  }

  /** Something was logged. */
  wake(): void {
    if (this.#mode === 'idle') void this.#work();
    else this.#mode = 'writing-more';
  }

  /** Nothing more will come soon: there is nothing to gather for. */
  writeNow(): void {
    this.#goOn?.();
  }

  async #work(): Promise<void> {
    this.#mode = 'writing';
    try {
      for (;;) {
        await this.#gather();
        this.#mode = 'writing';
        const ends = this.#ends;
        this.#ends = [];
        await this.#sink.flush();
        for (const { item, end } of ends) await this.#source?.settle(item, end);
        if (this.#isCaughtUp()) break;
      }
    } catch (error) {
      this.#tell({ kind: 'record-failed', error });
    }
    this.#mode = 'idle';
    this.#tell({ kind: 'changed' });
  }

  #isCaughtUp(): boolean {
    return this.#mode === 'writing';
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
