import type { Admission } from '../hosts/index.ts';
import { resolverKey } from '../hosts/index.ts';
import type { OrchestratorOptions } from './options.ts';
import type { Lane, LeasedJob, Pause } from './types.ts';

const PATIENCE_MS = 60_000;

/** How many more jobs of a lane could download now, by what the hosts allow and what this process has leased for them. */
export class HostRoom {
  readonly #admission: Admission;
  readonly #options: OrchestratorOptions;
  /** Jobs leased for a host or resolver that have not asked for its slot yet. */
  readonly #expected = new Map<string, number>();
  #paused = new Set<string>();

  constructor(admission: Admission, options: OrchestratorOptions) {
    this.#admission = admission;
    this.#options = options;
  }

  /**
   * Slots of the lane's host and resolver that are free and not expected to be used. A busy host gets `readyPerHost` jobs
   * more, so that one begins the moment another ends; not when it is held, and not when `parked` jobs fill half the places
   * for those, which jobs that find out their host only as they run need too.
   */
  of({ host, resolver }: Lane, parked: number): number {
    let room = Infinity;
    if (host !== null) {
      const keys = this.#keys(host);
      room = this.#admission.room(keys) - this.#expectedAt(host);
      const { readyPerHost: ready = 0, maxParked } = this.#options;
      if (room <= 0 && ready > 0 && parked < maxParked / 2 && this.#admission.held(keys) === null) room += ready;
    }
    if (resolver === null || room <= 0) return room;
    const key = resolverKey(resolver);
    return Math.min(room, this.#admission.room([key]) - this.#expectedAt(key));
  }

  /** The same for a lane whose host is held for longer than anything waits: its jobs may have other plans. */
  elsewhere(lane: Lane): number {
    if (!this.isHeldLong(lane) || this.isPaused(lane)) return 0;
    return this.#options.maxPerHost - this.#expectedAt(lane.host ?? '');
  }

  /** A job was leased (1), or has asked for its slots or ended (-1). */
  expect({ host, resolverHint }: Pick<LeasedJob, 'host' | 'resolverHint'>, change: 1 | -1): void {
    for (const key of [host, resolverHint === null ? null : resolverKey(resolverHint)]) {
      if (key === null) continue;
      const jobs = this.#expectedAt(key) + change;
      if (jobs > 0) this.#expected.set(key, jobs);
      else this.#expected.delete(key);
    }
  }

  /** Holds what operators have paused, and releases what they have resumed. */
  applyPauses(pauses: readonly Pause[]): void {
    const keys = new Set(
      pauses.flatMap(({ scope, name }) => (scope === 'host' ? name : scope === 'resolver' ? resolverKey(name) : [])),
    );
    for (const key of this.#paused.difference(keys)) this.#admission.hold(key, null);
    for (const key of keys.difference(this.#paused)) this.#admission.hold(key, { at: Infinity, reason: 'paused' });
    this.#paused = keys;
  }

  isPaused({ host, resolver }: Lane): boolean {
    return (host !== null && this.#paused.has(host)) || (resolver !== null && this.#paused.has(resolverKey(resolver)));
  }

  /** Whether the lane's host is held for longer than a job waits for it. */
  isHeldLong({ host }: Lane): boolean {
    const hold = host === null ? null : this.#admission.held(this.#keys(host));
    return hold !== null && hold.leftMs > (this.#options.patienceMs ?? PATIENCE_MS);
  }

  #expectedAt(key: string): number {
    return this.#expected.get(key) ?? 0;
  }

  #keys(host: string): readonly string[] {
    return this.#admission.table.keysOf(host, { obeysRobots: true });
  }
}
