/* oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Scores by row, and the list of works they belong to. */
export interface Ranking {
  readonly of: string;
  readonly scores: Float64Array;
}

export interface RankedRun {
  readonly folder: string;
  readonly manifests: string | undefined;
}

/** Ranks works in a thread that reads the same log. Requests made while it is busy share the next ranking. */
export class BackgroundRanking implements Disposable {
  readonly #run: RankedRun;
  readonly #take: (ranking: Ranking) => void;
  error: unknown;
  #worker: Worker | undefined;
  #running: PromiseWithResolvers<void> | undefined;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(run: RankedRun, take: (ranking: Ranking) => void) {
    this.#run = run;
    this.#take = take;
  }

  /** Resolves when the ranking includes everything logged before this call. */
  request(): Promise<void> {
    if (this.#running) return (this.#waiting ??= promised()).promise;
    this.#running = promised();
    this.error = undefined;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage('rank');
    return this.#running.promise;
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./rank-worker${extname(import.meta.filename)}`, import.meta.url), {
      workerData: this.#run,
    });
    worker.on('message', (ranking: Ranking) => {
      this.#take(ranking);
      const [done, next] = [this.#running, this.#waiting];
      [this.#running, this.#waiting] = [next, undefined];
      if (next) worker.postMessage('rank');
      else worker.unref();
      done?.resolve();
    });
    worker.on('error', (error) => {
      // The next request starts another thread.
      this.#worker = undefined;
      this.error = error;
      for (const each of [this.#running, this.#waiting]) each?.reject(error);
      [this.#running, this.#waiting] = [undefined, undefined];
    });
    return worker;
  }

  [Symbol.dispose](): void {
    void this.#worker?.terminate();
  }
}

/** A promise that may reject while nothing awaits it; `error` then holds the reason. */
function promised(): PromiseWithResolvers<void> {
  const made = Promise.withResolvers<void>();
  made.promise.catch(() => undefined);
  return made;
}
