import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { CommanderError } from 'commander';
import type { Command } from 'commander';

import type { Door } from './program.ts';
import { createProgramFor } from './program.ts';

const root = import.meta.filename.endsWith('.ts') ? '../..' : '../../..';
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, root, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const door = (new URL(import.meta.url).searchParams.get('door') ?? 'docstokg') as Door;

/** How writing fails when the reader or the terminal went away. */
const GONE = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

// A reader that went away (`docstokg … | head`) is no accident.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (!GONE.has(error.code ?? '')) throw error;
  process.exit();
});
// Nor is one who no longer listens to what is told beside the data: the work goes on.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (!GONE.has(error.code ?? '')) throw error;
});

// A promise that nobody will ever settle would end the process as if all were done.
let over = false;
process.on('beforeExit', () => {
  if (over) return;
  console.error('error ENDED_EARLY the program came to an end before its work did; please report this');
  process.exitCode = 1;
});

const program = await createProgramFor(door, version, process.argv.slice(2));
everyCommand(program, (command) => command.exitOverride());
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    const { exitCode, printError } = await import('./print-error.ts');
    const { openTerminal } = await import('./terminal.ts');
    printError(error, openTerminal({ colour: true }), process.argv.includes('--json'));
    process.exitCode = exitCode(error);
  }
} finally {
  over = true;
}

function everyCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) everyCommand(child, visit);
}
