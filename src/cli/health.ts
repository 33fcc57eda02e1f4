import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';

import { AppError, errorInfo } from '../base/index.ts';
import type { Config, Loaded } from '../config/index.ts';
import { configuredServices, dnsMappings, openQueue } from '../harvest/index.ts';
import type { HttpResult, Send } from '../http/index.ts';
import { createClient, requireContact } from '../http/index.ts';
import { findModelServers, LOCAL_MODEL_SERVERS } from '../model/index.ts';
import { locateTesseract, ocrLanguages, openDenseEngineIfInstalled } from '../parse/index.ts';
import type { ServiceName } from '../resolve/index.ts';
import { SERVICE_NAMES } from '../resolve/index.ts';
import type { Session } from './session.ts';

/** Result of a check: `bad` prevents something from working, `hint` only disables an optional feature. */
export interface Finding {
  readonly area: 'runtime' | 'disk' | 'settings' | 'keys' | 'services';
  readonly name: string;
  readonly state: 'good' | 'hint' | 'bad';
  readonly found: string;
  /** Suggested fix; absent if nothing is wrong. */
  readonly fix?: string;
}

const LEAST_MEMORY = 2e9;

/** Checks the machine and optional components. */
export async function checkRuntime(config: Config): Promise<Finding[]> {
  return [nodeVersion(), sqliteVersion(), memory(), await model(config), ocr()];
}

function nodeVersion(): Finding {
  const found = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  return { area: 'runtime', name: 'node', state: 'good', found };
}

function sqliteVersion(): Finding {
  return { area: 'runtime', name: 'sqlite', state: 'good', found: `SQLite ${process.versions['sqlite']}` };
}

function memory(): Finding {
  const bytes = process.constrainedMemory() || totalmem();
  // An unlimited cgroup reports a huge number.
  const real = Math.min(bytes, totalmem());
  const found = `${(real / 1e9).toFixed(1)} GB of memory, ${availableParallelism()} cores`;
  return real >= LEAST_MEMORY
    ? { area: 'runtime', name: 'memory', state: 'good', found }
    : {
        area: 'runtime',
        name: 'memory',
        state: 'hint',
        found,
        fix: 'run the stages with --workers 1; large papers may not fit',
      };
}

async function model({ parse }: Config): Promise<Finding> {
  const about = { area: 'runtime', name: 'embeddings' } as const;
  if (parse.dense !== 'embedded') return { ...about, state: 'good', found: `dense vectors: ${parse.dense}` };
  try {
    const opened = await openDenseEngineIfInstalled({ engine: 'embedded', precision: parse.precision, threads: 1 });
    if (opened.kind === 'engine') {
      await using engine = opened.engine;
      const found = `${engine.model.name} (${engine.model.precision}), weights verified`;
      return engine.notice === undefined
        ? { ...about, state: 'good', found }
        : { ...about, state: 'hint', found: `${found}; ${engine.notice}`, fix: 'npm install onnxruntime-node@~1.30.0' };
    }
    return {
      ...about,
      state: 'hint',
      found: `${opened.reason.message}: only word search is available`,
      fix: opened.reason.hint ?? 'install the optional packages',
    };
  } catch (error) {
    const { message } = errorInfo(error);
    return {
      ...about,
      state: 'bad',
      found: message,
      fix: 'run npm ci, or set parse.dense: none to search by words only',
    };
  }
}

function ocr(): Finding {
  const about = { area: 'runtime', name: 'ocr' } as const;
  const languages = ocrLanguages();
  if (languages.length > 0) return { ...about, state: 'good', found: `embedded OCR engine: ${languages.join(', ')}` };
  // Same lookup as in worker processes.
  const command = locateTesseract();
  const { status, stdout } =
    command === undefined ? { status: 1, stdout: '' } : spawnSync(command, ['--version'], { encoding: 'utf8' });
  return status === 0
    ? { ...about, state: 'good', found: `${stdout.split('\n')[0] ?? 'tesseract'}, ${command}` }
    : {
        ...about,
        state: 'hint',
        found: 'no OCR engine is installed: scanned pages are reported but not parsed',
        fix: 'npm install tesseract.js-core @tesseract.js-data/eng if your papers are scans',
      };
}

const LITTLE = 5e9;
const NOTHING = 1e8;

