const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The two ways to end a run early: drain lets what runs finish, abort does not. */
export interface Stop extends Disposable {
  readonly drain: AbortSignal;
  readonly abort: AbortSignal;
}

/**
 * Listens to the process's signals while a stage runs: the first drains, the second aborts. `outer` drains as well,
 * for programs that have listened already.
 */
export function openStop(options: { readonly handleSignals: boolean; readonly outer: AbortSignal | undefined }): Stop {
  const drain = new AbortController();
  const abort = new AbortController();
  const signalled = (name: string): void => {
    if (drain.signal.aborted) abort.abort(name);
    else drain.abort(name);
  };
  const asked = (): void =>
    drain.abort(typeof options.outer?.reason === 'string' ? options.outer.reason : 'asked to stop');
  if (options.outer?.aborted) asked();
  options.outer?.addEventListener('abort', asked, { once: true });
  if (options.handleSignals) for (const name of SIGNALS) process.on(name, signalled);
  return {
    drain: drain.signal,
    abort: abort.signal,
    [Symbol.dispose]() {
      options.outer?.removeEventListener('abort', asked);
      for (const name of SIGNALS) process.off(name, signalled);
    },
  };
}
