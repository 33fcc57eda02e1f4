import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

import { Problem } from './problem.ts';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);
const YEAR_S = 31_536_000;

export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host.toLowerCase()) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

export interface Gate {
  /** Throws if the host name or origin is not ours. */
  checkPlace(request: IncomingMessage): void;
  /** Throws without token or cookie; for a link with the token, gives the headers that set the cookie. */
  checkToken(
    request: IncomingMessage,
    link: URLSearchParams | null,
    path: string,
  ): { readonly 'set-cookie': string; readonly location: string } | undefined;
}

/**
 * Accepts requests that have the token and use one of our host names: the address we listen on, or one of `names`, such
 * as that of a proxy. A page of another origin in the same browser fails: its `Origin` differs, a rebound DNS name
 * shows in `Host`, and the cookie is `SameSite=Strict`.
 */
export function createGate(token: string, own: string, names: readonly string[]): Gate {
  const tokenDigest = digest(token);
  // Browsers send a session id instead of the token: cookies are visible to servers on other ports of this machine.
  const session = randomBytes(32).toString('base64url');
  const sessionDigest = digest(session);
  const ours = new Set([...LOOPBACK, own, ...names].map((name) => name.toLowerCase()));
  const isOurs = (host: string): boolean => {
    const name = hostname(host);
    // IP addresses cannot be rebound; names can, and are accepted only if configured.
    return ours.has(name) || (!isLoopback(own) && isIP(name) !== 0);
  };
  return {
    checkPlace({ headers, headersDistinct }: IncomingMessage): void {
      const host = headers.host ?? '';
      // RFC 9112, section 3.2: a proxy in front may have checked the other one.
      if ((headersDistinct['host']?.length ?? 0) > 1) throw new Problem(400, 'USAGE_HOST', 'more than one Host header');
      if (!isOurs(host))
        throw new Problem(403, 'FOREIGN_HOST', 'unknown host name', {
          hint: 'use the URL printed by docstokg serve, or add the name to serve.allowed_hosts',
        });
      const { origin } = headers;
      const site = headers['sec-fetch-site'];
      const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
      const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation;
      if (isForeignSite || (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`))
        throw new Problem(403, 'FOREIGN_ORIGIN', 'cross-origin requests are not allowed');
    },

    checkToken(
      { headers, socket }: IncomingMessage,
      link: URLSearchParams | null,
      path: string,
    ): { readonly 'set-cookie': string; readonly location: string } | undefined {
      const bearer = /^Bearer ([\x21-\x7E]{1,1000})$/i.exec(headers.authorization ?? '')?.[1];
      if (bearer !== undefined && timingSafeEqual(digest(bearer), tokenDigest)) return undefined;
      // Cookies are shared across ports, so the name contains the port.
      const name = `docstokg-${socket.localPort ?? 0}`;
      const shown = link?.get('token') ?? null;
      if (shown !== null && timingSafeEqual(digest(shown), tokenDigest)) {
        link?.delete('token');
        const rest = link?.toString() ?? '';
        return {
          'set-cookie': `${name}=${session}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${YEAR_S}`,
          location: rest === '' ? path : `${path}?${rest}`,
        };
      }
      const cookie = cookieOf(headers.cookie, name);
      if (cookie !== undefined && timingSafeEqual(digest(cookie), sessionDigest)) return undefined;
      throw new Problem(401, 'TOKEN_WANTED', 'authentication required', {
        hint: 'open the link printed by docstokg serve, or send the header Authorization: Bearer TOKEN',
        headers: { 'www-authenticate': 'Bearer' },
      });
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
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