/** Checks that the output folders are writable and have enough free space. */
export function checkDisk({ download, parse, queue }: Config): Finding[] {
  const folders: (readonly [name: string, folder: string, setting: string])[] = [
    ['run folder', download.out, 'download.out'],
    ['data root', parse.data_root, 'parse.data_root'],
    ...(queue.backend === 'sqlite' ? ([['queue', dirname(queue.path), 'queue.path']] as const) : []),
  ];
  return folders.map(([name, folder, setting]) => checkFolder(name, resolve(folder), setting));
}

function checkFolder(name: string, folder: string, setting: string): Finding {
  const about = { area: 'disk', name } as const;
  const existing = nearestExisting(folder);
  try {
    accessSync(existing, constants.W_OK);
  } catch {
    return {
      ...about,
      state: 'bad',
      found: `${existing} is not writable`,
      fix: `set ${setting} to another folder`,
    };
  }
  const { bavail, bsize } = statfsSync(existing);
  const free = bavail * bsize;
  const found = `${(free / 1e9).toFixed(1)} GB free for ${folder}`;
  if (free > LITTLE) return { ...about, state: 'good', found };
  return {
    ...about,
    state: free > NOTHING ? 'hint' : 'bad',
    found,
    fix: `a paper needs about 3 MB including derived files: free some space, or set ${setting}`,
  };
}

/** The nearest existing ancestor of a folder. */
function nearestExisting(folder: string): string {
  let at = folder;
  while (!existsSync(at)) at = dirname(at);
  return at;
}

/** API keys: what is missing without each, and where to get one. */
const KEYS: readonly (readonly [name: keyof Config['keys'], without: string, where: string])[] = [
  ['openalex', 'smaller daily OpenAlex budget', 'openalex.org/settings/api'],
  ['core', 'CORE is not used', 'core.ac.uk/services/api'],
  ['semantic_scholar', 'Semantic Scholar: shared rate limit', 'semanticscholar.org/product/api'],
  ['ncbi', 'NCBI: 3 requests per second instead of 10', 'account.ncbi.nlm.nih.gov/settings'],
  ['osf', 'OSF: lower hourly limit', 'osf.io/settings/tokens'],
  ['openaire', 'OpenAIRE: lower hourly limit', 'develop.openaire.eu'],
];

/** Where settings come from, and whether a contact address is set. */
export function checkSettings({ config, origins }: Loaded): Finding[] {
  const changed = [...origins.values()].filter((origin) => origin !== 'default');
  const from = [...new Set(changed)].join(', ');
  const found =
    changed.length === 0 ? 'all settings have their default value' : `${changed.length} changed, from ${from}`;
  return [{ area: 'settings', name: 'configuration', state: 'good', found }, contact(config)];
}

function contact({ http }: Config): Finding {
  const about = { area: 'settings', name: 'contact' } as const;
  try {
    return { ...about, state: 'good', found: requireContact(http.contact) };
  } catch (error) {
    const { message } = errorInfo(error);
    return {
      ...about,
      state: 'bad',
      found: `${message}: services are not used without one`,
      fix: 'set your e-mail address with --mailto or DOCSTOKG_HTTP__CONTACT',
    };
  }
}

/** Which keys are set, and what the others would provide. All keys are optional. */
export function checkKeys({ keys }: Config): Finding[] {
  return KEYS.map(([name, without, where]) =>
    keys[name] === ''
      ? {
          area: 'keys',
          name,
          state: 'hint',
          found: `no key: ${without}`,
          fix: `${where}, then DOCSTOKG_KEYS__${name.toUpperCase()}`,
        }
      : { area: 'keys', name, state: 'good', found: 'set' },
  );
}

const TIMEOUT_MS = 10_000;

/** Checks that the configured services, queue server and engines are reachable. */
export async function checkServices(config: Config, contact: string | undefined, session: Session): Promise<Finding[]> {
  const ours = [queueServer(config, session), modelServer(config), ...engines(config)];
  if (contact === undefined) {
    const found = 'not checked: no contact address is set';
    return [
      ...(await Promise.all(ours)).filter((finding) => finding !== undefined),
      { area: 'services', name: 'scholarly services', state: 'hint', found, fix: 'set a contact address first' },
    ];
  }
  return (await Promise.all([...ours, ...scholarly(config, contact)])).filter((finding) => finding !== undefined);
}

