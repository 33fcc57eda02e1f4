import type { Clock, Timer } from '../base/index.ts';
import type { Terminal } from './terminal.ts';
import { grouped } from './terminal.ts';

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

/** 1234567 → `1,234,567`. */
export function count(value: number): string {
  return grouped(Math.round(value));
}

/** Formats milliseconds: `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '?';
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const from = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(from, from + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ');
}
