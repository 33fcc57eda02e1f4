import { Command } from 'commander';

import { loadSchema, printable, settingsTable } from '../../config/index.ts';
import { configuredServices } from '../../harvest/index.ts';
import { openSession, shared } from '../session.ts';
import { table } from '../terminal.ts';

export function configCommand(): Command {
  const command = new Command('config')
    .description('show and validate the configuration')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command');
  shared(command.command('show'))
    .description('print every setting with its value and source')
    .addHelpText('after', '\nExample:\n  DOCSTOKG_ORCHESTRATOR__MAX_WORKERS=16 docstokg config show\n')
    .action((_options, self: Command) => {
      const session = openSession(self);
      const { config, origins } = session.load();
      const rows = settingsTable().keys.map((key) => {
        const value = key.path.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], config);
        const origin =
          [...origins].find(([name]) => name === key.name || name.startsWith(`${key.name}.`))?.[1] ?? 'default';
        // The output may be pasted into a bug report.
        const text = printable(value, key.secret);
        return {
          key: key.name,
          value: text === '(set)' ? text : (JSON.parse(text) as unknown),
          origin,
          sentence: key.sentence,
        };
      });
      if (session.json) session.terminal.print(JSON.stringify(rows, undefined, 2));
      else
        session.terminal.print(
          table(
            rows.map(({ key, value, origin }) => [key, JSON.stringify(value), origin]),
            ['key', 'value', 'origin'],
          ),
        );
    });
  shared(command.command('validate'))
    .description('check the configuration file, profile and environment; print every error and exit 2')
    .addHelpText('after', '\nExample:\n  docstokg config validate -c harvest.yaml --profile night\n')
    .action((_options, self: Command) => {
      const session = openSession(self);
      const { file, config } = session.load();
      configuredServices(config);
      const text = file ? `${file} is valid` : 'valid (no configuration file; defaults and environment only)';
      session.print({ valid: true, file: file ?? null }, text);
    });
  shared(command.command('schema'))
    .description('print the JSON Schema of configuration files, for editors')
    .addHelpText('after', '\nExample:\n  docstokg config schema > docstokg.schema.json\n')
    .action((_options, self: Command) =>
      openSession(self).terminal.print(JSON.stringify(loadSchema().jsonSchema(), undefined, 2)),
    );
  return command;
}
