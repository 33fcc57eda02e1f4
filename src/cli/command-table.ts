import type { Command } from 'commander';

/** Maps the path of a command to its description and to the words that can follow it, separated by spaces. */
export type CommandTable = Readonly<Record<string, { readonly description: string; readonly words: string }>>;

export function commandTable(command: Command, path = command.name()): CommandTable {
  const options = command.options
    .filter((option) => !option.hidden)
    .flatMap((option) => (option.long ? [option.long] : []));
  const words = [...command.commands.map((child) => child.name()), ...options].join(' ');
  const below = command.commands.map((child) => commandTable(child, `${path} ${child.name()}`));
  return Object.assign({ [path]: { description: command.description(), words } }, ...below) as CommandTable;
}
