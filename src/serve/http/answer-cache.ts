/** A response body with its ETag. */
export interface KeptAnswer {
  readonly version: string;
  readonly etag: string;
  readonly body: Buffer;
  /** The response headers. */
  readonly head: Readonly<Record<string, string | number>>;
}

const MOST_BYTES = 32_000_000;
const LARGEST = 1_000_000;
const MOST_ANSWERS = 10_000;

/** Caches responses until their version changes, so that repeated requests get the same bytes. */
export class AnswerCache {
  readonly #kept = new Map<string, KeptAnswer>();
  #bytes = 0;

  get(url: string, version: string): KeptAnswer | undefined {
    const kept = this.#kept.get(url);
    return kept?.version === version ? kept : undefined;
  }

  set(url: string, answer: KeptAnswer): void {
    this.#remove(url);
    if (answer.body.length > LARGEST) return;
    this.#kept.set(url, answer);
    this.#bytes += answer.body.length + url.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MOST_BYTES && this.#kept.size <= MOST_ANSWERS) break;
      this.#remove(oldest);
    }
  }

  #remove(url: string): void {
    const kept = this.#kept.get(url);
    if (!kept) return;
    this.#kept.delete(url);
    this.#bytes -= kept.body.length + url.length;
  }
}
