/** Exit codes that shells expect for processes ended by a signal. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/**
 * Turns SIGINT, SIGTERM and SIGHUP into an abort signal, so that running work can finish. A second signal exits
 * immediately, which is safe: every part of the program must survive a kill anyway.
 */
export function stopSignal(first?: (signal: string) => void): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals): void => {
    process.exitCode = EXIT_CODES[name] ?? 1;
    if (controller.signal.aborted) {
      // The progress line has no newline; without one the shell prompt would start behind it.
      if (process.stderr.isTTY) process.stderr.write('\n');
      process.exit();
    }
    first?.(name);
    controller.abort();
  };
  const names = Object.keys(EXIT_CODES) as NodeJS.Signals[];
  for (const name of names) process.on(name, stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of names) process.removeListener(name, stop);
    },
  };
}
