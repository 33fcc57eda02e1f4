import type { Key } from '../../src/config/index.ts';
import { settingsTable } from '../../src/config/index.ts';
import { cell, markdownTable } from './source-text.ts';

/** docs/reference/configuration.md, from the schema. */
export function configurationPage(keys: readonly Key[] = settingsTable().keys): string {
  const sections = Map.groupBy(keys, ({ path }) => path[0] ?? '');
  return [
    '# Configuration',
    [
      'Defaults, then the file (`docstokg.yaml`, `.yml` or `.json` in the working folder, or `--config`), then its profile (`--profile`),',
      'then the environment, then flags; later sources override earlier ones. Unknown keys, wrong types and values out of range are errors that name key,',
      'value, origin and range. `docstokg config` prints the current settings with their source; `docstokg config --schema` prints the',
      'JSON Schema.',
    ].join('\n'),
    '```yaml\norchestrator:\n  max_workers: 16\n  max_per_resolver: { unpaywall: 2 }\nprofiles:\n  night:\n    orchestrator:\n      max_workers: 64\n```',
    'In the environment, maps are written as `a:2,b:3` or as JSON. `DOCSTOKG_CONFIG`, `DOCSTOKG_PROFILE` and `DOCSTOKG_SIM` correspond to `--config`, `--profile` and `--sim`.',
    ...[...sections].map(
      ([section, keys]) =>
        `## ${section}\n\n${markdownTable(
          ['key', 'type', 'range', 'default', 'meaning', 'environment'],
          keys.map((key) => [
            `\`${key.name}\``,
            key.type,
            cell(key.range),
            `\`${JSON.stringify(key.default)}\``,
            cell(key.sentence),
            `\`${key.environment}\``,
          ]),
        )}`,
    ),
  ].join('\n\n');
}
