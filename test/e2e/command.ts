import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs one of the commands as a user would, and waits for its end. */
export function command(
  door: 'docstokg' | 'contentdownload' | 'docparse',
  parameters: readonly string[],
  options: { readonly cwd?: string; readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const bin = join(import.meta.dirname, '..', '..', 'bin', door);
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...parameters], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    // Simulated scans take minutes to read; OCR has tests of its own.
    env: { ...process.env, NO_COLOR: '1', DOCSTOKG_PARSE__OCR: 'off', ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.input !== undefined && { input: options.input }),
  });
  return { status, stdout, stderr };
}
