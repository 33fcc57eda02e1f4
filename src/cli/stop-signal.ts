/** The exit codes that shells expect of a process ended by a signal. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/**
 * Turns Ctrl-C and its relatives into an abort signal, so that work can be finished; a second one ends the process at
 * once, which every part of the program must survive anyway.
 */
export function stopSignal(first?: (signal: string) => void): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals): void => {
    process.exitCode = EXIT_CODES[name] ?? 1;
    if (controller.signal.aborted) {
      // The progress line has no newline, and the shell's prompt would start behind it.
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
