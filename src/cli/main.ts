import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { CommanderError } from 'commander';
import type { Command } from 'commander';

import type { Door } from './program.ts';
import { createProgramFor, optionsAfterCommand, renamedTo } from './program.ts';

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

// Without this check a promise that never settles would end the process with exit code 0.
let over = false;
process.on('beforeExit', () => {
  if (over) return;
  console.error('error ENDED_EARLY the program exited before its work was done; please report this bug');
  process.exitCode = 1;
});

const words = optionsAfterCommand(door, process.argv.slice(2));
try {
  const renamed = renamedTo(words);
  if (renamed !== undefined) {
    const { AppError } = await import('../base/index.ts');
    throw new AppError(
      'USAGE_RENAMED',
      `this command is now \`${door} ${door === 'contentdownload' ? renamed.replace(/^download /, '') : renamed}\``,
    );
  }
  const program = await createProgramFor(door, version, words);
  everyCommand(program, (command) => command.exitOverride());
  await program.parseAsync(withoutHelpForUnknown(program, words), { from: 'user' });
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

/** For `--help` of an unknown command, drop the help option so that parsing rejects the name and suggests one. */
function withoutHelpForUnknown(root: Command, words: readonly string[]): readonly string[] {
  let command = root;
  for (const word of words[0] === 'help' ? words.slice(1) : words) {
    const takesWords = command.registeredArguments.length > 0 || command.commands.length === 0;
    if (word.startsWith('-') || takesWords) return words;
    const child = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (!child && word !== 'help') return words.filter((each) => !/^(-h|--help|help)$/.test(each));
    command = child ?? command;
  }
  return words;
}
