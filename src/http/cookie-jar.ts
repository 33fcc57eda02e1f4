import { isIP } from 'node:net';

import { plainHost } from './guard.ts';
import { parseHttpDate } from './http-date.ts';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly hostOnly: boolean;
  readonly path: string;
  readonly secure: boolean;
  readonly expiresAt: number;
}

/** Second-level labels under country codes that are registries, not sites: a cookie for `co.uk` is for everybody. */
const REGISTRY_LABELS = new Set([
  'ac',
  'co',
  'com',
  'edu',
  'gob',
  'gov',
  'gouv',
  'net',
  'nom',
  'or',
  'org',
  'ne',
  'go',
]);

/**
 * Cookies of one work, kept for its redirects and thrown away with it: some publishers open only to the cookie they
 * have just set. Bounded in number and bytes; what does not fit is not kept.
 */
export class CookieJar {
  readonly #cookies = new Map<string, Cookie>();
  readonly #maxCookies: number;
  readonly #maxBytes: number;

  constructor(options: { readonly maxCookies?: number; readonly maxBytes?: number } = {}) {
    this.#maxCookies = options.maxCookies ?? 50;
    this.#maxBytes = options.maxBytes ?? 16 * 1024;
  }

  get size(): number {
    return this.#cookies.size;
  }

  /** Changes whenever the jar does: a redirect to the same URL with another jar is no loop. */
  get state(): string {
    return [...this.#cookies].map(([key, { value }]) => `${key}=${value}`).join(';');
  }

  /** The Cookie header for a URL; undefined when no cookie applies. */
  header(url: URL, now: number): string | undefined {
    const host = plainHost(url.hostname);
    const sent: Cookie[] = [];
    for (const [key, cookie] of this.#cookies) {
      if (cookie.expiresAt <= now) this.#cookies.delete(key);
      else if (matches(cookie, url, host)) sent.push(cookie);
    }
    sent.sort((a, b) => b.path.length - a.path.length);
    return sent.length > 0 ? sent.map(({ name, value }) => `${name}=${value}`).join('; ') : undefined;
  }

  /** Keeps what a `Set-Cookie` line says, if it may be said by this URL and there is room. */
  store(line: string, url: URL, now: number): void {
    const cookie = parseCookie(line, url, now);
    if (!cookie) return;
    const key = `${cookie.domain}|${cookie.path}|${cookie.name}`;
    this.#cookies.delete(key);
    if (cookie.expiresAt <= now) return;
    let bytes = cookie.name.length + cookie.value.length;
    for (const { name, value } of this.#cookies.values()) bytes += name.length + value.length;
    if (this.#cookies.size < this.#maxCookies && bytes <= this.#maxBytes) this.#cookies.set(key, cookie);
  }
}

function matches(cookie: Cookie, url: URL, host: string): boolean {
  if (cookie.secure && url.protocol !== 'https:') return false;
  if (cookie.hostOnly ? host !== cookie.domain : host !== cookie.domain && !host.endsWith(`.${cookie.domain}`)) {
    return false;
  }
  const path = url.pathname;
  if (!path.startsWith(cookie.path)) return false;
  return path.length === cookie.path.length || cookie.path.endsWith('/') || path[cookie.path.length] === '/';
}

function parseCookie(line: string, url: URL, now: number): Cookie | undefined {
  const [pair = '', ...attributes] = line.split(';');
  const equals = pair.indexOf('=');
  if (equals <= 0 || hasControl(line)) return undefined;
  const host = plainHost(url.hostname);
  const folder = url.pathname.slice(0, Math.max(1, url.pathname.lastIndexOf('/')));
  let cookie: Cookie = {
    name: pair.slice(0, equals).trim(),
    value: pair.slice(equals + 1).trim(),
    domain: host,
    hostOnly: true,
    path: folder,
    secure: false,
    expiresAt: Infinity,
  };
  let maxAge: number | undefined;
  for (const attribute of attributes) {
    const at = attribute.indexOf('=');
    const name = (at === -1 ? attribute : attribute.slice(0, at)).trim().toLowerCase();
    const value = at === -1 ? '' : attribute.slice(at + 1).trim();
    if (name === 'domain' && value !== '') {
      const domain = plainHost(value.replace(/^\./, ''));
      if (!mayCover(domain, host)) return undefined;
      cookie = { ...cookie, domain, hostOnly: domain === host && isIP(host) !== 0 };
    } else if (name === 'path' && value.startsWith('/')) cookie = { ...cookie, path: value };
    else if (name === 'secure') cookie = { ...cookie, secure: true };
    else if (name === 'max-age' && /^-?\d{1,12}$/.test(value)) maxAge = Number(value);
    else if (name === 'expires') cookie = { ...cookie, expiresAt: parseHttpDate(value, now) ?? cookie.expiresAt };
  }
  return maxAge === undefined ? cookie : { ...cookie, expiresAt: now + maxAge * 1000 };
}

/** True when a host may set cookies for a domain: its own, or one above it that belongs to one owner. */
function mayCover(domain: string, host: string): boolean {
  if (domain === host) return true;
  if (!host.endsWith(`.${domain}`) || isIP(host) !== 0) return false;
  const labels = domain.split('.');
  if (labels.length < 2) return false;
  const [second = '', top = ''] = labels.slice(-2);
  return labels.length > 2 || top.length > 2 || !(second.length <= 2 || REGISTRY_LABELS.has(second));
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
