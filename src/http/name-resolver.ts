import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { KeyedLimiter, wait } from '../base/index.ts';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds the addresses of a name; rejects with `code` ENOTFOUND when there are none, EAI_AGAIN when no server answers. */
export type ResolveHost = (hostname: string) => Promise<readonly Address[]>;

/** A name whose servers have not answered in this time, asked twice, is given up for now. */
const DEADLINE_MS = 5_000;
const FIRST_TRY_MS = 1_500;
const TRIES = 2;
/** RFC 8305 §3: how long the second family is waited for when the first has answered. */
const OTHER_FAMILY_MS = 50;
/** RFC 9520 §3.2: a name that failed is not looked up again for a while. */
const FAILURE_MS = 30_000;
/** More questions at once than this overflow a name server's socket; one that is not answered soon makes room. */
const QUESTIONS_AT_ONCE = 32;
const BURST_MS = 250;
const SHORTEST_KNOWN_MS = 1_000;
const LONGEST_KNOWN_MS = 5 * 60_000;
const MANY_NAMES = 10_000;
const MAX_HOSTS_BYTES = 4_000_000;

interface Known {
  readonly answer: Promise<readonly Address[]>;
  expiresAt: number;
}

interface Answers {
  readonly addresses: Address[];
  readonly ttlMs: number;
}

/**
 * Finds addresses by asking the system's name servers over separate sockets. The system's own lookup runs on four
 * threads that the whole process shares, where a few names whose servers never answer keep every other name waiting;
 * here each name has one question under way at most, a deadline, and delays no other. The hosts file comes first; what
 * the name servers do not know (names of a local network) the system is asked for, one at a time.
 */
export class NameResolver implements Disposable {
  readonly #clock: Clock;
  readonly #resolver: Resolver;
  readonly #hosts: () => ReadonlyMap<string, readonly Address[]>;
  readonly #askSystem: ResolveHost;
  readonly #known = new Map<string, Known>();
  readonly #closed = new AbortController();
  readonly #burst: KeyedLimiter;
  #systemTurn: Promise<unknown> = Promise.resolve();

  constructor(options: {
    readonly clock: Clock;
    /** Those of the operating system unless said otherwise. */
    readonly servers?: readonly string[];
    readonly hostsFile?: string;
    readonly askSystem?: ResolveHost;
  }) {
    this.#clock = options.clock;
    this.#burst = new KeyedLimiter({ clock: options.clock, defaultLimit: QUESTIONS_AT_ONCE });
    this.#resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });
    if (options.servers) this.#resolver.setServers(options.servers);
    let hosts: ReadonlyMap<string, readonly Address[]> | undefined;
    this.#hosts = () => (hosts ??= readHosts(options.hostsFile ?? systemHostsFile()));
    this.#askSystem = options.askSystem ?? askSystem;
  }

  /** The addresses of a name, from memory while they are fresh. */
  readonly resolve: ResolveHost = (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const listed = this.#hosts().get(name);
    if (listed) return Promise.resolve(listed);
    const known = this.#known.get(name);
    if (known && known.expiresAt > this.#clock.monotonic()) return known.answer;
    if (this.#known.size >= MANY_NAMES) this.#forget();
    const asked = this.#ask(name);
    const entry: Known = { answer: asked.then(({ addresses }) => addresses), expiresAt: Infinity };
    this.#known.set(name, entry);
    const keepFor = (ms: number): void => {
      entry.expiresAt = this.#clock.monotonic() + ms;
    };
    void asked.then(
      ({ ttlMs }) => keepFor(Math.min(LONGEST_KNOWN_MS, Math.max(SHORTEST_KNOWN_MS, ttlMs))),
      () => keepFor(FAILURE_MS),
    );
    return entry.answer;
  };

  /** Ends every question that is still open, so that the process can end. */
  [Symbol.dispose](): void {
    this.#closed.abort(failure('EAI_AGAIN', 'the client was closed'));
    this.#resolver.cancel();
  }

  #forget(): void {
    const now = this.#clock.monotonic();
    for (const [name, { expiresAt }] of this.#known) if (expiresAt <= now) this.#known.delete(name);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MANY_NAMES && oldest !== undefined) this.#known.delete(oldest);
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
        // IPv4 first: where there is no IPv6, its addresses cost a failed try.
        addresses: found.flatMap(({ addresses }) => addresses).sort((a, b) => a.family - b.family),
        ttlMs: Math.min(...found.map(({ ttlMs }) => ttlMs)),
      };
    }
    const codes = (await both).map((each) => (each.status === 'rejected' ? codeOf(each.reason) : ''));
    if (codes.every((code) => code === 'ETIMEOUT' || code === 'ECANCELLED')) {
      throw failure('EAI_AGAIN', `no name server answered for ${name}`);
    }
    return await this.#askSystemFor(name, codes);
  }

  /** A name the servers do not know may be one of the local network; one thread of the pool is all it may take. */
  async #askSystemFor(name: string, codes: readonly string[]): Promise<Answers> {
    const turn = this.#systemTurn.then(() => this.#askSystem(name));
    this.#systemTurn = turn.catch(() => undefined);
    try {
      return { addresses: [...(await turn)], ttlMs: SHORTEST_KNOWN_MS };
    } catch (error) {
      const definite = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA');
      const temporary = !definite && codeOf(error) !== 'ENOTFOUND';
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

/** The names that the machine itself knows; none when the file cannot be read. */
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
