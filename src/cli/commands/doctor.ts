import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';

import { Command } from 'commander';

import { AppError, errorInfo, installCommand } from '../../base/index.ts';
import type { Config, Loaded } from '../../config/index.ts';
import { proxyOf, withoutPasswords } from '../../config/index.ts';
import { configuredServices, dnsMappings, openCorpusServer, openQueue, simulatedLayer } from '../../run/index.ts';
import type { Send } from '../../http/index.ts';
import type { ProxySettings } from '../../http/index.ts';
import { createClient, createServerClient, requireContact } from '../../http/index.ts';
import { findModelServers, LOCAL_MODEL_SERVERS } from '../../model/index.ts';
import { locateTesseract, ocrLanguages, openDenseEngineIfInstalled } from '../../parse/index.ts';
import type { ServiceName } from '../../resolve/index.ts';
import { SERVICE_NAMES } from '../../resolve/index.ts';
import { isVectorOffered, vectorSchema } from '../../search/index.ts';
import type { FlagsOf } from '../options.ts';
import { webOptions } from '../options.ts';
import type { Session } from '../session.ts';
import { openSession, shared } from '../session.ts';
import { counted, plain } from '../terminal.ts';

/** Result of a check: `bad` prevents something from working, `hint` only disables an optional feature. */
export interface Finding {
  readonly area: keyof typeof AREAS;
  readonly name: string;
  readonly state: keyof typeof MARKS;
  readonly found: string;
  readonly fix?: string;
}

const AREAS = {
  runtime: 'Machine and components',
  disk: 'Disk',
  settings: 'Settings',
  keys: 'API keys (all optional)',
  services: 'Services',
} as const;
const MARKS = { good: ['green', '✓'], hint: ['yellow', '·'], bad: ['red', '✗'] } as const;

function check(area: Finding['area'], name: string) {
  const finding = (state: Finding['state'], found: string, fix?: string): Finding => ({
    area,
    name,
    state,
    found: withoutPasswords(found),
    ...(fix && { fix: withoutPasswords(fix) }),
  });
  return {
    good: (found: string): Finding => finding('good', found),
    hint: (found: string, fix?: string): Finding => finding('hint', found, fix),
    bad: (found: string, fix?: string): Finding => finding('bad', found, fix),
  };
}

function doctorOptions() {
  return webOptions(shared(new Command('doctor')))
    .description('check the machine, disk, settings, keys and services, and suggest fixes')
    .option('--offline', 'do not contact any service')
    .addHelpText(
      'after',
      '\nExample:\n  docstokg doctor --mailto you@university.example\n\nExits with 1 if a check fails.\n',
    );
}

export function doctorCommand() {
  return doctorOptions().action(async (options, self) => {
    const session = openSession(self);
    const findings = await checkAll(options, session);
    if (session.json) session.terminal.print(JSON.stringify(findings, undefined, 2));
    else printFindings(findings, session);
    if (findings.some(({ state }) => state === 'bad')) process.exitCode = 1;
  });
}

async function checkAll(options: FlagsOf<typeof doctorOptions>, session: Session): Promise<Finding[]> {
  let loaded: Loaded;
  try {
    loaded = session.load(await simulatedLayer(options));
  } catch (error) {
    return [check('settings', 'configuration').bad(errorInfo(error).message, hintOf(error))];
  }
  const { config } = loaded;
  const contact = contactOf(config);
  return [
    check('runtime', 'node').good(`Node ${process.versions.node} on ${process.platform} ${process.arch}`),
    check('runtime', 'sqlite').good(`SQLite ${process.versions['sqlite']}`),
    memory(),
    await denseEngine(config),
    ocrEngine(),
    ...disk(config),
    settingsFrom(loaded),
    contact,
    ...apiKeys(config),
    ...(options.offline ? [] : await services(config, contact.state === 'good', session)),
  ];
}

function hintOf(error: unknown): string | undefined {
  return error instanceof AppError ? error.hint : undefined;
}

function printFindings(findings: readonly Finding[], { terminal }: Session): void {
  const width = Math.min(24, Math.max(...findings.map(({ name }) => name.length)));
  for (const [area, some] of Map.groupBy(findings, (finding) => finding.area)) {
    terminal.print(terminal.style('bold', AREAS[area], 'stdout'));
    for (const [at, { name, state, found, fix }] of some.entries()) {
      const [colour, mark] = MARKS[state];
      terminal.print(`  ${terminal.style(colour, mark, 'stdout')} ${name.padEnd(width)}  ${plain(found)}`);
      // Findings with the same fix print it once.
      if (fix !== undefined && fix !== some[at + 1]?.fix)
        terminal.print(`    ${''.padEnd(width)}  ${terminal.style('dim', `→ ${plain(fix)}`, 'stdout')}`);
    }
  }
  const bad = findings.filter(({ state }) => state === 'bad').length;
  terminal.print(bad === 0 ? '\nready' : `\n${counted(bad, 'problem')} to fix`);
}

const LEAST_MEMORY = 2e9;

