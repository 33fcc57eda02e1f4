/** No host is asked more slowly than this share of the usual speed because of its 429s alone. */
const SLOWEST_SHARE = 1 / 16;
/** After so many good answers a slowed host is asked a quarter faster. */
const ANSWERS_TO_QUICKEN = 20;
const QUICKER = 1.25;

/** How fast hosts are asked that publish no limit: as is usual, or slower where they found that too fast. */
export class HostSpeeds {
  readonly #usual: number;
  readonly #slowed = new Map<string, { readonly perSecond: number; answers: number }>();

  constructor(usualPerSecond: number) {
    this.#usual = usualPerSecond;
  }

  perSecond(host: string): number {
    return this.#slowed.get(host)?.perSecond ?? this.#usual;
  }

  /** The host said 429: it bears half as much. True when the speed has changed. */
  refused(host: string): boolean {
    return this.#set(host, Math.max(this.#usual * SLOWEST_SHARE, this.perSecond(host) / 2));
  }

  /** The host answered well; after many such answers it is asked a little faster. True when the speed has changed. */
  answered(host: string): boolean {
    const slowed = this.#slowed.get(host);
    if (!slowed) return false;
    slowed.answers += 1;
    return slowed.answers >= ANSWERS_TO_QUICKEN && this.#set(host, slowed.perSecond * QUICKER);
  }

  #set(host: string, perSecond: number): boolean {
    const before = this.perSecond(host);
    if (perSecond >= this.#usual) this.#slowed.delete(host);
    else this.#slowed.set(host, { perSecond, answers: 0 });
    return this.perSecond(host) !== before;
  }
}
