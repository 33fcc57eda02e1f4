import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

import type * as z from 'zod';

import { AppError, editDistance, errorInfo, parseYaml } from '../base/index.ts';
import type { Environment } from './environment.ts';
import { awsLayer, customaryLayer, environmentLayer, strayVariables } from './environment.ts';
import { loadSchema, settingsTable } from './generated/index.ts';
import type { Key } from './keys.ts';
import type { Layer, Setting } from './layers.ts';
import { flatten, isRecord, merge, printable } from './layers.ts';
import type { Config } from './schema.ts';

const DEFAULT_FILES = ['docstokg.yaml', 'docstokg.yml', 'docstokg.json'];

export interface Loaded {
  readonly config: Config;
  /** By dotted name; a name that is not here has its default. */
  readonly origins: ReadonlyMap<string, string>;
  /** Variables that were ignored. */
  readonly warnings: readonly string[];
}

export interface LoadOptions {
  readonly file?: string | undefined;
  readonly profile?: string | undefined;
  readonly flags?: Layer;
  readonly folder?: string;
  readonly environment?: Environment;
}

/** Defaults, then the file, its profile, the environment, flags. */
export function loadConfig(options: LoadOptions = {}): Loaded {
  const environment = options.environment ?? process.env;
  const file = findFile(options.file ?? environment['DOCSTOKG_CONFIG'], options.folder ?? process.cwd());
  const profile = options.profile ?? environment['DOCSTOKG_PROFILE'];
  const given = [...fileLayers(file, profile), environmentLayer(environment), options.flags ?? []];
  // AWS's files are read only if the store is on S3.
  const aws = given.some((layer) => layer.some(isS3)) ? awsLayer(environment) : [];
  const { value, settings } = merge([customaryLayer(environment), aws, ...given]);
  return {
    // Without settings there is nothing to check, and the schema takes as long to load as a quick command.
    config: settings.size === 0 ? settingsTable().defaults : parsedConfig(value, settings),
    origins: new Map([...settings].map(([name, setting]) => [name, setting.origin])),
    warnings: strayVariables(environment),
  };
}

function isS3({ path, value }: Setting): boolean {
  return path.join('.') === 'store.url' && typeof value === 'string' && value.startsWith('s3:');
}

function parsedConfig(value: unknown, settings: ReadonlyMap<string, Setting>): Config {
  // Parsed once in a process: compiling the schema would cost more than it saves.
  const parsed = loadSchema().configSchema.safeParse(value, { jitless: true });
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.flatMap((issue) => describeIssue(issue, settings));
  throw new AppError('CONFIG_INVALID', lines.join('\n'), {
    hint: 'docstokg config prints the current settings; with --schema, every key and its range',
  });
}

function findFile(given: string | undefined, folder: string): string | undefined {
  if (given === undefined || given === '')
    return DEFAULT_FILES.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (!existsSync(given)) {
    throw new AppError('CONFIG_FILE_MISSING', `configuration file not found: ${given}`, {
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
    throw new AppError('CONFIG_PROFILE_UNKNOWN', `unknown profile "${profile}"${file ? ` in ${file}` : ''}`, {
      hint:
        names.length > 0
          ? `the profiles are ${names.join(', ')}`
          : 'add it under "profiles:" in the configuration file',
    });
  }
  return [...layers, flatten(known[profile], `profile ${profile} in ${file ?? ''}`)];
}

/** An alias inside its own anchor makes a cyclic value, which is refused. */
function parseAcyclic(text: string): unknown {
  const value = parseYaml(text);
  try {
    JSON.stringify(value);
  } catch (error) {
    throw new Error('an alias contains itself', { cause: error });
  }
  return value;
}

function readConfigFile(file: string): Record<string, unknown> {
  let content: unknown;
  try {
    const text = readFileSync(file, 'utf8');
    content = extname(file) === '.json' ? JSON.parse(text) : parseAcyclic(text);
  } catch (error) {
    throw new AppError('CONFIG_FILE_UNREADABLE', `${file} cannot be read: ${errorInfo(error).message}`, {
      hint: 'the file must be YAML, or JSON if its name ends in .json',
      cause: error,
    });
  }
  if (content === null || content === undefined) return {};
  if (!isRecord(content)) {
    throw new AppError(
      'CONFIG_FILE_UNREADABLE',
      `${file} must contain a map of settings, not ${Array.isArray(content) ? 'a list' : typeof content}`,
      { hint: 'use sections such as "queue:" and "orchestrator:"; docstokg config lists all' },
    );
  }
  return content;
}

function describeIssue(issue: z.core.$ZodIssue, settings: ReadonlyMap<string, Setting>): string[] {
  const paths =
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [...issue.path, key].join('.'))
      : [issue.path.join('.')];
  return paths.map((name) => {
    const [set, setting] = [...settings].find(([other]) => isWithin(other, name) || isWithin(name, other)) ?? [];
    const origin = setting?.origin ?? 'default';
    const { keys } = settingsTable();
    if (issue.code === 'unrecognized_keys')
      return `${name}: unknown key (${origin})${suggestion(set ?? name, origin, keys)}`;
    const key = keys.find((each) => isWithin(name, each.name));
    const wanted =
      // A rule that compares settings has its own message.
      issue.code === 'custom' || !key
        ? issue.message
        : name !== key.name && key.range.startsWith(ENTRY)
          ? `must be ${key.range.slice(ENTRY.length)}`
          : `must be ${article(key.type)}${key.range ? `, ${key.range}` : ''}`;
    const inner = name
      .slice((set ?? name).length + 1)
      .split('.')
      .filter(Boolean);
    const value = inner.reduce<unknown>(
      (at, part) => (isRecord(at) ? at[part] : at),
      setting ? setting.value : key?.default,
    );
    return `${name} = ${printable(value, key?.secret ?? false)}: ${wanted} (${origin})`;
  });
}

/** Prefix of `range` for a map: the rest describes each entry. */
const ENTRY = 'name: ';

function isWithin(name: string, other: string): boolean {
  return name === other || name.startsWith(`${other}.`);
}

function article(type: string): string {
  return type === 'integer' ? 'a whole number' : type === 'choice' ? 'one of' : `a ${type}`;
}

/** The key that was probably meant. */
export function suggestion(name: string, origin: string, keys: readonly Key[]): string {
  const best = similarKey(name, keys);
  return best ? `; did you mean ${origin.startsWith('environment') ? best.environment : best.name}?` : '';
}

function similarKey(name: string, keys: readonly Key[]): Key | undefined {
  const squeezed = (text: string): string => text.replaceAll(/[_-]/g, '').toLowerCase();
  const [section = '', ...rest] = name.split('.').map(squeezed);
  const last = rest.at(-1) ?? section;
  const ranked = keys.map((key) => {
    const [keySection = '', keyLast = ''] = key.path.map(squeezed);
    const apart = rest.length === 0 ? 0 : editDistance(section, keySection);
    const differs = last.length > 3 && apart === 0 && keyLast.includes(last) ? 1 : editDistance(last, keyLast);
    return { key, apart, differs };
  });
  const [near] = ranked
    .filter(({ apart, differs }) => apart <= 2 && differs <= Math.max(1, last.length / 3))
    .sort((one, other) => one.apart + one.differs - other.apart - other.differs);
  const [alike, another] = ranked.filter(({ differs }) => differs === 0);
  return near?.key ?? (another ? undefined : alike?.key);
}
