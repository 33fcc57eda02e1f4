import { AsyncLocalStorage } from 'node:async_hooks';

import type { WhileWaiting } from '../hosts/index.ts';

/** What a job can do for those who ask hosts in its course. */
export interface JobSeat {
  /** It asks the host it was leased for: no room has to be kept for it any more. */
  asks(host: string): void;
  /** Gives up its worker, waits, and takes a worker again. */
  readonly whileWaiting: WhileWaiting;
}

const seats = new AsyncLocalStorage<JobSeat>();

/** Runs a job's handler so that whatever it calls can find its seat. */
export function seated<T>(seat: JobSeat, run: () => T): T {
  return seats.run(seat, run);
}

/** The job in whose course this is called; outside of jobs nothing is given up. */
export const currentJob: JobSeat = {
  asks: (host) => seats.getStore()?.asks(host),
  whileWaiting: (wait) => seats.getStore()?.whileWaiting(wait) ?? wait(),
};
