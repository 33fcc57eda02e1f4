import type { CommandUnknownOpts } from 'commander';
import { Argument, Command } from 'commander';

/** Maps the path of a command to its description and to the words that can follow it, separated by spaces. */
export type CommandTable = Readonly<Record<string, { readonly description: string; readonly words: string }>>;

export function commandTable(command: CommandUnknownOpts, path = command.name()): CommandTable {
  const options = command.options
    .filter((option) => !option.hidden)
    .flatMap((option) => (option.long ? [option.long] : []));
  const words = [...command.commands.map((child) => child.name()), ...options].join(' ');
  const below = command.commands.map((child) => commandTable(child, `${path} ${child.name()}`));
  return Object.assign({ [path]: { description: command.description(), words } }, ...below) as CommandTable;
}

function completionScript(name: string, commands: CommandTable, shell: string): string {
  const table = Object.entries(commands).map(([path, { words }]) => [path, words.split(' ')] as const);
  if (shell === 'fish')
    return table
      .flatMap(([path, next]) => {
        const seen = path.split(' ').slice(1);
        const condition =
          seen.length === 0
            ? '__fish_use_subcommand'
            : seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
        return next.map((word) =>
          word.startsWith('--')
            ? `complete -c ${name} -n '${condition}' -l ${word.slice(2)}`
            : `complete -c ${name} -n '${condition}' -a ${word}`,
        );
      })
      .join('\n');
  if (shell === 'powershell') return powershellScript(name, table);
  return [
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    `_${name}_complete() {`,
    '  local path="$1" word',
    '  path="${COMP_WORDS[0]##*/}"',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] || path="$path $word"; done',
    '  case "$path" in',
    ...table.map(
      ([path, next]) =>
        `    "${path}") COMPREPLY=($(compgen -W "${next.join(' ')}" -- "\${COMP_WORDS[COMP_CWORD]}"));;`,
    ),
    '    *) COMPREPLY=();;',
    '  esac',
    '}',
    `complete -o default -F _${name}_complete ${name}`,
  ].join('\n');
}

/** Takes the words before the cursor that are no options as the path of the command. */
function powershellScript(name: string, table: readonly (readonly [string, readonly string[]])[]): string {
  return [
    `Register-ArgumentCompleter -Native -CommandName ${name} -ScriptBlock {`,
    '  param($word, $line, $cursor)',
    '  $commands = @{',
    ...table.map(([path, next]) => `    '${path}' = '${next.join(' ')}'`),
    '  }',
    `  $path = '${name}'`,
    '  foreach ($element in $line.CommandElements | Select-Object -Skip 1) {',
    '    if ($element.Extent.EndOffset -ge $cursor) { break }',
    '    $longer = "$path $element"',
    '    if ($commands.ContainsKey($longer)) { $path = $longer }',
    '  }',
    '  $commands[$path] -split \' \' | Where-Object { $_ -like "$word*" } | ForEach-Object {',
    "    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)",
    '  }',
    '}',
  ].join('\n');
}

export function completionCommand(tableOf: (door: string) => Promise<CommandTable>) {
  return new Command('completion')
    .description('print a shell completion script for commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish', 'powershell']))
    .helpOption('-h, --help', 'show this help')
    .addHelpText(
      'after',
      '\nExamples:\n  source <(docstokg completion bash)\n  docstokg completion powershell | Out-String | Invoke-Expression\n',
    )
    .action(async (shell, _options, self) => {
      const door = self.parent?.name() ?? '';
      process.stdout.write(`${completionScript(door, await tableOf(door), shell)}\n`);
    });
}
