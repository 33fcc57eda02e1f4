import type { Clock } from '../src/base/index.ts';
import { systemClock } from '../src/base/index.ts';
import type { Wrap } from '../src/http/index.ts';
import { SUFFIX } from './world/identifiers.ts';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * The time of a simulated web, for its clients: rates, waits and timeouts follow a clock that runs `1 / scale` times as
 * fast as the machine's. Real hosts are refused, since the pauses are too short for them.
 */
export function webTime(scale: number, machine: Clock = systemClock): { readonly clock: Clock; readonly wrap: Wrap } {
  const clock = scaledClock(machine, scale);
  return {
    clock,
    wrap: (send) => async (request, signal) => {
      const { hostname, href } = request.url;
      if (!hostname.endsWith(SUFFIX) && !LOOPBACK.has(hostname)) {
        const message = `${hostname} is not part of the simulated web`;
        return { kind: 'refused', reason: 'bad-url', message, trail: { url: href, chain: [] } };
      }
      const result = await send(request, signal);
      // Stored with the queue, whose times are the machine's.
      return result.kind === 'later' ? { ...result, at: machine.now() + (result.at - clock.now()) * scale } : result;
    },
  };
}

/** With scale 0.05, twenty seconds pass on this clock in one real second. */
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
