import type { Clock } from '../../base/index.ts';

/** What long-lived parts need besides their settings: the time, and somebody to tell what is worth telling. */
export interface Runtime {
  readonly clock: Clock;
  log(level: 'error' | 'warn' | 'info' | 'debug', message: string): void;
}
