import { AppError } from './errors.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Parsing URLs is expensive and origins recur. */
const known = new Map<string, string>();
const KNOWN_LIMIT = 1_000;
/** An origin without unusual characters: the rest of the URL cannot change the host. */
const PLAIN_ORIGIN = /^https?:\/\/[\w.:-]+(?=[/?#]|$)/i;

/** One key for all spellings of a host: lower case, punycode, no default port, no trailing dot. */
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
    throw new AppError('URL_WITHOUT_HOST', `"${String(url).slice(0, 200)}" has no host name`, {
      hint: 'use an absolute http or https URL',
    });
  }
  const host = parsed.hostname.toLowerCase().replace(/\.$/, '');
  // URL drops the default port of schemes it knows.
  const port = parsed.port === DEFAULT_PORTS[parsed.protocol] ? '' : parsed.port;
  return port ? `${host}:${port}` : host;
}
