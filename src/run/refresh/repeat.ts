import type { Clock } from '../../base/index.ts';
import { AppError, loggedError, wait } from '../../base/index.ts';

const DAY_MS = 86_400_000;
/** Trying again would not help: what was asked for is wrong. */
const MISTAKE = /^(?:USAGE|CONFIG)_/;

/**
 * Does something now and again after each `everyMs`, counted from the start of the last time, until the signal aborts. A
 * failure with a code is told, and it is tried again the next time, unless what was asked for is wrong.
 */
export async function repeatEvery(
  everyMs: number,
  act: () => Promise<void>,
  {
    clock,
    signal,
    tell,
  }: {
    readonly clock: Clock;
    readonly signal: AbortSignal /** Before each wait; `failure` says why the last time failed. */;
    readonly tell: (nextAt: number, failure: string | undefined) => void;
  },
): Promise<never> {
  for (;;) {
    const nextAt = clock.now() + everyMs;
    let failure: string | undefined;
    try {
      await act();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError) || MISTAKE.test(error.code)) throw error;
      failure = loggedError(error);
    }
    tell(nextAt, failure);
    // A timer cannot be longer than 24 days, and a machine may have been asleep.
    while (clock.now() < nextAt) await wait(clock, Math.min(DAY_MS, nextAt - clock.now()), signal);
  }
}
