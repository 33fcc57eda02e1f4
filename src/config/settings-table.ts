import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';

import type * as Keys from './keys.ts';
import type { Key } from './keys.ts';
import type * as Schema from './schema.ts';
import type { Config } from './schema.ts';

const FROM_SOURCE = import.meta.filename.endsWith('.ts');

/** What is known of the settings without the schema, as `npm run docs` wrote it. */
export interface SettingsTable {
  /** Of the files it was made from: in a clone they may have changed since. */
  readonly sources: string;
  readonly keys: readonly Key[];
  readonly defaults: Config;
}

/** The table, or undefined where there is none that fits the schema: that knows all of it, too. */
export function readSettingsTable(): SettingsTable | undefined {
  const path = join(import.meta.dirname, FROM_SOURCE ? '../../docs/reference/settings.json' : '../../settings.json');
  let table: SettingsTable;
  try {
    table = JSON.parse(readFileSync(path, 'utf8')) as SettingsTable;
  } catch {
    return undefined;
  }
  return FROM_SOURCE && table.sources !== hashOfSources() ? undefined : table;
}

/** Every key of the program in the schema's order, from the table where that holds. */
export function settingKeys(): readonly Key[] {
  return readSettingsTable()?.keys ?? loadSchema().listKeys();
}

/** The schema and the keys made of it: zod takes as long to load as a quick command should take altogether. */
export function loadSchema(): Pick<typeof Keys, 'listKeys'> & Pick<typeof Schema, 'configSchema'> {
  const require = createRequire(import.meta.url);
  const kind = extname(import.meta.filename);
  const { listKeys } = require(`./keys${kind}`) as typeof Keys;
  const { configSchema } = require(`./schema${kind}`) as typeof Schema;
  return { listKeys, configSchema };
}

/** One hash of everything in this folder that could change the table. */
export function hashOfSources(): string {
  const hash = createHash('sha256');
  const files = readdirSync(import.meta.dirname).filter((name) => /^[a-z-]+\.ts$/.test(name));
  for (const name of files.toSorted()) hash.update(name).update(readFileSync(join(import.meta.dirname, name)));
  return hash.digest('hex');
}
