import { AppError } from './errors.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The name under which a host's limits are kept: lower case, IDN as punycode, IPv6 in its short form, no default
 * port and no trailing dot, so that every spelling of one host shares one limit.
 */
export function hostKey(url: string | URL): string {
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
