import { isIP } from 'node:net';

import { isPublicAddress } from './address.ts';
import type { RefusedReason, Wrap } from './send.ts';
import { trailOf } from './send.ts';

/** Where a name really leads: `*.sim.test` → 127.0.0.1:8080. The first mapping that fits a name counts. */
export interface DnsMapping {
  /** A host name, or `*.` and a suffix for every name below it. */
  readonly pattern: string;
  /** `none` for a name that does not exist. */
  readonly address: string;
  /** Replaces the port of the URL when given. */
  readonly port?: number;
  /** False for a mapping that says where a name leads but not that one may go there. */
  readonly trusted?: boolean;
}

export interface GuardOptions {
  /** `host:port` pairs, by name or by address, that may be reached although they are private: tests and intranets. */
  readonly allow?: readonly string[];
  readonly dnsMap?: readonly DnsMapping[];
}

export type Verdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly reason: RefusedReason; readonly message: string };

const ALLOWED: Verdict = { kind: 'allowed' };
/** Names that by standard or custom never leave the machine or the local network. */
const LOCAL_SUFFIXES = ['localhost', 'local', 'internal', 'lan', 'intranet', 'home.arpa', 'invalid', 'onion'];
/** Ports above 1023 that speak something else than HTTP; below it only 80 and 443 are asked. */
const OTHER_SERVICES = new Set([
  1433, 1521, 1723, 2049, 2375, 2376, 2379, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5672, 5900, 5984, 6000,
  6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 9200, 9300, 10080, 10250, 11211, 27017, 50070,
]);

/** Decides which URLs and which addresses may be reached at all. */
export class Guard {
  readonly #allow: ReadonlySet<string>;
  readonly #dnsMap: readonly DnsMapping[];

  constructor(options: GuardOptions = {}) {
    this.#allow = new Set((options.allow ?? []).map((entry) => entry.toLowerCase().replace(/^\[([^\]]+)\]/, '$1')));
    this.#dnsMap = options.dnsMap ?? [];
  }

  /** The mapping for a host name, if there is one. */
  mapping(hostname: string): DnsMapping | undefined {
    const name = plainHost(hostname);
    return this.#dnsMap.find(({ pattern }) =>
      pattern.startsWith('*.') ? name.endsWith(pattern.slice(1).toLowerCase()) : name === pattern.toLowerCase(),
    );
  }

  /** Judges what the URL says, before any lookup. The parser has turned decimal, octal and hex hosts into addresses. */
  checkUrl(url: URL): Verdict {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('bad-url', `scheme ${url.protocol}`);
    if (url.username !== '' || url.password !== '') return refuse('bad-url', 'the URL carries a user name');
    const host = plainHost(url.hostname);
    const port = portOf(url);
    const mapping = this.mapping(host);
    if ((mapping && mapping.trusted !== false) || this.#allow.has(`${host}:${port}`)) return ALLOWED;
    if ((port < 1024 && port !== 80 && port !== 443) || OTHER_SERVICES.has(port)) {
      return refuse('bad-port', `port ${port} is not one that serves documents`);
    }
    if (isIP(host) !== 0) return this.checkAddress(host, host, port);
    if (!host.includes('.') || LOCAL_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))) {
      return refuse('private-address', `${host} is a local name`);
    }
    return ALLOWED;
  }

  /** Judges the address a socket is about to connect to. */
  checkAddress(hostname: string, address: string, port: number): Verdict {
    const host = plainHost(hostname);
    if (this.#allow.has(`${host}:${port}`) || this.#allow.has(`${address}:${port}`)) return ALLOWED;
    if (isPublicAddress(address)) return ALLOWED;
    return refuse(
      'private-address',
      host === address ? `${host} is not a public address` : `${host} leads to ${address}, which is not public`,
    );
  }
}

/** Refuses URLs that must not be asked, on every hop. */
export function withGuard(guard: Guard): Wrap {
  return (next) => async (request, signal) => {
    const verdict = guard.checkUrl(request.url);
    if (verdict.kind === 'refused') return { ...verdict, trail: trailOf(request) };
    return next(request, signal);
  };
}

/** Lower case, without the brackets of IPv6 and without the trailing dot. */
export function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

/** The port a URL means. */
function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

function refuse(reason: RefusedReason, message: string): Verdict {
  return { kind: 'refused', reason, message };
}
