import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

import { Problem } from './problem.ts';

/** Who may ask, and under which names. */
export interface GateOptions {
  readonly token: string;
  /** The address that is listened on. */
  readonly host: string;
  /** Names besides it under which we are reached, such as that of a proxy. */
  readonly names: readonly string[];
}

/** What comes of looking at a request. */
export type Verdict =
  | { readonly kind: 'in' }
  /** A link with the right token: the browser gets a cookie and is sent on to the address without it. */
  | { readonly kind: 'welcome'; readonly cookie: string; readonly location: string };

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);
const YEAR_S = 31_536_000;
const IN: Verdict = { kind: 'in' };

/** True for addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host.toLowerCase()) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Lets in who shows the token and asks under a name of ours. A page of another origin in the same browser has neither: its
 * `Origin` is its own, a name that was rebound to this machine stands in `Host`, and the cookie is not sent along
 * (`SameSite=Strict`).
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #token: Buffer;
  /** For programs, which show the token with every request: as safe to compare as a digest, and a tenth of its cost. */
  readonly #padded: Buffer;
  /** What a browser shows in place of the token: other programs on this machine get to see cookies, which know no ports. */
  readonly #session = randomBytes(32).toString('base64url');
  readonly #sessionDigest: Buffer;
  readonly #names: ReadonlySet<string>;
  /** The last name that was found to be ours. */
  #host = '';
  #cookie = 'docstokg';

  constructor(options: GateOptions) {
    this.#options = options;
    this.#token = digest(options.token);
    this.#padded = padded(options.token);
    this.#sessionDigest = digest(this.#session);
    this.#names = new Set([...LOOPBACK, options.host, ...options.names].map((name) => name.toLowerCase()));
  }

  /** Servers on other ports of this machine keep cookies of their own. */
  set port(port: number) {
    this.#cookie = `docstokg-${port}`;
  }

  /** Throws a problem for whoever asks under a foreign name or from a foreign page. */
  checkPlace({ headers, headersDistinct }: IncomingMessage): void {
    const host = headers.host ?? '';
    // RFC 9112, 3.2: a proxy in front may have looked at the other one.
    if ((headersDistinct['host']?.length ?? 0) > 1) throw new Problem(400, 'USAGE_HOST', 'more than one Host header');
    if (!this.#isOurs(host))
      throw new Problem(403, 'FOREIGN_HOST', 'this server is not known under that name', {
        hint: 'use the address that docstokg serve printed, or name others with serve.allowed_hosts',
      });
    const { origin } = headers;
    if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
      throw new Problem(403, 'FOREIGN_ORIGIN', 'pages of other origins may not ask this server');
    const site = headers['sec-fetch-site'];
    const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation)
      throw new Problem(403, 'FOREIGN_ORIGIN', 'pages of other origins may not ask this server');
  }

  #isOurs(host: string): boolean {
    if (host !== '' && host === this.#host) return true;
    const name = hostname(host);
    // A number cannot be rebound; a name can, and is only ours if somebody said so.
    const isOurs = this.#names.has(name) || (!isLoopback(this.#options.host) && isIP(name) !== 0);
    if (isOurs) this.#host = host;
    return isOurs;
  }

  /** Throws a problem for whoever shows neither the token nor the cookie; a link with the token is taken for pages only. */
  checkToken({ headers }: IncomingMessage, link: URLSearchParams | null, path: string): Verdict {
    const bearer = /^Bearer ([\x21-\x7E]{1,1000})$/i.exec(headers.authorization ?? '')?.[1];
    if (bearer !== undefined && timingSafeEqual(padded(bearer), this.#padded)) return IN;
    const shown = link?.get('token') ?? null;
    if (shown !== null && isEqual(digest(shown), this.#token)) {
      link?.delete('token');
      const rest = link?.toString() ?? '';
      return {
        kind: 'welcome',
        cookie: `${this.#cookie}=${this.#session}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${YEAR_S}`,
        location: rest === '' ? path : `${path}?${rest}`,
      };
    }
    const cookie = cookieOf(headers.cookie, this.#cookie);
    if (cookie !== undefined && isEqual(digest(cookie), this.#sessionDigest)) return IN;
    throw new Problem(401, 'TOKEN_WANTED', 'authentication required', {
      hint: 'open the link that docstokg serve printed, or send the header Authorization: Bearer TOKEN',
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
}

/** Always the same length, which is more than a header may have. */
function padded(text: string): Buffer {
  const bytes = Buffer.alloc(1_024);
  bytes.write(text);
  return bytes;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** In a time that does not tell how much of it was right. */
function isEqual(a: Buffer, b: Buffer): boolean {
  return timingSafeEqual(a, b);
}

function hostname(host: string): string {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]{1,64})\]|([^:\s/@\\]{1,255}))(?::\d{1,5})?$/i.exec(host) ?? [];
  return (bracketed ?? plain ?? '').toLowerCase();
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';').slice(0, 100)) {
    const at = part.indexOf('=');
    if (at !== -1 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}
