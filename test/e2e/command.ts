import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { CommanderError } from 'commander';

import { errorInfo } from '../../src/base/index.ts';
import { exitCode } from '../../src/cli/terminal.ts';
import type { Door } from '../../src/cli/program.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { BIN, CHEAPLY } from '../support/bin.ts';

/** Runs one of the commands as a user would, and waits for its end. */
export function command(
  door: Door,
  parameters: readonly string[],
  options: { readonly cwd?: string; readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(BIN, door), ...parameters], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, ...CHEAPLY, ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.input !== undefined && { input: options.input }),
  });
  return { status, stdout, stderr };
}

/** Runs a command line in this process, which is much faster; only for command lines that are refused. */
export async function refusedCommand(
  door: Door,
  parameters: readonly string[],
  cwd: string,
): Promise<{ readonly status: number; readonly stderr: string }> {
  const before = process.cwd();
  let stderr = '';
  process.chdir(cwd);
  try {
    await runCommandLine(door, '0.0.0', parameters, (text) => (stderr += text));
    return { status: 0, stderr };
  } catch (error) {
    if (error instanceof CommanderError) return { status: error.exitCode === 0 ? 0 : 2, stderr };
    const { code, message } = errorInfo(error);
    return { status: exitCode(error), stderr: `${stderr}error ${code} ${message}\n` };
  } finally {
    process.chdir(before);
  }
}
