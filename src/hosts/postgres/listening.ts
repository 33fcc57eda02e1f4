import type pg from 'pg';

import { equalJitterDelay } from '../../base/index.ts';

/** Hears what others of the fleet say, on a connection of its own; listens again after the server was away. */
export class Listening implements Disposable {
  readonly #pool: pg.Pool;
  readonly #channel: string;
  readonly #heard: (message: string | undefined) => void;
  #isClosed = false;
  #leave: () => void = () => undefined;

  /** `heard` is told undefined when anything may have been missed. */
  constructor(pool: pg.Pool, channel: string, heard: (message: string | undefined) => void) {
    this.#pool = pool;
    this.#channel = channel;
    this.#heard = heard;
  }

  start(): void {
    void this.#listen();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#leave();
  }

  async #listen(): Promise<void> {
    for (let attempt = 1; !this.#isClosed; attempt += 1) {
      try {
        const client = await this.#pool.connect();
        const lost = Promise.withResolvers<void>();
        this.#leave = lost.resolve;
        client.on('error', () => lost.resolve());
        client.once('end', () => lost.resolve());
        client.on('notification', ({ payload }) => this.#heard(payload));
        try {
          await client.query(`LISTEN "${this.#channel}"`);
          attempt = 1;
          this.#heard(undefined);
          if (!this.#isClosed) await lost.promise;
        } finally {
          client.release(true);
        }
      } catch {
        // The server is away; whoever asks for a turn tells of it.
      }
      if (this.#isClosed) return;
      const inMs = equalJitterDelay(attempt, { baseMs: 200, capMs: 5_000 });
      await new Promise<void>((resolve) => setTimeout(resolve, inMs).unref());
    }
  }
}