/** Sends one small request to each host; any response counts as reachable. */
function scholarly(config: Config, contact: string): Promise<Finding>[] {
  const services = configuredServices(config);
  const { http } = config;
  const client = createClient({
    contact,
    pools: services.pools(),
    retry: { retries: 0, parkAfterMs: TIMEOUT_MS },
    limits: { connectMs: TIMEOUT_MS, headersMs: TIMEOUT_MS, totalMs: TIMEOUT_MS },
    guard: { allow: http.allow, dnsMap: dnsMappings(http.dns, http.allow) },
  });
  const byHost = Map.groupBy(SERVICE_NAMES, (name) => services.base(name).origin);
  const checks = [...byHost.values()].map((names) => reach(names, services.base(names[0] as ServiceName), client.send));
  void Promise.allSettled(checks).then(() => client[Symbol.asyncDispose]());
  return checks;
}

async function reach(names: readonly string[], url: URL, send: Send): Promise<Finding> {
  const about = { area: 'services', name: names.join(', ') } as const;
  const result = await send({ url, method: 'HEAD', robots: 'terms', cache: 'bypass' });
  if (result.kind === 'response') {
    const { status } = result.response;
    return status < 500
      ? { ...about, state: 'good', found: `${url.host} answers` }
      : { ...about, state: 'hint', found: `${url.host} answers with status ${status}`, fix: 'try again later' };
  }
  return {
    ...about,
    state: 'bad',
    found: `${url.host} cannot be reached: ${why(result)}`,
    fix: 'check the network, a proxy or firewall, and services.base_urls',
  };
}

function why(result: Exclude<HttpResult, { readonly kind: 'response' }>): string {
  return result.kind === 'failed' || result.kind === 'refused'
    ? `${result.reason} (${result.message})`
    : 'rate-limited';
}

async function queueServer(config: Config, session: Session): Promise<Finding | undefined> {
  if (config.queue.backend !== 'postgres') return undefined;
  const about = { area: 'services', name: 'queue' } as const;
  try {
    await using queue = await openQueue(config, session);
    await queue.stats();
    return { ...about, state: 'good', found: 'the PostgreSQL server answers' };
  } catch (error) {
    const { message } = errorInfo(error);
    const hint = error instanceof AppError ? error.hint : undefined;
    return { ...about, state: 'bad', found: message, fix: hint ?? 'check queue.url' };
  }
}

function engines({ parse }: Config): Promise<Finding>[] {
  return [
    ...(parse.engine === 'embedded' ? [] : [answers('engine', parse.engine_url, 'parse.engine_url')]),
    ...(parse.dense === 'openai-compatible' ? [answers('embedding server', parse.embed_url, 'parse.embed_url')] : []),
  ];
}

/** Model servers at the address of the settings, or where they usually run on this machine. */
async function modelServer({ model, keys }: Config): Promise<Finding> {
  const about = { area: 'services', name: 'model server' } as const;
  const found = await findModelServers(model.url === '' ? LOCAL_MODEL_SERVERS : { configured: model.url }, keys.model);
  const [first] = found;
  if (!first)
    return model.url === ''
      ? { ...about, state: 'hint', found: 'none on this machine: ask and table quote the papers without a model' }
      : { ...about, state: 'bad', found: `${model.url} lists no models`, fix: 'check model.url and keys.model' };
  const listed = found.map(
    ({ name, url, models }) => `${name} at ${url}: ${models.slice(0, 5).join(', ') || 'no model loaded'}`,
  );
  if (model.url === '')
    return {
      ...about,
      state: 'hint',
      found: listed.join('; '),
      fix: `to use it: --model-url ${first.url} --model ${first.models[0] ?? 'NAME'}`,
    };
  const isKnown = model.name === '' || first.models.includes(model.name);
  return isKnown
    ? { ...about, state: 'good', found: listed.join('; ') }
    : {
        ...about,
        state: 'bad',
        found: `${model.url} has no model ${model.name}`,
        fix: `one of ${first.models.slice(0, 5).join(', ')}`,
      };
}

/** The user's own server: contacted directly, private addresses allowed. */
async function answers(name: string, url: string, setting: string): Promise<Finding> {
  const about = { area: 'services', name } as const;
  try {
    const { status } = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { ...about, state: 'good', found: `${url} answers (status ${status})` };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return {
      ...about,
      state: 'bad',
      found: `${url} cannot be reached: ${errorInfo(cause).message}`,
      fix: `check ${setting}`,
    };
  }
}
