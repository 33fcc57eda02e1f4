/** API keys that the simulated services accept; clients get them from the admin API. */
export const SIM_KEYS = {
  openalex: 'sim-openalex-key',
  core: 'sim-core-key',
  semantic_scholar: 'sim-semantic-scholar-key',
  openaire: 'sim-openaire-token',
  osf: 'sim-osf-token',
  ncbi: 'sim-ncbi-key',
  openaire_refresh: 'sim-openaire-refresh-token',
  springer_nature: 'sim-springer-nature-key',
  wiley: 'sim-wiley-token',
  elsevier: 'sim-elsevier-key',
  zotero: 'sim-zotero-key',
} as const;

const DAILY_CREDITS = { anonymous: 1_000, keyed: 10_000 } as const;

const DAY_MS = 86_400_000;

/** State of the services during one run; `POST /__sim/reset` starts a new run. */
export class RunState {
  readonly id: number;
  readonly attempts = new Map<string, number>();
  readonly #spent = new Map<string, { day: number; credits: number }>();
  readonly #allowance = new Map<string, number>();

  constructor(id: number) {
    this.id = id;
  }

  /** Counts a GET of the URL and returns its number. */
  attempt(url: string): number {
    const attempt = (this.attempts.get(url) ?? 0) + 1;
    this.attempts.set(url, attempt);
    return attempt;
  }

  limit(key: string | null): number {
    return this.#allowance.get(key ?? '') ?? (key === null ? DAILY_CREDITS.anonymous : DAILY_CREDITS.keyed);
  }

  allow(key: string | null, credits: number): void {
    this.#allowance.set(key ?? '', credits);
  }

  remaining(key: string | null, now: number): number {
    const spent = this.#spent.get(key ?? '');
    return this.limit(key) - (spent && spent.day === Math.floor(now / DAY_MS) ? spent.credits : 0);
  }

  /** Deducts credits from today's budget; returns false and deducts nothing if there are not enough. */
  spend(key: string | null, credits: number, now: number): boolean {
    if (this.remaining(key, now) < credits) return false;
    const day = Math.floor(now / DAY_MS);
    const spent = this.#spent.get(key ?? '');
    this.#spent.set(key ?? '', { day, credits: (spent && spent.day === day ? spent.credits : 0) + credits });
    return true;
  }
}

export function secondsToMidnight(now: number): number {
  return Math.ceil((DAY_MS - (now % DAY_MS)) / 1_000);
}
