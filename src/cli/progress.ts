import type { Clock, Timer } from '../base/index.ts';
import type { Terminal } from './terminal.ts';

const LIVE_MS = 200;
const PIPE_MS = 10_000;
const FIRST_MS = 2_000;

type Line = string | undefined;

/**
 * Shows progress: a live line in a terminal, a line every ten seconds in a pipe, and nothing for the first two seconds.
 * Lines that have not changed are not repeated in a pipe. Errors of `describe` are ignored here; the work itself
 * reports them.
 */
export function showProgress(terminal: Terminal, clock: Clock, describe: () => Line | Promise<Line>): Disposable {
  let over = false;
  let last: Line;
  let timer: Timer;
  const arm = (delayMs: number): void => {
    timer = clock.setTimer(delayMs, () => void tick());
    timer.unref();
  };
  const tick = async (): Promise<void> => {
    const line = await Promise.try(describe).catch(() => undefined);
    if (over) return;
    if (line === undefined) terminal.clear();
    else if (terminal.live || line !== last)
      terminal.status(terminal.live ? line.slice(0, terminal.columns - 1) : line);
    last = line;
    arm(terminal.live ? LIVE_MS : PIPE_MS);
  };
  arm(FIRST_MS);
  return {
    [Symbol.dispose]: () => {
      over = true;
      timer[Symbol.dispose]();
      terminal.clear();
    },
  };
}
