import { z } from 'zod';

import type { Clock } from '../../base/index.ts';
import { Problem } from '../http/problem.ts';
import type { QueueWatch } from '../watch/queue-watch.ts';
import type { RunWatch } from '../watch/run-watch.ts';
import type { World } from '../watch/world.ts';

/** Text parameter with a length limit. */
export const words = z.string().max(1_000);

const limit = z.int().min(1).max(500).optional().describe('Maximum number; default 50.');
const cursor = z.string().max(4_000).optional().describe('`next` of the previous page.');
export const pageQuery = { limit, cursor };

export interface Context {
  readonly world: World;
  readonly clock: Clock;
  readonly version: string;
  readonly steering: {
    readonly isAllowed: boolean;
    /** Log file of control actions. */
    readonly path?: string | undefined;
    readonly log?: (level: 'info', message: string) => void;
  };
  readonly hasMcp: boolean;
}

export function checkSearchable(run: RunWatch): void {
  if (run.search.isThere) return;
  throw new Problem(404, 'NO_INDEX', 'there is nothing to search in this run yet', {
    hint: 'docstokg run and docstokg search make the index',
  });
}

/** Rejects changes on a read-only server. */
export function checkControl({ steering }: Context, what: string): void {
  if (!steering.isAllowed)
    throw new Problem(403, 'STEERING_OFF', 'this server is read-only', {
      hint: `start it with --allow-control to ${what}`,
    });
}

/** The queue, or a 404 if none is monitored. */
export function queueOf({ world }: Context): QueueWatch {
  if (world.queue) return world.queue;
  throw new Problem(404, 'NO_QUEUE', 'no queue is monitored', { hint: 'start docstokg serve with --queue PATH' });
}

const MOST_WAITING = 64;

/** A semaphore with a bounded number of waiters. */
export class Turns {
  readonly #atOnce: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async take(signal: AbortSignal): Promise<Disposable> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= MOST_WAITING)
        throw new Problem(503, 'TOO_BUSY', 'too many requests of this kind are waiting', {
          headers: { 'retry-after': '2' },
        });
      await new Promise<void>((go) => this.#waiting.push(go));
    } else this.#running += 1;
    const turn = { [Symbol.dispose]: () => this.#next() };
    if (signal.aborted) {
      turn[Symbol.dispose]();
      throw new Problem(503, 'GONE', 'the client disconnected');
    }
    return turn;
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running -= 1;
  }
}
