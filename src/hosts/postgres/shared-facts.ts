import { equalJitterDelay, systemClock, wait } from '../../base/index.ts';
import type { Fact, Facts } from '../facts.ts';
import type { Desk } from './desk.ts';

/** How long a process may look for a fact before another one does; one that dies is followed as soon as it counts as gone. */
const FINDING_MS = 120_000;
const LOOK_AGAIN_MS = 100;
/** Who cannot ask the fleet for this long finds out for itself. */
const LONGEST_AWAY_MS = 10 * 60_000;

interface Row {
  readonly fact: string | null;
  readonly left_ms: number;
  readonly mine: boolean;
}

const CLAIM = `
  WITH claimed AS (
    INSERT INTO host_facts AS f (key, finder, finder_until) VALUES ($1, $2, server_ms() + $3)
    ON CONFLICT (key) DO UPDATE SET finder = excluded.finder, finder_until = excluded.finder_until
      WHERE f.expires_at <= server_ms() AND (f.finder_until <= server_ms()
        OR NOT EXISTS (SELECT FROM host_holders h WHERE h.holder = f.finder AND h.expires_at > server_ms()))
    RETURNING 1)
  SELECT (SELECT count(*) > 0 FROM claimed) AS mine, f.fact, coalesce(f.expires_at, 0) - server_ms() AS left_ms
  FROM (SELECT 1) one LEFT JOIN host_facts f ON f.key = $1`;

/**
 * What one process of a fleet finds out for all, such as a robots.txt.
 *
 *   asked ──known──▶ told
 *     │ nobody knows, nobody looks (or who looked has died)
 *     ├──▶ finding ──found──▶ written down, again and again while the server is away ──▶ told to all
 *     └─ somebody looks, or the server is away: asked again in a moment
 */
export class SharedFacts implements Facts, AsyncDisposable {
  readonly #desk: Desk;
  readonly #scale: number;
  readonly #closed = new AbortController();
  /** What was found here and may not be written down yet: nobody looks for it twice. */
  readonly #found = new Map<string, Promise<void>>();

  constructor(desk: Desk, scale: number) {
    this.#desk = desk;
    this.#scale = scale;
  }

  async once(key: string, find: () => Promise<Fact>, signal?: AbortSignal): Promise<Fact> {
    let awaySince: number | undefined;
    for (let failures = 0; ;) {
      signal?.throwIfAborted();
      try {
        const [row] = await this.#desk.query<Row>(CLAIM, [key, this.#desk.holder, FINDING_MS]);
        failures = 0;
        awaySince = undefined;
        if (row && !row.mine && row.fact !== null && row.left_ms > 0) {
          return { text: row.fact, forMs: row.left_ms / this.#scale };
        }
        if (row?.mine) break;
      } catch (error) {
        failures += 1;
        awaySince ??= performance.now();
        if (this.#closed.signal.aborted || performance.now() - awaySince > LONGEST_AWAY_MS) throw error;
      }
      const inMs = failures === 0 ? LOOK_AGAIN_MS : equalJitterDelay(failures, { baseMs: 250, capMs: 2_000 });
      await wait(systemClock, inMs, signal);
    }
    return await this.#find(key, find);
  }

  /** Whoever ends lets what it has found be written down first, while there is a server. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#desk.away !== undefined) this.#closed.abort();
    await Promise.all(this.#found.values());
  }

  async #find(key: string, find: () => Promise<Fact>): Promise<Fact> {
    const found = await find().catch(async (error: unknown) => {
      await this.#again('UPDATE host_facts SET finder_until = 0 WHERE key = $1 AND finder = $2', [
        key,
        this.#desk.holder,
      ]);
      throw error;
    });
    const written = this.#again(
      `UPDATE host_facts SET fact = $2, expires_at = server_ms() + $3, finder_until = 0
       FROM (SELECT set_config('synchronous_commit', 'on', true)) AS synced WHERE key = $1`,
      [key, found.text, found.forMs * this.#scale],
    );
    this.#found.set(key, written);
    void written.finally(() => this.#found.delete(key));
    // Nobody waits for the server to be back to use what is known.
    if (this.#desk.away === undefined) await written;
    return found;
  }

  /** Does it, and does it again while the server is away: what is not written down is found out twice. */
  async #again(text: string, values: readonly unknown[]): Promise<void> {
    for (let failures = 1; !this.#closed.signal.aborted; failures += 1) {
      try {
        await this.#desk.query(text, values);
        return;
      } catch {
        const inMs = equalJitterDelay(failures, { baseMs: 250, capMs: 2_000 });
        await wait(systemClock, inMs, this.#closed.signal).catch(() => undefined);
      }
    }
  }
}
