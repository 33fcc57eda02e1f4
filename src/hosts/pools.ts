/** Limits of one service, shared by all of its hosts. */
export interface Pool {
  readonly name: string;
  /** Host keys, or `*.` and a suffix; none for a pool that requests name themselves. */
  readonly hosts: readonly string[];
  readonly perSecond: number;
  /** Requests that may come at once after a pause; 1 spaces them evenly. */
  readonly burst?: number;
  readonly concurrency: number;
  /** Measure the pause from the headers of the previous answer, not from its request: for limits without slack. */
  readonly strict?: boolean;
  /** Take over the limits the service states in its `x-rate-limit-*` headers. */
  readonly learns?: boolean;
  /** Least pause after a 429 that names no time. */
  readonly pauseMs?: number;
}

/** Finds the pool a host belongs to. */
export class Pools {
  readonly #byName: ReadonlyMap<string, Pool>;
  readonly #byHost: ReadonlyMap<string, Pool>;
  readonly #bySuffix: readonly (readonly [string, Pool])[];

  constructor(pools: readonly Pool[]) {
    this.#byName = new Map(pools.map((pool) => [pool.name, pool]));
    const entries = pools.flatMap((pool) => pool.hosts.map((host) => [host.toLowerCase(), pool] as const));
    this.#byHost = new Map(entries.filter(([host]) => !host.startsWith('*.')));
    this.#bySuffix = entries
      .filter(([host]) => host.startsWith('*.'))
      .map(([host, pool]) => [host.slice(1), pool] as const);
  }

  named(name: string): Pool | undefined {
    return this.#byName.get(name);
  }

  /** The pools a request draws from: the one it names and the one its host belongs to. */
  of(host: string, named: string | undefined): readonly Pool[] {
    const byHost = this.#byHost.get(host) ?? this.#bySuffix.find(([suffix]) => host.endsWith(suffix))?.[1];
    const byName = named === undefined ? undefined : this.#byName.get(named);
    return [...new Set([byName, byHost])].filter((pool) => pool !== undefined);
  }
}
