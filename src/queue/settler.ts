import type { Lease, LeasedJob, QueueStore, Settlement } from './types.ts';

export interface Settled extends Lease {
  readonly job: LeasedJob;
  readonly settlement: Settlement;
  /** False when the lease was lost: the settlement changed nothing. */
  accepted: boolean;
}

/**
 * Writes settlements down in groups: those that end in one turn of the loop, or while the last group is being written,
 * share one commit, which is what makes many small jobs cheap.
 */
export class Settler {
  readonly #store: QueueStore;
  readonly #now: () => number;
  readonly #underway: (group: readonly Settled[]) => void;
  readonly #settled: (results: readonly Settled[]) => void;
  readonly #failed: (error: unknown, unsettled: readonly LeasedJob[]) => void;
  #waiting: Settled[] = [];
  #writing: Promise<void> | undefined;
  #scheduled = false;

  constructor(options: {
    readonly store: QueueStore;
    readonly now: () => number;
    /** A group is on its way to the store; its jobs need their workers no more. */
    readonly underway: (group: readonly Settled[]) => void;
    readonly settled: (results: readonly Settled[]) => void;
    readonly failed: (error: unknown, unsettled: readonly LeasedJob[]) => void;
  }) {
    this.#store = options.store;
    this.#now = options.now;
    this.#underway = options.underway;
    this.#settled = options.settled;
    this.#failed = options.failed;
  }

  add(job: LeasedJob, settlement: Settlement): void {
    const { id, token, resolverHint } = job;
    this.#waiting.push({ id, token, resolverHint, job, settlement, accepted: false });
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#writing ??= this.#write();
    });
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        const writing = this.#store.settle(group, this.#now());
        // The next jobs are leased while these are written, which on a server takes as long as leasing does.
        this.#underway(group);
        const accepted = await writing;
        for (const [at, each] of group.entries()) each.accepted = accepted[at] ?? false;
        this.#settled(group);
      } catch (error) {
        this.#failed(
          error,
          group.map(({ job }) => job),
        );
      }
    }
    this.#writing = undefined;
  }
}
