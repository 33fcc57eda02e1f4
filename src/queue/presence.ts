import { hostname } from 'node:os';

import type { Clock } from '../base/index.ts';
import type { QueueStore, WorkerInfo } from './types.ts';
import { createWorkerId, isDeadHere } from './worker-identity.ts';

/** A process at a queue, as the others see it: its name, what it does, and that it looks after those who died beside it. */
export class Presence {
  readonly workerId = createWorkerId();
  readonly #store: QueueStore;
  readonly #clock: Clock;
  readonly #maxWorkers: number;
  readonly #startedAt: number;

  constructor(store: QueueStore, clock: Clock, maxWorkers: number) {
    this.#store = store;
    this.#clock = clock;
    this.#maxWorkers = maxWorkers;
    this.#startedAt = clock.now();
  }

  /** Tells the others what goes on here. */
  announce(doing: Pick<WorkerInfo, 'running' | 'parked' | 'throttled'>): Promise<void> {
    const { pid } = process;
    const info = { pid, hostname: hostname(), startedAt: this.#startedAt, maxWorkers: this.#maxWorkers, ...doing };
    return this.#store.announce(this.workerId, info, this.#clock.now());
  }

  leave(): Promise<void> {
    return this.#store.announce(this.workerId, null, this.#clock.now());
  }

  /** Processes of this machine that died hold leases that need not be waited for. */
  async recoverDead(): Promise<void> {
    const { leases, workers } = await this.#store.admin.stats(this.#clock.now());
    const dead = [...new Set([...leases, ...workers].map(({ workerId }) => workerId))].filter(isDeadHere);
    if (dead.length === 0) return;
    await this.#store.expire(dead, this.#clock.now());
    for (const workerId of dead) await this.#store.announce(workerId, null, this.#clock.now());
  }
}
