import { hostname } from 'node:os';

import type { Clock } from '../base/index.ts';
import { RateMeter } from './rate-meter.ts';
import type { QueueStore, WorkerInfo } from './types.ts';
import { createWorkerId, isDeadHere } from './worker-identity.ts';

/** A process at a queue, as the others see it: its name, what it does, and that it looks after those who died beside it. */
export class Presence {
  readonly workerId = createWorkerId();
  readonly #store: QueueStore;
  readonly #clock: Clock;
  readonly #settings: Pick<WorkerInfo, 'maxWorkers' | 'heartbeatMs'>;
  readonly #speed = new RateMeter();
  readonly #startedAt: number;

  constructor(store: QueueStore, clock: Clock, settings: Pick<WorkerInfo, 'maxWorkers' | 'heartbeatMs'>) {
    this.#store = store;
    this.#clock = clock;
    this.#settings = settings;
    this.#startedAt = clock.now();
  }

  /** Tells the others what goes on here. */
  announce({
    ended,
    ...doing
  }: Pick<WorkerInfo, 'running' | 'parked' | 'hosts'> & { readonly ended: number }): Promise<void> {
    const { maxWorkers, heartbeatMs } = this.#settings;
    const now = this.#clock.now();
    this.#speed.note(ended, now);
    const who = { pid: process.pid, hostname: hostname(), startedAt: this.#startedAt, maxWorkers, heartbeatMs };
    return this.#store.announce(this.workerId, { ...who, ...doing, perSecond: this.#speed.perSecond ?? 0 }, now);
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
