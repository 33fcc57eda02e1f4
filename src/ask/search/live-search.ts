import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { chunkOutput } from '../../parse/index.ts';
import type { SearchMode } from '../../search/index.ts';
import type { CitedHit } from './cited-hit.ts';
import { KeptOpen } from './kept-open.ts';
import type { SearchRequest, SearchSession } from './search-session.ts';

/** A corpus that may still be growing is looked at again no more often than this. */
const LOOK_MS = 10_000;

interface Parts {
  readonly folder: string;
  readonly dataRoot: string;
  readonly clock: Clock;
  readonly open: () => Promise<SearchSession>;
}

/** A search that stays open while the corpus grows. */
export class LiveSearch implements AsyncDisposable {
  readonly #kept: KeptOpen<SearchSession>;

  /** Use `Corpus.liveSearch`. */
  constructor({ folder, dataRoot, clock, open }: Parts) {
    const looked = [
      dirname(chunkOutput(dataRoot, 'any', 'parquet')),
      join(folder, 'Index'),
      join(folder, 'manifest.jsonl'),
      join(folder, 'records.jsonl'),
      join(folder, 'decisions.jsonl'),
    ];
    // Others mean other passages or another index.
    const stamp = (): string => looked.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0).join(' ');
    this.#kept = new KeptOpen({ open, stamp, lookMs: LOOK_MS, clock, renews: true });
  }

  /** How it is searched unless a question says otherwise, and how many passages there are. */
  async about(): Promise<{ readonly mode: SearchMode; readonly passages: number }> {
    return await this.#kept.use(({ mode, passages }) => ({ mode, passages }));
  }

  /** One asker who gives up must not stop the opening that others wait for: the signal stops the question alone. */
  async search(question: string, request: SearchRequest = {}, signal?: AbortSignal): Promise<CitedHit[]> {
    return await this.#kept.use((session) => session.search(question, request, signal));
  }

  /** The open session itself, for as long as `work` runs. */
  async use<T>(work: (session: SearchSession) => Promise<T>): Promise<T> {
    return await this.#kept.use(work);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kept[Symbol.asyncDispose]();
  }
}
