import type { Clock } from '../../base/index.ts';
import { errorInfo, wait } from '../../base/index.ts';

/** How often lines of other machines are copied. */
const PULL_MS = 1_000;

/** Copies lines of other machines every second until it is disposed of. An error is said once, until it has gone. */
export function keepCopying(
  clock: Clock,
  { copy, warn }: { readonly copy: () => Promise<void>; readonly warn: (message: string) => void },
  stop = new AbortController(),
): AsyncDisposable {
  const run = async (): Promise<void> => {
    let said = '';
    while (!stop.signal.aborted)
      try {
        await wait(clock, PULL_MS, stop.signal);
        await copy();
        said = '';
      } catch (error) {
        const { code, message } = errorInfo(error);
        if (stop.signal.aborted || code === said) continue;
        said = code;
        warn(`logs of other machines could not be copied: ${message}`);
      }
  };
  const copying = run();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await copying;
    },
  };
}
