import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type * as Esbuild from 'esbuild';

import type * as Keys from '../keys.ts';
import type { Key } from '../keys.ts';
import type { Config } from '../schema.ts';

/*
 * Loading the schema takes longer than a quick command should. So tables made from it, and the schema as one file, are
 * generated: by the build into dist/, in a clone into node_modules/.cache by the first command after a change. Without
 * the cache, commands are only slower.
 */

const FROM_SOURCE = import.meta.filename.endsWith('.ts');
const ROOT = join(import.meta.dirname, FROM_SOURCE ? '../../..' : '../../../..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'docstokg');
/** Changes in these folders change what is generated. */
const SOURCES = ['cli', 'config'];
const require = createRequire(import.meta.url);

/** What commands need to know about settings without loading the schema. */
export interface SettingsTable {
  readonly keys: readonly Key[];
  readonly defaults: Config;
}

type Schema = Pick<typeof Keys, 'configSchema' | 'jsonSchema' | 'listKeys'>;

let folder: string | undefined;

/** dist/, or in a clone the cache folder of the current sources. */
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

/** A generated table; undefined if it was not generated yet. */
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
    if (FROM_SOURCE) removeOthers();
    mkdirSync(at, { recursive: true });
    writeFileSync(part, text);
    renameSync(part, join(at, name));
  } catch {
    rmSync(part, { force: true });
  }
}

/** Removes files generated from earlier sources. */
function removeOthers(): void {
  const now = generatedFolder();
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE))
    if (join(CACHE, name) !== now) rmSync(join(CACHE, name), { recursive: true, force: true });
}

export function settingsTable(): SettingsTable {
  const read = readGenerated('settings.json') as SettingsTable | undefined;
  if (read) return read;
  const table = tableOf(schemaFromSource());
  writeGenerated('settings.json', JSON.stringify(table));
  return table;
}

function tableOf({ configSchema, listKeys }: Schema): SettingsTable {
  return { keys: listKeys(), defaults: configSchema.parse({}) };
}

/** The schema, from the generated file if there is one. */
export function loadSchema(): Schema {
  try {
    return require(join(generatedFolder(), 'schema.cjs')) as Schema;
  } catch {
    const text = FROM_SOURCE ? bundledSchema() : undefined;
    if (text !== undefined) writeGenerated('schema.cjs', text);
    return schemaFromSource();
  }
}

function schemaFromSource(): Schema {
  return require(FROM_SOURCE ? '../keys.ts' : '../keys.js') as Schema;
}

/** The schema and the parts of zod it needs, in one file; undefined if esbuild is not installed. */
export function bundledSchema(): string | undefined {
  let esbuild: typeof Esbuild;
  try {
    esbuild = require('esbuild') as typeof Esbuild;
  } catch {
    return undefined;
  }
  const { outputFiles } = esbuild.buildSync({
    entryPoints: [join(ROOT, 'src', 'config', 'keys.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
    // The licence of zod, part of which is copied.
    banner: { js: `/*!\n${readFileSync(join(ROOT, 'node_modules', 'zod', 'LICENSE'), 'utf8')}*/` },
  });
  return outputFiles[0]?.text;
}

export function generatedFiles(): Readonly<Record<string, string>> {
  return { 'settings.json': JSON.stringify(tableOf(schemaFromSource())), 'schema.cjs': bundledSchema() ?? '' };
}
