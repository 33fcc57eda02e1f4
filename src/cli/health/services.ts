import { AppError, errorInfo } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { HttpResult, Send } from '../../http/index.ts';
import { createClient } from '../../http/index.ts';
import type { ServiceName } from '../../resolve/index.ts';
import { SERVICE_NAMES } from '../../resolve/index.ts';
import { findModelServers, LOCAL_MODEL_SERVERS } from '../../model/index.ts';
import { configuredServices, dnsMappings, openQueue } from '../../harvest/index.ts';
import type { Session } from '../session.ts';
import type { Finding } from './finding.ts';

const PATIENCE_MS = 10_000;

/** Checks that the configured services, queue server and engines are reachable. */
export async function checkServices(config: Config, contact: string | undefined, session: Session): Promise<Finding[]> {
  const own = [queueServer(config, session), modelServer(config), ...engines(config)];
  if (contact === undefined) {
    const found = 'not checked: no contact address is set';
    return [
      ...(await Promise.all(own)).filter((finding) => finding !== undefined),
      { area: 'services', name: 'scholarly services', state: 'hint', found, fix: 'set a contact address first' },
    ];
  }
  return (await Promise.all([...own, ...scholarly(config, contact)])).filter((finding) => finding !== undefined);
}

/** Sends one small request to each host; any response counts as reachable. */
function scholarly(config: Config, contact: string): Promise<Finding>[] {
  const services = configuredServices(config);
  const { http } = config;
  const client = createClient({
    contact,
    pools: services.pools(),
    retry: { retries: 0, parkAfterMs: PATIENCE_MS },
    limits: { connectMs: PATIENCE_MS, headersMs: PATIENCE_MS, totalMs: PATIENCE_MS },
    guard: { allow: http.allow, dnsMap: dnsMappings(http.dns, http.allow) },
  });
  const byHost = Map.groupBy(SERVICE_NAMES, (name) => services.base(name).origin);
  const asked = [...byHost.values()].map((names) => reach(names, services.base(names[0] as ServiceName), client.send));
  void Promise.allSettled(asked).then(() => client[Symbol.asyncDispose]());
  return asked;
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
async function modelServer({ claims, keys }: Config): Promise<Finding> {
  const about = { area: 'services', name: 'model server' } as const;
  const found = await findModelServers(
    claims.url === '' ? LOCAL_MODEL_SERVERS : { configured: claims.url },
    keys.claims,
  );
  const [first] = found;
  if (!first)
    return claims.url === ''
      ? { ...about, state: 'hint', found: 'none on this machine: ask and table quote the papers without a model' }
      : { ...about, state: 'bad', found: `${claims.url} lists no models`, fix: 'check claims.url and keys.claims' };
  const listed = found.map(
    ({ name, url, models }) => `${name} at ${url}: ${models.slice(0, 5).join(', ') || 'no model loaded'}`,
  );
  if (claims.url === '')
    return {
      ...about,
      state: 'hint',
      found: listed.join('; '),
      fix: `to use it: --model-url ${first.url} --model ${first.models[0] ?? 'NAME'}`,
    };
  const isKnown = claims.model === '' || first.models.includes(claims.model);
  return isKnown
    ? { ...about, state: 'good', found: listed.join('; ') }
    : {
        ...about,
        state: 'bad',
        found: `${claims.url} has no model ${claims.model}`,
        fix: `one of ${first.models.slice(0, 5).join(', ')}`,
      };
}

/** The user's own server: contacted directly, private addresses allowed. */
async function answers(name: string, url: string, setting: string): Promise<Finding> {
  const about = { area: 'services', name } as const;
  try {
    const { status } = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(PATIENCE_MS) });
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
