import type { Command } from 'commander';

import { createProgram } from '../../src/cli/program.ts';
import { cell, markdownTable } from './source-text.ts';

const WIDTH = 100;

/** The help of a command at a fixed terminal width. */
function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({
    writeOut: (text) => (help += text),
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  // Listed once, at the top of the page.
  return help.replace(/\nEverywhere:\n(?: .*\n)+/, '').trimEnd();
}

/** The commands that do something: those without subcommands, and those that also take arguments themselves. */
function leaves(command: Command): Command[] {
  const below = command.commands.flatMap(leaves);
  return below.length === 0 || command.registeredArguments.length > 0 ? [command, ...below] : below;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** docs/reference/cli.md, from the commands themselves. */
export async function cliPage(): Promise<string> {
  const program = await createProgram('docstokg', '0.0.0');
  const commands = leaves(program);
  const everywhere = (commands[0]?.options ?? []).filter(({ helpGroupHeading }) => helpGroupHeading === 'Everywhere:');
  const doors = await Promise.all(
    (['contentdownload', 'docparse'] as const).map(async (door) => {
      const names = (await createProgram(door, '0.0.0')).commands.map((command) => `\`${command.name()}\``);
      return `\`${door}\` has ${names.join(', ')}`;
    }),
  );
  return [
    '# Commands',
    `\`docstokg\` has every command; ${doors.join('; ')}. They are one program.`,
    'Data goes to stdout, everything else to stderr. Exit codes: 0 done, 1 failed (for `queue run`: at least one job ended in error), 2 misused (command line or configuration), 130, 143 and 129 after SIGINT, SIGTERM and SIGHUP.',
    `Every command takes:\n\n${markdownTable(
      ['option', 'meaning'],
      everywhere.map((option) => [`\`${option.flags}\``, cell(option.description)]),
    )}`,
    ...commands.map((command) => `## ${pathOf(command)}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``),
  ].join('\n\n');
}
