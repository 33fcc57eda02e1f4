import { AppError } from './errors.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Hosts recur, and taking a URL apart is dear: what was found for the part before the path is kept for the next. */
const known = new Map<string, string>();
const KNOWN_LIMIT = 1_000;
/** An origin without anything curious in it: what follows can neither change the host nor make the URL invalid. */
const PLAIN_ORIGIN = /^https?:\/\/[\w.:-]+(?=[/?#]|$)/i;

/**
 * The name under which a host's limits are kept: lower case, IDN as punycode, IPv6 in its short form, no default
 * port and no trailing dot, so that every spelling of one host shares one limit.
 */
export function hostKey(url: string | URL): string {
  const origin = typeof url === 'string' ? PLAIN_ORIGIN.exec(url)?.[0] : undefined;
  if (origin === undefined) return keyOf(url);
  const found = known.get(origin);
  if (found !== undefined) return found;
  const key = keyOf(url);
  if (known.size >= KNOWN_LIMIT) known.clear();
  known.set(origin, key);
  return key;
}

function keyOf(url: string | URL): string {
  const parsed = typeof url === 'string' ? URL.parse(url) : url;
  if (!parsed?.hostname) {
    throw new AppError('URL_WITHOUT_HOST', `"${String(url).slice(0, 200)}" names no host`, {
      hint: 'give an absolute http or https URL',
    });
  }
  const host = parsed.hostname.toLowerCase().replace(/\.$/, '');
  // WHATWG URLs drop the default port themselves for the schemes they know.
  const port = parsed.port === DEFAULT_PORTS[parsed.protocol] ? '' : parsed.port;
  return port ? `${host}:${port}` : host;
}
