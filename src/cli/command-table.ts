import type { Command } from 'commander';

/** A command by its path: what it does, and the words that may follow it, as one text. */
export type CommandTable = Readonly<Record<string, { readonly description: string; readonly words: string }>>;

/** The table of a whole tree of commands. */
export function commandTable(command: Command, path = command.name()): CommandTable {
  const options = command.options
    .filter((option) => !option.hidden)
    .flatMap((option) => (option.long ? [option.long] : []));
  const words = [...command.commands.map((child) => child.name()), ...options].join(' ');
  const below = command.commands.map((child) => commandTable(child, `${path} ${child.name()}`));
  return Object.assign({ [path]: { description: command.description(), words } }, ...below) as CommandTable;
}
