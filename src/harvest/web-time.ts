import type { Clock } from '../base/index.ts';
import { scaledClock } from '../base/index.ts';
import type { Send } from '../http/index.ts';

/** The pace of time on the web that is asked: the machine's own, or that of a simulated web. */
export interface WebTime {
  /** For pacing, waiting and time limits of requests, and nothing else. */
  readonly clock: Clock;
  /**
   * Tells the moments that requests end with in the machine's time. What is written down outlives the process, and the
   * shortened time of one process means nothing to the next.
   */
  toMachineTime(send: Send): Send;
}

/** Time that passes `1 / scale` times as fast as the machine's. */
export function createWebTime(machine: Clock, scale: number): WebTime {
  if (scale === 1) return { clock: machine, toMachineTime: (send) => send };
  const clock = scaledClock(machine, scale);
  return {
    clock,
    toMachineTime: (send) => async (request, signal) => {
      const result = await send(request, signal);
      if (result.kind !== 'later') return result;
      return { ...result, at: machine.now() + (result.at - clock.now()) * scale };
    },
  };
}
