import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { errorInfo, KeyedLimiter, wait } from '../base/index.ts';
import { SharedResults } from './shared-results.ts';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Looks up a name; rejects with `code` ENOTFOUND if it does not exist, EAI_AGAIN if no server responds. */
export type ResolveHost = (hostname: string) => Promise<readonly Address[]>;

/** A lookup without a response in this time fails. */
const DEADLINE_MS = 5_000;
const FIRST_TRY_MS = 1_500;
/** The first tries are short if the name server has been fast, so slow names need several. */
const TRIES = 5;
/** RFC 8305 §3: how long to wait for the second address family after the first. */
const OTHER_FAMILY_MS = 50;
/** RFC 9520 §3.2: a name that failed is not looked up again for a while. */
const FAILURE_MS = 30_000;
/** More concurrent queries overflow a name server's socket. */
const QUESTIONS_AT_ONCE = 32;
const BURST_MS = 250;
const SHORTEST_KNOWN_MS = 1_000;
const LONGEST_KNOWN_MS = 5 * 60_000;
const MAX_HOSTS_BYTES = 4_000_000;

interface Answers {
  readonly addresses: Address[];
  readonly ttlMs: number;
}

/**
 * Asks the name servers directly: getaddrinfo runs on four threads of the process, where a few unresponsive servers
 * block every other name. It is used, one at a time, only for names the servers do not know (local networks).
 */
export class NameResolver implements Disposable {
  readonly #clock: Clock;
  readonly #resolver: Resolver;
  readonly #hosts: () => ReadonlyMap<string, readonly Address[]>;
  readonly #askSystem: ResolveHost;
  readonly #known: SharedResults<Answers>;
  readonly #closed = new AbortController();
  readonly #burst: KeyedLimiter;
  #systemTurn: Promise<unknown> = Promise.resolve();

  constructor(options: {
    readonly clock: Clock;
    /** Defaults to the operating system's. */
    readonly servers?: readonly string[];
    readonly hostsFile?: string;
    readonly askSystem?: ResolveHost;
  }) {
    this.#clock = options.clock;
    const freshMs = ({ ttlMs }: Answers): number => Math.min(LONGEST_KNOWN_MS, Math.max(SHORTEST_KNOWN_MS, ttlMs));
    this.#known = new SharedResults(options.clock, freshMs, FAILURE_MS);
    this.#burst = new KeyedLimiter({ clock: options.clock, defaultLimit: QUESTIONS_AT_ONCE });
    this.#resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });
    if (options.servers) this.#resolver.setServers(options.servers);
    let hosts: ReadonlyMap<string, readonly Address[]> | undefined;
    this.#hosts = () => (hosts ??= readHosts(options.hostsFile ?? systemHostsFile()));
    this.#askSystem = options.askSystem ?? askSystem;
  }

  readonly resolve: ResolveHost = async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    return this.#hosts().get(name) ?? (await this.#known.get(name, () => this.#ask(name))).addresses;
  };

  /** Cancels open queries so that the process can exit. */
  [Symbol.dispose](): void {
    this.#closed.abort(failure('EAI_AGAIN', 'the client was closed'));
    this.#resolver.cancel();
  }

  async #ask(name: string): Promise<Answers> {
    if (this.#closed.signal.aborted) throw this.#closed.signal.reason;
    const answered = new AbortController();
    const late = wait(this.#clock, DEADLINE_MS, AbortSignal.any([answered.signal, this.#closed.signal])).then(() => {
      throw failure('EAI_AGAIN', `no name server answered for ${name} within ${DEADLINE_MS / 1000} s`);
    });
    try {
      return await Promise.race([this.#askServers(name), late]);
    } finally {
      answered.abort();
    }
  }

  async #askServers(name: string): Promise<Answers> {
    const slot = await this.#burst.acquire(['question'], this.#closed.signal);
    using _burst = this.#clock.setTimer(BURST_MS, () => slot[Symbol.dispose]());
    using _slot = slot;
    const found: Answers[] = [];
    const families = [
      this.#resolver.resolve4(name, { ttl: true }).then((records) => void found.push(answersOf(records, 4))),
      this.#resolver.resolve6(name, { ttl: true }).then((records) => void found.push(answersOf(records, 6))),
    ];
    const both = Promise.allSettled(families);
    await Promise.any(families).catch(() => undefined);
    if (found.length > 0) {
      await Promise.race([both, wait(this.#clock, OTHER_FAMILY_MS, this.#closed.signal)]);
      return {
        // IPv4 first: without IPv6 connectivity its addresses cost a failed connection.
        addresses: found.flatMap(({ addresses }) => addresses).sort((a, b) => a.family - b.family),
        ttlMs: Math.min(...found.map(({ ttlMs }) => ttlMs)),
      };
    }
    const codes = (await both).map((each) => (each.status === 'rejected' ? errorInfo(each.reason, '').code : ''));
    if (codes.every((code) => code === 'ETIMEOUT' || code === 'ECANCELLED')) {
      throw failure('EAI_AGAIN', `no name server answered for ${name}`);
    }
    return await this.#askSystemFor(name, codes);
  }

  /** An unknown name may belong to the local network; it may use one thread of the pool. */
  async #askSystemFor(name: string, codes: readonly string[]): Promise<Answers> {
    const turn = this.#systemTurn.then(() => this.#askSystem(name));
    this.#systemTurn = turn.catch(() => undefined);
    try {
      return { addresses: [...(await turn)], ttlMs: SHORTEST_KNOWN_MS };
    } catch (error) {
      const definite = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA');
      const temporary = !definite && errorInfo(error, '').code !== 'ENOTFOUND';
      throw failure(temporary ? 'EAI_AGAIN' : 'ENOTFOUND', `${name} has no address`, error);
    }
  }
}

function answersOf(found: readonly { readonly address: string; readonly ttl: number }[], family: 4 | 6): Answers {
  if (found.length === 0) throw failure('ENODATA', 'no address of this family');
  return {
    addresses: found.map(({ address }) => ({ address, family })),
    ttlMs: Math.min(...found.map(({ ttl }) => ttl)) * 1000,
  };
}

async function askSystem(hostname: string): Promise<readonly Address[]> {
  const found = await systemLookup(hostname, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

function systemHostsFile(): string {
  return process.platform === 'win32' ? join('C:\\Windows', 'System32', 'drivers', 'etc', 'hosts') : '/etc/hosts';
}

function readHosts(path: string): ReadonlyMap<string, readonly Address[]> {
  const found = new Map<string, Address[]>();
  let text: string;
  try {
    text = readFileSync(path, 'utf8').slice(0, MAX_HOSTS_BYTES);
  } catch {
    return found;
  }
  for (const line of text.split('\n')) {
    const [content = ''] = line.split('#', 1);
    const [address = '', ...names] = content.trim().split(/\s+/);
    const family = isIP(address);
    if (family !== 4 && family !== 6) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      found.set(key, [...(found.get(key) ?? []), { address, family }]);
    }
  }
  return found;
}

function failure(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code });
}