function memory(): Finding {
  // An unlimited cgroup reports a huge number.
  const bytes = Math.min(process.constrainedMemory() || totalmem(), totalmem());
  const found = `${(bytes / 1e9).toFixed(1)} GB of memory, ${availableParallelism()} cores`;
  const { good, hint } = check('runtime', 'memory');
  return bytes >= LEAST_MEMORY ? good(found) : hint(found, 'run the stages with --workers 1; large papers may not fit');
}

async function denseEngine({ parse }: Config): Promise<Finding> {
  const { good, hint, bad } = check('runtime', 'embeddings');
  if (parse.dense !== 'embedded') return good(`dense vectors: ${parse.dense}`);
  try {
    const opened = await openDenseEngineIfInstalled({ engine: 'embedded', precision: parse.precision, threads: 1 });
    if (opened.kind !== 'engine') {
      const { message, hint: fix = 'install docstokg again' } = opened.reason;
      return hint(`${message}: only word search is available`, fix);
    }
    await using engine = opened.engine;
    const found = `${engine.model.name} (${engine.model.precision}), weights verified`;
    return engine.notice === undefined ? good(found) : hint(`${found}; ${engine.notice.message}`, engine.notice.remedy);
  } catch (error) {
    return bad(errorInfo(error).message, 'run npm ci, or set parse.dense: none to search by words only');
  }
}

function ocrEngine(): Finding {
  const { good, hint } = check('runtime', 'ocr');
  const languages = ocrLanguages();
  if (languages.length > 0) return good(`embedded OCR engine: ${languages.join(', ')}`);
  // Same lookup as in worker processes.
  const command = locateTesseract();
  const { status, stdout } =
    command === undefined ? { status: 1, stdout: '' } : spawnSync(command, ['--version'], { encoding: 'utf8' });
  return status === 0
    ? good(`${stdout.split('\n')[0] ?? 'tesseract'}, ${command}`)
    : hint(
        'no OCR engine is installed: scanned pages are reported but not parsed',
        `${installCommand(['tesseract.js-core', '@tesseract.js-data/eng'])} if your papers are scans (other languages: deu, fra, spa, ita, por, …)`,
      );
}

const LITTLE = 5e9;
const NOTHING = 1e8;

function disk({ download, parse, queue }: Config): Finding[] {
  const folders: (readonly [name: string, folder: string, setting: string])[] = [
    ['run folder', download.out, 'download.out'],
    ['data root', parse.data_root, 'parse.data_root'],
    ...(queue.backend === 'sqlite' ? ([['queue', dirname(queue.path), 'queue.path']] as const) : []),
  ];
  return folders.map(([name, folder, setting]) => {
    const { good, hint, bad } = check('disk', name);
    let existing = resolve(folder);
    while (!existsSync(existing)) existing = dirname(existing);
    try {
      accessSync(existing, constants.W_OK);
    } catch {
      return bad(`${existing} is not writable`, `set ${setting} to another folder`);
    }
    const { bavail, bsize } = statfsSync(existing);
    const free = bavail * bsize;
    const found = `${(free / 1e9).toFixed(1)} GB free for ${resolve(folder)}`;
    const fix = `a paper needs about 3 MB including derived files: free some space, or set ${setting}`;
    return free > LITTLE ? good(found) : free > NOTHING ? hint(found, fix) : bad(found, fix);
  });
}

function settingsFrom({ origins }: Loaded): Finding {
  const changed = [...origins.values()].filter((origin) => origin !== 'default');
  return check('settings', 'configuration').good(
    changed.length === 0
      ? 'all settings have their default value'
      : `${changed.length} changed, from ${[...new Set(changed)].join(', ')}`,
  );
}

function contactOf({ http }: Config): Finding {
  const { good, bad } = check('settings', 'contact');
  try {
    return good(requireContact(http.contact));
  } catch (error) {
    return bad(
      `${errorInfo(error).message}: services are not used without one`,
      'set your e-mail address with --mailto or DOCSTOKG_HTTP__CONTACT',
    );
  }
}

const KEYS: readonly (readonly [name: keyof Config['keys'], without: string, where: string])[] = [
  ['openalex', 'smaller daily OpenAlex budget', 'openalex.org/settings/api'],
  ['core', 'CORE: 100 requests per day or fewer', 'core.ac.uk/services/api'],
  ['semantic_scholar', 'Semantic Scholar: shared rate limit', 'semanticscholar.org/product/api'],
  ['ncbi', 'NCBI: 3 requests per second instead of 10', 'account.ncbi.nlm.nih.gov/settings'],
  ['osf', 'OSF: lower hourly limit', 'osf.io/settings/tokens'],
  ['openaire', 'OpenAIRE: lower hourly limit', 'develop.openaire.eu'],
];

function apiKeys({ keys }: Config): Finding[] {
  return KEYS.map(([name, without, where]) =>
    keys[name] === ''
      ? check('keys', name).hint(`no key: ${without}`, `${where}, then DOCSTOKG_KEYS__${name.toUpperCase()}`)
      : check('keys', name).good('set'),
  );
}

const TIMEOUT_MS = 10_000;

