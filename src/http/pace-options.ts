import type { Clock, Limiter, Random } from '../base/index.ts';
import type { HttpEvent } from './event.ts';
import type { Holds } from './holds.ts';
import type { Pools } from './pools.ts';

/** What pace keeps to, and with what. */
export interface PaceOptions {
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly holds: Holds;
  readonly pools: Pools;
  /** For hosts that belong to no pool. */
  readonly perHost: { readonly perSecond: number; readonly concurrency: number };
  /** Share by which we stay below every rate: arrivals bunch on the way. */
  readonly margin: number;
  /** Who would have to wait longer than this because a host asked for it is told to come back instead. */
  readonly parkAfterMs: number;
  /** A host that wants to be left alone for longer than this is given up. */
  readonly giveUpAfterMs: number;
  /** The same for a wait that is of our own making: the line of those who want the same. */
  readonly longestLineMs: number;
  readonly backoff: { readonly baseMs: number; readonly capMs: number };
  readonly random?: Random | undefined;
  readonly report?: ((event: HttpEvent) => void) | undefined;
}
