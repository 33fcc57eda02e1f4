import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { parseJson } from '../base/index.ts';
import { settingsTable } from './generated/index.ts';
import type { Key } from './keys.ts';
import type { Layer } from './layers.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that are not settings. */
const RESERVED = new Set(['DOCSTOKG_CONFIG', 'DOCSTOKG_PROFILE', 'DOCSTOKG_SIM']);

/** A setting and its customary variables; the first one that is set wins. */
type Customary = readonly (readonly [path: readonly string[], ...names: string[]])[];

const PROXY: Customary = [
  [['http', 'http_proxy'], 'http_proxy', 'HTTP_PROXY'],
  [['http', 'https_proxy'], 'https_proxy', 'HTTPS_PROXY'],
  [['http', 'no_proxy'], 'no_proxy', 'NO_PROXY'],
];

/** Settings from customary variables, by default those for a proxy; every other source overrides them. */
export function customaryLayer(environment: Environment, customary = PROXY): Layer {
  return customary.flatMap(([path, ...names]) => {
    const name = names.find((each) => (environment[each] ?? '') !== '');
    return name === undefined ? [] : [{ path, value: environment[name], origin: `environment variable ${name}` }];
  });
}

/** Settings from `DOCSTOKG_SECTION__KEY` variables, converted to the key's type. */
export function environmentLayer(environment: Environment, keys?: readonly Key[]): Layer {
  const ours = Object.entries(environment).filter(([name]) => isSetting(name));
  if (ours.length === 0) return [];
  const known = new Map((keys ?? settingsTable().keys).map((key) => [key.environment, key]));
  return ours.flatMap(([name, text]) => {
    if (text === undefined) return [];
    const key = known.get(name);
    const path = key?.path ?? name.slice('DOCSTOKG_'.length).toLowerCase().split('__');
    return [{ path, value: key ? parseText(text, key.type) : text, origin: `environment variable ${name}` }];
  });
}

function isSetting(name: string): boolean {
  return name.startsWith('DOCSTOKG_') && name.includes('__') && !name.startsWith('DOCSTOKG_TEST_');
}

/** A warning for each of our variables that cannot name a setting: another version or program may have left it. */
export function strayVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('DOCSTOKG_') && !name.includes('__'))
    .filter((name) => !RESERVED.has(name) && !name.startsWith('DOCSTOKG_TEST_'))
    .map((name) => `environment variable ${name} names no setting and is ignored`);
}

/** Converts a text to a type; a text that cannot be converted is returned unchanged and rejected later. */
export function parseText(text: string, type: string): unknown {
  if (text === 'null' && type !== 'string') return null;
  switch (type) {
    case 'integer':
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return /^(1|true|yes|on)$/i.test(text) ? true : /^(0|false|no|off)$/i.test(text) ? false : text;
    case 'map':
      return text.trim().startsWith('{') ? (parseJson(text) ?? text) : parseMap(text);
    case 'array':
      if (text.trim().startsWith('[')) return parseJson(text) ?? text;
      return text.trim() === '' ? [] : text.split(',').map((part) => part.trim());
    default:
      return text;
  }
}

/** Reads `a:2,b:3`. */
function parseMap(text: string): unknown {
  const entries = text.split(',').filter((part) => part.trim() !== '');
  const pairs = entries.map((entry) => /^\s*([^:=\s]+)\s*[:=]\s*(\S+)\s*$/.exec(entry));
  if (pairs.some((pair) => pair === null)) return text;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', parseText(pair?.[2] ?? '', 'number')]));
}

interface ArrayTask {
  /** From 1. */
  readonly index: number;
  /** Undefined if unknown: Kubernetes does not give it. */
  readonly count: number | undefined;
}

/** This process's task in an array job of Slurm (any first number and step), AWS Batch or Kubernetes. */
export function arrayTask(environment: Environment = process.env): ArrayTask | undefined {
  const number = (name: string): number | undefined =>
    /^\d{1,9}$/.test(environment[name] ?? '') ? Number(environment[name]) : undefined;
  const slurm = number('SLURM_ARRAY_TASK_ID');
  if (slurm !== undefined) {
    const [first, step] = [number('SLURM_ARRAY_TASK_MIN') ?? 0, number('SLURM_ARRAY_TASK_STEP') ?? 1];
    return { index: Math.floor((slurm - first) / Math.max(1, step)) + 1, count: number('SLURM_ARRAY_TASK_COUNT') };
  }
  const aws = number('AWS_BATCH_JOB_ARRAY_INDEX');
  if (aws !== undefined) return { index: aws + 1, count: number('AWS_BATCH_JOB_ARRAY_SIZE') };
  const kubernetes = number('JOB_COMPLETION_INDEX');
  return kubernetes === undefined ? undefined : { index: kubernetes + 1, count: undefined };
}

const NAMES: Readonly<Record<string, string>> = {
  aws_access_key_id: 'access_key_id',
  aws_secret_access_key: 'secret_access_key',
  aws_session_token: 'session_token',
  region: 'region',
  endpoint_url: 'endpoint',
};

const VARIABLES: Customary = [
  [['store', 'endpoint'], 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'],
  [['store', 'region'], 'AWS_REGION', 'AWS_DEFAULT_REGION'],
  [['store', 'access_key_id'], 'AWS_ACCESS_KEY_ID'],
  [['store', 'secret_access_key'], 'AWS_SECRET_ACCESS_KEY'],
  [['store', 'session_token'], 'AWS_SESSION_TOKEN'],
];

/** Settings from `~/.aws` and the AWS variables, for the selected profile. */
export function awsLayer(environment: Environment): Layer {
  const profile = environment['AWS_PROFILE'] ?? 'default';
  const home = environment['HOME'] ?? homedir();
  const files = [
    [
      environment['AWS_CONFIG_FILE'] ?? join(home, '.aws', 'config'),
      profile === 'default' ? profile : `profile ${profile}`,
    ],
    [environment['AWS_SHARED_CREDENTIALS_FILE'] ?? join(home, '.aws', 'credentials'), profile],
  ] as const;
  const fromFiles = files.flatMap(([file, section]) =>
    Object.entries(sectionOf(file, section)).map(([name, value]) => ({
      path: ['store', name],
      value,
      origin: `file ${file}`,
    })),
  );
  return [...fromFiles, ...customaryLayer(environment, VARIABLES)];
}

/** The known settings in a section of an INI file. */
function sectionOf(file: string, section: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {}; // Missing or unreadable: the store reports that there are no credentials.
  }
  const found: Record<string, string> = {};
  let isInside = false;
  for (const line of text.split(/\r?\n/)) {
    const head = /^\[([^\]]*)\]/.exec(line.trim());
    if (head) isInside = head[1]?.trim() === section;
    const [name = '', ...rest] = line.split('=');
    const value = rest.join('=').trim();
    const known = NAMES[name.trim().toLowerCase()];
    if (isInside && known !== undefined && value !== '') found[known] = value;
  }
  return found;
}
