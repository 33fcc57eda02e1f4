import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';

import type * as Keys from '../keys.ts';
import type { Key } from '../keys.ts';
import type { Config } from '../schema.ts';

// Loading the schema takes longer than a quick command should. So tables made from it are generated: by the build into
// dist/, in a clone into node_modules/.cache by the first command after a change.

const FROM_SOURCE = import.meta.filename.endsWith('.ts');
const ROOT = join(import.meta.dirname, FROM_SOURCE ? '../../..' : '../../../..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'docstokg');
/** What is generated depends on these folders. */
const SOURCES = ['cli', 'config'];

export interface SettingsTable {
  readonly keys: readonly Key[];
  readonly defaults: Config;
}

let folder: string | undefined;

function generatedFolder(): string {
  folder ??= FROM_SOURCE ? join(CACHE, stateOfSources()) : join(ROOT, 'dist');
  return folder;
}

/** A hash of the names, sizes and times of the sources: reading all of them would take longer than it saves. */
function stateOfSources(): string {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const at = join(ROOT, 'src', source);
    for (const name of (readdirSync(at, { recursive: true }) as string[])
      .filter((each) => each.endsWith('.ts'))
      .sort()) {
      const { size, mtimeMs } = statSync(join(at, name));
      hash.update(`${name} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** Undefined if it was not generated yet. */
export function readGenerated(name: string): unknown {
  try {
    return JSON.parse(readFileSync(join(generatedFolder(), name), 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** Writes a generated file for later commands; does nothing if the clone is read-only. */
export function writeGenerated(name: string, text: string): void {
  const at = generatedFolder();
  const part = join(at, `${name}.${process.pid}`);
  try {
    if (FROM_SOURCE) removeOutdated();
    mkdirSync(at, { recursive: true });
    writeFileSync(part, text);
    renameSync(part, join(at, name));
  } catch {
    rmSync(part, { force: true });
  }
}

function removeOutdated(): void {
  const now = generatedFolder();
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE))
    if (join(CACHE, name) !== now) rmSync(join(CACHE, name), { recursive: true, force: true });
}

export function settingsTable(): SettingsTable {
  const read = readGenerated('settings.json') as SettingsTable | undefined;
  if (read) return read;
  const table = newTable();
  writeGenerated('settings.json', JSON.stringify(table));
  return table;
}

function newTable(): SettingsTable {
  const { configSchema, listKeys } = loadSchema();
  return { keys: listKeys(), defaults: configSchema.parse({}) };
}

export function loadSchema(): typeof Keys {
  return createRequire(import.meta.url)(`../keys${extname(import.meta.filename)}`) as typeof Keys;
}

export function generatedFiles(): Readonly<Record<string, string>> {
  return { 'settings.json': JSON.stringify(newTable()) };
}
