import { BlockList, isIPv4, isIPv6, isIP } from 'node:net';

import type { RefusedReason, Wrap } from './send.ts';
import { trailOf } from './send.ts';

/** Special-purpose ranges of the IANA registries; no public web server has such an address. */
const FORBIDDEN_V4 = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'
).split(' ');

/** Only 2000::/3 is assigned; these ranges inside it are not ordinary hosts. */
const FORBIDDEN_V6 = '2001::/23 2001:db8::/32 3fff::/20'.split(' ');

const forbidden = new BlockList();
const subnetOf = (text: string): [network: string, prefix: number] => [
  text.split('/')[0] ?? '',
  Number(text.split('/')[1]),
];
for (const [network, prefix] of FORBIDDEN_V4.map(subnetOf)) {
  forbidden.addSubnet(network, prefix, 'ipv4');
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number);
  const words = [a * 256 + b, c * 256 + d].map((word) => word.toString(16)).join(':');
  // An IPv6 address that embeds an IPv4 address is judged by it: NAT64 and 6to4; BlockList does so for mapped ones.
  forbidden.addSubnet(`64:ff9b::${words}`, 96 + prefix, 'ipv6');
  forbidden.addSubnet(`2002:${words}::`, 16 + prefix, 'ipv6');
}
for (const range of FORBIDDEN_V6) forbidden.addSubnet(...subnetOf(range), 'ipv6');
const globalV6 = new BlockList();
for (const range of '2000::/3 64:ff9b::/96 ::ffff:0:0/96'.split(' ')) globalV6.addSubnet(...subnetOf(range), 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !forbidden.check(address, 'ipv4');
  const [plain = ''] = address.split('%');
  return isIPv6(plain) && globalV6.check(plain, 'ipv6') && !forbidden.check(plain, 'ipv6');
}

/** Overrides DNS: `*.sim.test` → 127.0.0.1:8080. The first matching entry counts. */
export interface DnsMapping {
  /** A host name, or `*.` and a suffix for all its subdomains. */
  readonly pattern: string;
  /** `none` for a name that does not exist. */
  readonly address: string;
  /** Replaces the URL's port. */
  readonly port?: number;
  /** False if the mapped address still has to pass the guard. */
  readonly trusted?: boolean;
}

export interface GuardOptions {
  /** `host:port` pairs that may be reached although they are private: for tests and intranets. */
  readonly allow?: readonly string[];
  readonly dnsMap?: readonly DnsMapping[];
}

type Verdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly reason: RefusedReason; readonly message: string };

const ALLOWED: Verdict = { kind: 'allowed' };
/** Names that never leave the machine or the local network. */
const LOCAL_SUFFIXES = ['localhost', 'local', 'internal', 'lan', 'intranet', 'home.arpa', 'invalid', 'onion'];
/** Ports above 1023 used by other protocols; below it only 80 and 443 are allowed. */
const OTHER_SERVICES = new Set([
  1433, 1521, 1723, 2049, 2375, 2376, 2379, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5672, 5900, 5984, 6000,
  6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 9200, 9300, 10080, 10250, 11211, 27017, 50070,
]);

export class Guard {
  readonly #allow: ReadonlySet<string>;
  readonly #dnsMap: readonly DnsMapping[];

  constructor(options: GuardOptions = {}) {
    this.#allow = new Set((options.allow ?? []).map((entry) => entry.toLowerCase().replace(/^\[([^\]]+)\]/, '$1')));
    this.#dnsMap = options.dnsMap ?? [];
  }

  mapping(hostname: string): DnsMapping | undefined {
    const name = plainHost(hostname);
    return this.#dnsMap.find(({ pattern }) =>
      pattern.startsWith('*.') ? name.endsWith(pattern.slice(1).toLowerCase()) : name === pattern.toLowerCase(),
    );
  }

  /** Checks a URL before any lookup. The URL parser has already normalised decimal, octal and hex addresses. */
  checkUrl(url: URL): Verdict {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('bad-url', `scheme ${url.protocol}`);
    if (url.username !== '' || url.password !== '') return refuse('bad-url', 'the URL carries a user name');
    const host = plainHost(url.hostname);
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
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

  /** Checks the address a socket is about to connect to. */
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

export function withGuard(guard: Guard): Wrap {
  return (next) => async (request, signal) => {
    const verdict = guard.checkUrl(request.url);
    if (verdict.kind === 'refused') return { ...verdict, trail: trailOf(request) };
    return next(request, signal);
  };
}

/** Lower case, without IPv6 brackets or a trailing dot. */
export function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

function refuse(reason: RefusedReason, message: string): Verdict {
  return { kind: 'refused', reason, message };
}
