import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { packageRoot } from '../base/index.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** The numbered files of `sql/queue/<database>`, in order. */
export function readMigrations(database: 'sqlite' | 'postgres'): readonly Migration[] {
  const folder = join(packageRoot(), 'sql', 'queue', database);
  return readdirSync(folder)
    .filter((file) => /^\d{4}_.*\.sql$/.test(file))
    .sort()
    .map((file) => ({ version: Number(file.slice(0, 4)), name: file, sql: readFileSync(join(folder, file), 'utf8') }));
}
