import { Command } from 'commander';

import { loadSchema, printable, settingsTable } from '../../config/index.ts';
import { configuredServices } from '../../run/index.ts';
import { openSession, shared } from '../session.ts';
import { table } from '../terminal.ts';

export function configCommand() {
  return shared(new Command('config'))
    .description('print every setting with its value and source; if a setting is invalid, print every error and exit 2')
    .option('--schema', 'print the JSON Schema of configuration files instead, for editors')
    .addHelpText(
      'after',
      `
Examples:
  DOCSTOKG_ORCHESTRATOR__MAX_WORKERS=16 docstokg config
  docstokg config -c harvest.yaml --profile night
  docstokg config --schema > docstokg.schema.json
`,
    )
    .action((options, self) => {
      const session = openSession(self);
      if (options.schema) {
        session.terminal.print(JSON.stringify(loadSchema().jsonSchema(), undefined, 2));
        return;
      }
      const { config, origins } = session.load();
      configuredServices(config);
      const rows = settingsTable().keys.map((key) => {
        const value = key.path.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], config);
        const origin =
          [...origins].find(([name]) => name === key.name || name.startsWith(`${key.name}.`))?.[1] ?? 'default';
        // The output may be pasted into a bug report.
        const text = printable(value, key.secret);
        const shown = text === '(set)' ? text : (JSON.parse(text) as unknown);
        return { key: key.name, value: shown, origin, sentence: key.sentence };
      });
      const cells = rows.map(({ key, value, origin }) => [key, JSON.stringify(value), origin]);
      session.print(rows, table(cells, ['key', 'value', 'origin']));
    });
}
