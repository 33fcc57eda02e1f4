import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';

import type * as Yaml from 'yaml';
import type { z } from 'zod';

import { AppError } from '../base/index.ts';
import { customaryLayer, environmentLayer } from './environment.ts';
import type { Layer, Setting } from './layers.ts';
import { assign, flatten, isRecord, merge } from './layers.ts';
import { renamed } from './renamed.ts';
import { isPlainly } from './plain.ts';
import type { Config } from './schema.ts';
import type { SettingsTable } from './settings-table.ts';
import { loadSchema, readSettingsTable } from './settings-table.ts';

/** File names looked for in the working folder when none is given. */
const DEFAULT_FILES = ['docstokg.yaml', 'docstokg.yml', 'docstokg.json'];

/** The settings in force, and for each where it came from. */
export interface Loaded {
  readonly config: Config;
  readonly file: string | undefined;
  /** By dotted name; a name that is not here has its default. */
  readonly origins: ReadonlyMap<string, string>;
  /** What should be written otherwise; it was understood all the same. */
  readonly warnings: readonly string[];
}

export interface LoadOptions {
  readonly file?: string | undefined;
  readonly profile?: string | undefined;
  readonly flags?: Layer;
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Resolves the configuration once: defaults, then the file, then its profile, then the environment, then flags. */
export function loadConfig(options: LoadOptions = {}): Loaded {
  const environment = options.environment ?? process.env;
  const file = findFile(options.file ?? environment['DOCSTOKG_CONFIG'], options.folder ?? process.cwd());
  const profile = options.profile ?? environment['DOCSTOKG_PROFILE'];
  const table = readSettingsTable();
  const layers = [
    customaryLayer(environment),
    ...fileLayers(file, profile),
    environmentLayer(environment, table?.keys),
    options.flags ?? [],
  ].map(renamed);
  const { value, settings } = merge(layers.map(({ layer }) => layer));
  return {
    config: (table && plainConfig(table, settings)) ?? parsedConfig(value, settings),
    file,
    origins: new Map([...settings].map(([name, setting]) => [name, setting.origin])),
    warnings: layers.flatMap(({ warnings }) => warnings),
  };
}

/** The defaults with these settings, if all of them are plainly good; otherwise undefined, and the schema has to say. */
export function plainConfig(table: SettingsTable, settings: ReadonlyMap<string, Setting>): Config | undefined {
  const keys = settings.size === 0 ? undefined : new Map(table.keys.map((key) => [key.name, key]));
  const config = structuredClone(table.defaults);
  for (const [name, { path, value }] of settings) {
    const plain = keys?.get(name)?.plain;
    if (!plain || !isPlainly(plain, value)) return undefined;
    assign(config, path, value);
  }
  return config;
}

function parsedConfig(value: unknown, settings: ReadonlyMap<string, Setting>): Config {
  // Read once in a process: compiling the schema would cost more than the reading.
  const parsed = loadSchema().configSchema.safeParse(value, { jitless: true });
  if (!parsed.success) throw invalid(parsed.error.issues, settings);
  return parsed.data;
}

function findFile(given: string | undefined, folder: string): string | undefined {
  if (given === undefined || given === '')
    return DEFAULT_FILES.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (!existsSync(given)) {
    throw new AppError('CONFIG_FILE_MISSING', `there is no configuration file ${given}`, {
      hint: 'check the path given by --config or DOCSTOKG_CONFIG',
    });
  }
  return given;
}

function fileLayers(file: string | undefined, profile: string | undefined): Layer[] {
  const content = file === undefined ? {} : readConfigFile(file);
  const { profiles, ...settings } = content;
  const layers = [flatten(settings, `file ${file ?? ''}`)];
  if (profile === undefined || profile === '') return layers;
  const known = isRecord(profiles) ? profiles : {};
  if (!Object.hasOwn(known, profile)) {
    const names = Object.keys(known);
    throw new AppError('CONFIG_PROFILE_UNKNOWN', `there is no profile "${profile}"${file ? ` in ${file}` : ''}`, {
      hint:
        names.length > 0
          ? `profiles there are: ${names.join(', ')}`
          : 'add it under "profiles:" in the configuration file',
    });
  }
  return [...layers, flatten(known[profile], `profile ${profile} in ${file ?? ''}`)];
}

/** Read only where there is a file: most commands have none. */
function yaml(): typeof Yaml {
  return createRequire(import.meta.url)('yaml') as typeof Yaml;
}

function readConfigFile(file: string): Record<string, unknown> {
  let content: unknown;
  try {
    const text = readFileSync(file, 'utf8');
    content = extname(file) === '.json' ? JSON.parse(text) : yaml().parse(text);
  } catch (error) {
    throw new AppError(
      'CONFIG_FILE_UNREADABLE',
      `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: 'it must be YAML, or JSON when its name ends in .json',
        cause: error,
      },
    );
  }
  if (content === null || content === undefined) return {};
  if (!isRecord(content)) {
    throw new AppError(
      'CONFIG_FILE_UNREADABLE',
      `${file} holds no settings, but ${Array.isArray(content) ? 'a list' : typeof content}`,
      {
        hint: 'write sections such as "queue:" and "orchestrator:"; docstokg config schema prints them all',
      },
    );
  }
  return content;
}

function invalid(issues: readonly z.core.$ZodIssue[], settings: ReadonlyMap<string, Setting>): AppError {
  const lines = issues.flatMap((issue) => describeIssue(issue, settings));
  return new AppError('CONFIG_INVALID', lines.join('\n'), {
    hint: 'docstokg config schema lists every key with its range; docstokg config show tells what is in force',
  });
}

function describeIssue(issue: z.core.$ZodIssue, settings: ReadonlyMap<string, Setting>): string[] {
  const paths =
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [...issue.path, key].join('.'))
      : [issue.path.join('.')];
  return paths.map((name) => {
    const setting =
      settings.get(name) ?? [...settings.values()].find(({ path }) => path.join('.').startsWith(`${name}.`));
    const origin = setting?.origin ?? 'default';
    if (issue.code === 'unrecognized_keys') return `${name}: unknown key (${origin})${suggestion(name)}`;
    const key = loadSchema()
      .listKeys()
      .find((each) => name === each.name || name.startsWith(`${each.name}.`));
    // A rule between settings says itself what it wants.
    const wanted =
      issue.code === 'custom'
        ? issue.message
        : key
          ? `must be ${article(key.type)}${key.range ? `, ${key.range}` : ''}`
          : issue.message;
    const shown = name.startsWith('keys.') ? '(hidden)' : JSON.stringify(setting ? setting.value : key?.default);
    return `${name} = ${shown}: ${wanted} (${origin})`;
  });
}

function article(type: string): string {
  return type === 'integer' ? 'a whole number' : type === 'choice' ? 'one of' : `a ${type}`;
}

function suggestion(name: string): string {
  const last = name.split('.').at(-1) ?? '';
  const near = loadSchema()
    .listKeys()
    .find(({ path }) => {
      const key = path.at(-1) ?? '';
      return (
        key.startsWith(last) ||
        last.startsWith(key) ||
        key.replaceAll('_', '') === last.replaceAll(/[_-]/g, '').toLowerCase()
      );
    });
  return near ? `; did you mean ${near.name}?` : '';
}