async function services(config: Config, hasContact: boolean, session: Session): Promise<Finding[]> {
  const { parse } = config;
  const proxy = proxyOf(config);
  const checks = [
    ...(config.queue.backend === 'postgres' ? [queueServer(config, session)] : []),
    modelServer(config),
    ...(parse.engine === 'embedded'
      ? []
      : [ownServer('engine', { url: parse.engine_url, setting: 'parse.engine_url', proxy })]),
    ...(parse.dense === 'openai-compatible'
      ? [ownServer('embedding server', { url: parse.embed_url, setting: 'parse.embed_url', proxy })]
      : []),
    ...(hasContact ? scholarly(config) : []),
  ];
  const unchecked = check('services', 'scholarly services').hint(
    'not checked: no contact address is set',
    'set a contact address first',
  );
  return [...(await Promise.all(checks)), ...(hasContact ? [] : [unchecked])];
}

/** Sends one small request to each host; any response counts as reachable. */
function scholarly(config: Config): Promise<Finding>[] {
  const configured = configuredServices(config);
  const { http } = config;
  const client = createClient({
    contact: http.contact.trim(),
    proxy: proxyOf(config),
    pools: configured.pools(),
    retry: { retries: 0, parkAfterMs: TIMEOUT_MS },
    limits: { connectMs: TIMEOUT_MS, headersMs: TIMEOUT_MS, totalMs: TIMEOUT_MS },
    guard: { allow: http.allow, dnsMap: dnsMappings(http.dns, http.allow) },
  });
  const byHost = Map.groupBy(SERVICE_NAMES, (name) => configured.base(name).origin);
  const checks = [...byHost.values()].map((names) =>
    reach(names, configured.base(names[0] as ServiceName), client.send),
  );
  void Promise.allSettled(checks).then(() => client[Symbol.asyncDispose]());
  return checks;
}

async function reach(names: readonly string[], url: URL, send: Send): Promise<Finding> {
  const { good, hint, bad } = check('services', names.join(', '));
  const result = await send({ url, method: 'HEAD', robots: 'terms', cache: 'bypass' });
  if (result.kind === 'response') {
    const { status } = result.response;
    return status < 500
      ? good(`${url.host} answers`)
      : hint(`${url.host} answers with status ${status}`, 'try again later');
  }
  const why =
    result.kind === 'failed' || result.kind === 'refused' ? `${result.reason} (${result.message})` : 'rate-limited';
  return bad(`${url.host} cannot be reached: ${why}`, 'check the network, a proxy or firewall, and services.base_urls');
}

async function queueServer(config: Config, session: Session): Promise<Finding> {
  const { good, bad } = check('services', 'queue');
  try {
    await using queue = await openQueue(config, session);
    await queue.stats();
    await using connection = await openCorpusServer(config, session);
    if ((await vectorSchema(connection)) !== undefined) return good('the PostgreSQL server answers, with pgvector');
    return (await isVectorOffered(connection))
      ? good('the PostgreSQL server answers; the first run adds pgvector, if its role may')
      : good('the PostgreSQL server answers; without pgvector 0.8 or newer a fleet searches by words alone');
  } catch (error) {
    return bad(errorInfo(error).message, hintOf(error) ?? 'check queue.url');
  }
}

/** Model servers at the configured URL, or at their usual ports on this machine. */
async function modelServer(config: Config): Promise<Finding> {
  const { model, keys } = config;
  const { good, hint, bad } = check('services', 'model server');
  const servers = model.url === '' ? LOCAL_MODEL_SERVERS : { configured: model.url };
  const found = await findModelServers(servers, keys.model, proxyOf(config));
  const [first] = found;
  if (!first)
    return model.url === ''
      ? hint('none on this machine: ask and table quote the papers without a model')
      : bad(`${model.url} lists no models`, 'check model.url and keys.model');
  const listed = found
    .map(({ name, url, models }) => `${name} at ${url}: ${models.slice(0, 5).join(', ') || 'no model loaded'}`)
    .join('; ');
  if (model.url === '') return hint(listed, `to use it: --model-url ${first.url} --model ${first.models[0] ?? 'NAME'}`);
  return model.name === '' || first.models.includes(model.name)
    ? good(listed)
    : bad(`${model.url} has no model ${model.name}`, `one of ${first.models.slice(0, 5).join(', ')}`);
}

/** A server that the user named: private addresses are allowed. */
async function ownServer(
  name: string,
  { url, setting, proxy }: { readonly url: string; readonly setting: string; readonly proxy: ProxySettings },
): Promise<Finding> {
  const { good, bad } = check('services', name);
  try {
    const server = new URL(url);
    await using client = createServerClient({ url: server, timeoutMs: TIMEOUT_MS, retries: 0, proxy });
    const result = await client.send({ url: server, method: 'HEAD' });
    const response = 'response' in result ? result.response : result.trail.response;
    if (response) return good(`${url} answers (status ${response.status})`);
    const why = 'message' in result ? result.message : result.kind;
    return bad(`${url} cannot be reached: ${why}`, `check ${setting}`);
  } catch (error) {
    return bad(`${url} cannot be reached: ${errorInfo(error).message}`, `check ${setting}`);
  }
}
