import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { CommanderError } from 'commander';

import type { Door } from './program.ts';
import { runCommandLine } from './program.ts';

const root = import.meta.filename.endsWith('.ts') ? '../..' : '../../..';
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, root, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const door = (new URL(import.meta.url).searchParams.get('door') ?? 'docstokg') as Door;

/** Error codes of writes to a closed pipe or terminal. */
const GONE = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

// A reader that closes the pipe (`docstokg … | head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (!GONE.has(error.code ?? '')) throw error;
  process.exit();
});
// Continue without stderr.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (!GONE.has(error.code ?? '')) throw error;
});

// Node's own listener adds the number of the process and a hint for developers.
const warned = new Set<string>();
process.removeAllListeners('warning').on('warning', ({ message }) => {
  if (!warned.has(message)) console.error(`warn  ${message.replaceAll(/\p{Cc}/gu, ' ')}`);
  warned.add(message);
});

// Without this check a promise that never settles would end the process with exit code 0.
let over = false;
process.on('beforeExit', () => {
  if (over) return;
  console.error('error ENDED_EARLY the program exited before its work was done; please report this bug');
  process.exitCode = 1;
});

try {
  await runCommandLine(door, version, process.argv.slice(2));
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    const { exitCode, isStopped, openTerminal, printError } = await import('./terminal.ts');
    // After a signal the exit code is set, and a step that was aborted is no error.
    if (isStopped(error, Number(process.exitCode ?? 0))) console.error('info  stopped; the same command continues');
    else printError(error, openTerminal({ colour: true }), process.argv.includes('--json'));
    process.exitCode = isStopped(error, Number(process.exitCode ?? 0)) ? process.exitCode : exitCode(error);
  }
} finally {
  over = true;
}
