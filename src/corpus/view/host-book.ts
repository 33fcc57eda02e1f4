import type { HostRow } from '../../telemetry/index.ts';
import type { RunEvent } from './run-event.ts';

/** Hosts beyond this many are counted together under an empty name. */
const MOST_HOSTS = 20_000;
const REFUSALS = new Set(['429', '503']);

/** How a run has behaved towards a host, from its host log. Moments are ISO 8601. */
export interface HostFigures {
  readonly host: string;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly bytes: number;
  /** Requests in the last slice of the log, and how long that was. */
  readonly lastSent: number;
  readonly lastMs: number;
  /** Most at once in the last slice. */
  readonly most: number;
  readonly cap: number;
  readonly heldUntil: string | null;
  readonly heldWhy: 'rate-limited' | 'host-held' | null;
  readonly lastAt: string;
}

type Figures = { -readonly [Key in keyof HostFigures]: HostFigures[Key] };

/** What the host log of a run says of each host. */
export class HostBook {
  readonly #hosts = new Map<string, Figures>();

  /** Takes down a slice; answers what is worth telling about it. */
  add(row: HostRow): RunEvent | undefined {
    const figures = this.#of(row.host);
    figures.requests += row.sent;
    figures.bytes += row.bytes;
    for (const [outcome, times] of Object.entries(row.done)) {
      if (REFUSALS.has(outcome)) figures.refused += times;
      else if (/^5\d\d$/.test(outcome) || !/^\d{3}$/.test(outcome)) figures.failed += times;
    }
    Object.assign(figures, { lastSent: row.sent, lastMs: row.ms, most: row.most, lastAt: row.at });
    if (row.cap > 0) figures.cap = row.cap;
    const [until, why] =
      row.held_until === null ? [row.asked_until, 'rate-limited' as const] : [row.held_until, 'host-held' as const];
    if (until === null) return undefined;
    const isNews = figures.heldUntil === null || until > figures.heldUntil;
    if (isNews) Object.assign(figures, { heldUntil: until, heldWhy: why });
    if (!isNews) return undefined;
    return {
      at: row.at,
      kind: 'host',
      level: 'warn',
      text: why === 'host-held' ? `keeps failing, held until ${until}` : `rate-limited until ${until}`,
      work: null,
      document: null,
      host: row.host,
      reason: why,
    };
  }

  /** The most asked first. */
  list(): readonly HostFigures[] {
    return [...this.#hosts.values()].sort((a, b) => b.requests - a.requests || (a.host < b.host ? -1 : 1));
  }

  clear(): void {
    this.#hosts.clear();
  }

  #of(name: string): Figures {
    const host = this.#hosts.size >= MOST_HOSTS && !this.#hosts.has(name) ? '' : name;
    let figures = this.#hosts.get(host);
    if (!figures) {
      figures = {
        host, requests: 0, refused: 0, failed: 0, bytes: 0, lastSent: 0, lastMs: 1_000, most: 0, cap: 0, heldUntil: null, heldWhy: null,
        lastAt: '',
      }; // prettier-ignore
      this.#hosts.set(host, figures);
    }
    return figures;
  }
}
