import type { ManifestSink } from '../stage/index.ts';

/** A manifest that is not written: for work whose result is only kept to save time. */
export function quietSink(): ManifestSink {
  return {
    logSuccess: () => undefined,
    logSkip: () => undefined,
    logFailure: () => undefined,
    logAttempt: () => undefined,
    flush: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
