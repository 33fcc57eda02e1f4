import * as z from 'zod';

import type { Clock } from '../../base/index.ts';
import { KeyedLimiter } from '../../base/index.ts';
import { Problem } from '../http/problem.ts';
import type { Monitor } from '../watch/monitor.ts';

export const words = z.string().max(1_000);

const limit = z.int().min(1).max(500).optional().describe('Maximum number; default 50.');
const cursor = z.string().max(4_000).optional().describe('`next` of the previous page.');
export const pageQuery = { limit, cursor };

export interface Context {
  readonly monitor: Monitor;
  readonly clock: Clock;
  readonly version: string;
  readonly workerCommand: string | null;
  readonly control: {
    readonly isAllowed: boolean;
    /** Log file of control actions. */
    readonly path?: string | undefined;
    readonly log?: (level: 'info', message: string) => void;
  };
  readonly hasMcp: boolean;
}

export function checkControl({ control }: Context, what: string): void {
  if (!control.isAllowed)
    throw new Problem(403, 'STEERING_OFF', 'this server is read-only', {
      hint: `start it with --allow-control to ${what}`,
    });
}

const MOST_WAITING = 64;

/**
 * Turns of requests that use a core or read the same papers, so many of a kind at once; too many waiting ones are
 * refused.
 */
export function turnsOf(clock: Clock, limits: Readonly<Record<string, number>>) {
  const limiter = new KeyedLimiter({ clock, defaultLimit: 1, limits });
  let waiting = 0;
  return {
    async take(kind: string, signal: AbortSignal): Promise<Disposable> {
      const free = limiter.tryAcquire([kind]);
      if (free) return free;
      if (waiting >= MOST_WAITING)
        throw new Problem(503, 'TOO_BUSY', 'too many requests are waiting', { headers: { 'retry-after': '2' } });
      waiting += 1;
      return await limiter.acquire([kind], signal).finally(() => (waiting -= 1));
    },
  };
}
