import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { chunkOutput } from '../../parse/index.ts';
import type { SearchMode } from '../../search/index.ts';
import type { CitedHit } from '../cited-hit.ts';
import type { SearchRequest, SearchSession } from '../search-session.ts';

/** A corpus that may still be growing is looked at again no more often than this. */
const LOOK_MS = 10_000;

interface Parts {
  readonly folder: string;
  readonly dataRoot: string;
  readonly clock: Clock;
  readonly open: () => Promise<SearchSession>;
}

/** An opened index with those who still ask it: it is closed when it is replaced and the last of them has its answer. */
class Opened {
  readonly session: SearchSession;
  readonly stamp: string;
  #askers = 0;
  #isReplaced = false;

  constructor(session: SearchSession, stamp: string) {
    this.session = session;
    this.stamp = stamp;
  }

  async ask<T>(question: (session: SearchSession) => Promise<T>): Promise<T> {
    this.#askers += 1;
    try {
      return await question(this.session);
    } finally {
      this.#askers -= 1;
      await this.#closeIfDone();
    }
  }

  async replace(): Promise<void> {
    this.#isReplaced = true;
    await this.#closeIfDone();
  }

  async #closeIfDone(): Promise<void> {
    if (this.#isReplaced && this.#askers === 0) await this.session[Symbol.asyncDispose]();
  }
}

/**
 * A search that stays open while the corpus grows:
 *
 *   closed ──question──▶ opening ──▶ open ──files have changed, looked at long enough ago──▶ opening another ──▶ open
 */
export class LiveSearch implements AsyncDisposable {
  readonly #parts: Parts;
  #current: Opened | undefined;
  #opening: Promise<Opened> | undefined;
  #lookedAt = -Infinity;

  /** Use `Corpus.liveSearch`. */
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** How it is searched unless a question says otherwise, and how many passages there are. */
  async about(): Promise<{ readonly mode: SearchMode; readonly passages: number }> {
    const { session } = await this.#open();
    return { mode: session.mode, passages: session.passages };
  }

  async search(question: string, request: SearchRequest = {}, signal?: AbortSignal): Promise<CitedHit[]> {
    const opened = await this.#open();
    return await opened.ask((session) => session.search(question, request, signal));
  }

  /** One asker who gives up must not stop the opening that others wait for: there is no signal here. */
  async #open(): Promise<Opened> {
    if (this.#opening) return await this.#opening;
    const now = this.#parts.clock.monotonic();
    const isFresh = now - this.#lookedAt < LOOK_MS;
    if (this.#current && (isFresh || this.#current.stamp === this.#stamp())) {
      if (!isFresh) this.#lookedAt = now;
      return this.#current;
    }
    this.#opening = this.#openAnother().finally(() => (this.#opening = undefined));
    return await this.#opening;
  }

  async #openAnother(): Promise<Opened> {
    const before = this.#current;
    const session = await this.#parts.open();
    // Opening brings the index up to date: the stamp is that of what was opened.
    this.#current = new Opened(session, this.#stamp());
    this.#lookedAt = this.#parts.clock.monotonic();
    await before?.replace();
    return this.#current;
  }

  /** Others mean other passages or another index. */
  #stamp(): string {
    const { folder, dataRoot } = this.#parts;
    const looked = [
      dirname(chunkOutput(dataRoot, 'any', 'parquet')),
      join(folder, 'Index', 'index.sqlite'),
      join(folder, 'manifest.sqlite3'),
    ];
    return looked.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0).join(' ');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#current?.replace();
    this.#current = undefined;
  }
}
