import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { BIN, CHEAPLY } from '../support/bin.ts';

/** A command that runs while the test goes on. */
export interface StartedCommand extends AsyncDisposable {
  readonly pid: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when stderr matches the pattern; rejects if the command ends before. */
  printed(pattern: RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Closes our end of the pipe, as a closed pager does. */
  hangUp(stream: 'stdout' | 'stderr'): void;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Starts one of the commands as a user would. */
export function startCommand(
  door: 'docstokg' | 'contentdownload' | 'docparse',
  parameters: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): StartedCommand {
  const child = spawn(process.execPath, [join(BIN, door), ...parameters], {
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...CHEAPLY, ...options.env },
  });
  const output = { stdout: '', stderr: '' };
  let over = false;
  child.stdout.on('data', (bytes: Buffer) => (output.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (output.stderr += bytes.toString()));
  const ended = once(child, 'close').then(([code, signal]) => {
    over = true;
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  return {
    pid: child.pid ?? 0,
    get stdout() {
      return output.stdout;
    },
    get stderr() {
      return output.stderr;
    },
    async printed(pattern) {
      while (!pattern.test(output.stderr)) {
        if (over) throw new Error(`ended without printing ${String(pattern)}: ${output.stderr}`);
        await Promise.race([once(child.stderr, 'data'), ended]);
        await setImmediate();
      }
    },
    kill: (signal) => void child.kill(signal),
    hangUp: (stream) => void child[stream].destroy(),
    ended,
    async [Symbol.asyncDispose]() {
      if (!over) child.kill('SIGKILL');
      await ended;
    },
  };
}
