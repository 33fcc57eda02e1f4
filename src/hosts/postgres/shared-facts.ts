import { Batcher, backoffDelay, systemClock, wait } from '../../base/index.ts';
import type { Fact, Facts } from '../admission.ts';
import type { Fleet } from './fleet.ts';

/** How long a process may search for a fact before another one takes over; a dead process is replaced sooner. */
const FINDING_MS = 120_000;
const LOOK_AGAIN_MS = 250;
/** A process that cannot reach the fleet for this long finds the fact itself. */
const LONGEST_AWAY_MS = 10 * 60_000;

interface Row {
  readonly fact: string | null;
  readonly left_ms: number;
  readonly mine: boolean;
}

/** Keys are locked in order, to prevent deadlocks. */
const CLAIM = `
  WITH asked AS (SELECT DISTINCT key FROM unnest($1::text[]) AS key),
  claimed AS (
    INSERT INTO host_facts AS f (key, finder, finder_until) SELECT key, $2, server_ms() + $3 FROM asked ORDER BY key
    ON CONFLICT (key) DO UPDATE SET finder = excluded.finder, finder_until = excluded.finder_until
      WHERE f.expires_at <= server_ms() AND (f.finder_until <= server_ms()
        OR NOT EXISTS (SELECT FROM host_holders h WHERE h.holder = f.finder AND h.expires_at > server_ms()))
    RETURNING f.key)
  SELECT asked.key, claimed.key IS NOT NULL AS mine, f.fact, coalesce(f.expires_at, 0) - server_ms() AS left_ms
  FROM asked LEFT JOIN claimed ON claimed.key = asked.key LEFT JOIN host_facts f ON f.key = asked.key`;

const WRITE = `
  WITH locked AS (
    SELECT key FROM host_facts, (SELECT set_config('synchronous_commit', 'on', true)) AS synced
    WHERE key = ANY($1) ORDER BY key FOR UPDATE OF host_facts)
  UPDATE host_facts f SET fact = found.fact, expires_at = server_ms() + found.for_ms, finder_until = 0
  FROM locked JOIN unnest($1::text[], $2::text[], $3::float8[]) AS found (key, fact, for_ms) ON found.key = locked.key
  WHERE f.key = locked.key`;

/** Another process is finding it already. */
const LOOKED_FOR: Row = { fact: null, left_ms: 0, mine: false };

/**
 * Facts that one process of a fleet finds for all, such as a robots.txt.
 *
 *   asked ──known──▶ returned
 *     │ unknown, and no process is finding it (or that one has died)
 *     ├──▶ finding ──found──▶ written, again while the server is away ──▶ known to all
 *     └─ another process is finding it, or the server is away: asked again in a moment
 */
export class SharedFacts implements Facts, AsyncDisposable {
  readonly #fleet: Fleet;
  readonly #claims = new Batcher<{ readonly key: string; row: Row }>((asked) => this.#claim(asked));
  readonly #writes = new Batcher<Fact & { readonly key: string }>((facts) => this.#write(facts));
  readonly #closed = new AbortController();
  /** Facts found here that may not be stored yet. */
  readonly #found = new Map<string, Promise<void>>();
  /** Claims on facts that are being found here. */
  readonly #held = new Set<AbortController>();
  readonly #watch: NodeJS.Timeout;
  /** When this process was last seen running, by both clocks: one of them may stop with the machine. */
  #seen = { at: performance.now(), day: Date.now() };

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#watch = setInterval(() => this.#dropLostClaims(), fleet.leaseMs / 4).unref();
  }

  async once(key: string, find: (signal: AbortSignal) => Promise<Fact>, signal?: AbortSignal): Promise<Fact> {
    let awaySince: number | undefined;
    for (let failures = 0; ;) {
      signal?.throwIfAborted();
      let isMine = false;
      try {
        const asked = { key, row: LOOKED_FOR };
        await this.#claims.add(asked);
        const { mine, fact, left_ms } = asked.row;
        failures = 0;
        awaySince = undefined;
        isMine = mine;
        if (!mine && fact !== null && left_ms > 0) return { text: fact, forMs: left_ms };
      } catch (error) {
        failures += 1;
        awaySince ??= performance.now();
        if (this.#closed.signal.aborted || performance.now() - awaySince > LONGEST_AWAY_MS) throw error;
      }
      const found = isMine && (await this.#find(key, find));
      if (found) return found;
      const inMs = failures === 0 ? LOOK_AGAIN_MS : backoffDelay(failures, { baseMs: 250, capMs: 2_000 });
      await wait(systemClock, inMs, signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#watch);
    if (this.#fleet.away !== undefined) this.#closed.abort();
    await Promise.all(this.#found.values());
    // Callers that still wait fail at their next query.
    this.#closed.abort();
  }

  /** After a pause longer than the lease this process was frozen and considered dead: others find its facts. */
  #dropLostClaims(): void {
    const { at, day } = this.#seen;
    this.#seen = { at: performance.now(), day: Date.now() };
    if (Math.max(this.#seen.at - at, this.#seen.day - day) > this.#fleet.leaseMs)
      for (const claim of this.#held) claim.abort();
  }

  /** Undefined when the claim was lost meanwhile. */
  async #find(key: string, find: (signal: AbortSignal) => Promise<Fact>): Promise<Fact | undefined> {
    const claim = new AbortController();
    this.#held.add(claim);
    let found: Fact | undefined;
    try {
      found = await find(claim.signal);
    } catch (error) {
      this.#dropLostClaims();
      if (!claim.signal.aborted) {
        await this.#giveUp(key);
        throw error;
      }
    } finally {
      // What was found may arrive before the timer of a process that continues.
      this.#dropLostClaims();
      this.#held.delete(claim);
    }
    if (!found || claim.signal.aborted) {
      await this.#giveUp(key);
      return undefined;
    }
    const written = this.#again(() => this.#writes.add({ key, ...found }));
    this.#found.set(key, written);
    void written.finally(() => this.#found.delete(key));
    // The caller need not wait until it is stored.
    return found;
  }

  /** Lets another process find the fact, unless one has taken over already. */
  async #giveUp(key: string): Promise<void> {
    const { holder } = this.#fleet;
    await this.#again(() =>
      this.#fleet.query('UPDATE host_facts SET finder_until = 0 WHERE key = $1 AND finder = $2', [key, holder]),
    );
  }

  async #claim(asked: readonly { readonly key: string; row: Row }[]): Promise<void> {
    const keys = asked.map(({ key }) => key);
    const rows = await this.#fleet.query<Row & { key: string }>(CLAIM, [keys, this.#fleet.holder, FINDING_MS]);
    const byKey = new Map<string, Row>(rows.map((row) => [row.key, row]));
    for (const each of asked) {
      each.row = byKey.get(each.key) ?? LOOKED_FOR;
      // Only one of the callers in this process searches.
      if (each.row.mine) byKey.delete(each.key);
    }
  }

  async #write(facts: readonly (Fact & { readonly key: string })[]): Promise<void> {
    await this.#fleet.query(WRITE, [
      facts.map(({ key }) => key),
      facts.map(({ text }) => text),
      facts.map(({ forMs }) => forMs),
    ]);
  }

  /** Retries during an outage: a fact that is not stored would be found twice. */
  async #again(write: () => Promise<unknown>): Promise<void> {
    for (let failures = 1; !this.#closed.signal.aborted; failures += 1) {
      try {
        await write();
        return;
      } catch {
        const inMs = backoffDelay(failures, { baseMs: 250, capMs: 2_000 });
        await wait(systemClock, inMs, this.#closed.signal).catch(() => undefined);
      }
    }
  }
}
