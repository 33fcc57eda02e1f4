import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { AppError, packageRoot } from '../base/index.ts';

/** A simulated web in a child process. */
export interface ChildSimulation extends AsyncDisposable {
  /** The URL to pass as `--sim`. */
  readonly url: string;
}

/**
 * Starts `docstokg sim serve` and waits until it is ready. The child exits when its stdin pipe closes, which the
 * operating system does when this process ends for any reason.
 */
export async function startSimulation(parameters: readonly string[]): Promise<ChildSimulation> {
  const bin = join(packageRoot(), 'bin', 'docstokg');
  const child = spawn(process.execPath, [bin, 'sim', 'serve', '--leash', '--json', ...parameters], {
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let output = '';
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  if (!first) {
    throw new AppError('SIM_UNREACHABLE', `the simulated web did not start: ${output.trim().slice(-500)}`, {
      hint: 'run docstokg sim serve separately to see why',
    });
  }
  return {
    url: (JSON.parse(String(first[0])) as { readonly sim: string }).sim,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      child.kill('SIGTERM');
      await ended;
    },
  };
}
