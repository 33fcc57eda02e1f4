import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { AppError, packageRoot } from '../base/index.ts';

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export function readMigrations(database: 'sqlite' | 'postgres'): readonly Migration[] {
  const folder = join(packageRoot(), 'sql', 'queue', database);
  return readdirSync(folder)
    .filter((file) => /^\d{4}_.*\.sql$/.test(file))
    .sort()
    .map((file) => ({ version: Number(file.slice(0, 4)), name: file, sql: readFileSync(join(folder, file), 'utf8') }));
}

export function migrationsAfter(found: number, database: 'sqlite' | 'postgres', name: string): readonly Migration[] {
  const all = readMigrations(database);
  const newest = all.at(-1)?.version ?? 0;
  if (found > newest)
    throw new AppError(
      'QUEUE_SCHEMA_NEWER',
      `${name} was written by a newer version (schema ${found}, known ${newest})`,
      { hint: 'upgrade docstokg on this machine' },
    );
  return all.filter(({ version }) => version > found);
}
