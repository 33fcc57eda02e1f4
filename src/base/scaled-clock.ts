import type { Clock } from './clock.ts';

/**
 * A clock on which time passes faster: with scale 0.05, twenty seconds pass on it in one real second. Whoever waits,
 * paces or times out by it keeps every proportion; it is how a client follows a simulator's shortened time.
 */
export function scaledClock(clock: Clock, scale: number): Clock {
  const startedAt = clock.now();
  const startedMonotonic = clock.monotonic();
  const elapsed = (): number => (clock.monotonic() - startedMonotonic) / scale;
  return {
    now: () => startedAt + elapsed(),
    monotonic: () => startedMonotonic + elapsed(),
    setTimer: (delayMs, fire) => clock.setTimer(delayMs * scale, fire),
  };
}
