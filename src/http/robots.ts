import type { Clock } from '../base/index.ts';
import { hostKey, wait } from '../base/index.ts';
import type { Admission, Fact, Facts } from '../hosts/index.ts';
import { tooLong } from '../hosts/index.ts';
import type { Caller, HttpResult, Send, Wrap } from './send.ts';
import { refused, trailOf } from './send.ts';
import { SharedResults } from './shared-results.ts';
import type { HttpEvent } from './with-admission.ts';

type Known =
  | { readonly kind: 'rules'; readonly rules: RobotsRules; readonly text: string }
  /** RFC 9309 §2.3.1.4: unreachable means complete disallow. */
  | { readonly kind: 'unreachable'; readonly why: string; readonly failed?: Pick<Failed, 'reason' | 'retryable'> }
  /** Not known yet: the result of fetching robots.txt becomes the result of the request. */
  | { readonly kind: 'answer'; readonly result: Extract<HttpResult, { kind: 'later' | 'refused' }> };

type Failed = Extract<HttpResult, { kind: 'failed' }>;

interface RobotsParts {
  readonly productToken: string;
  /** A host with a longer crawl delay is not requested. */
  readonly longestDelayMs: number;
  readonly clock: Clock;
  readonly admission: Admission;
  readonly facts?: Facts | undefined;
  /** Every wrapper except robots and retry. */
  readonly send: Send;
  /** Time limit of one request: works wait for it, and no work's time budget bounds it. */
  readonly longestMs: number;
  readonly giveUpAfterMs: number;
  readonly report?: ((event: HttpEvent) => void) | undefined;
}

/** How long a robots.txt counts, and how long a host whose robots.txt is unreachable counts as closed. */
const KNOWN_MS = 24 * 3_600_000;
const UNREACHABLE_MS = 10 * 60_000;
const MAX_BYTES = 500 * 1024;
const MAX_REDIRECTS = 5;
const RETRY_MS = 1000;

/** Reads each host's robots.txt once and enforces it. */
export class Robots {
  readonly #parts: RobotsParts;
  readonly #known: SharedResults<Known>;

  constructor(parts: RobotsParts) {
    this.#parts = parts;
    this.#known = new SharedResults(parts.clock, (known) => this.#freshMs(known));
  }

  wrap: Wrap = (next) => async (request, signal) => {
    if (request.robots === 'terms') return next(request, signal);
    const { url, caller } = request;
    const known = await this.#known.get(url.origin, () => this.#read(url, caller), caller, signal);
    if (known.kind === 'answer') return { ...known.result, trail: trailOf(request) };
    if (known.kind === 'unreachable') {
      const message = `robots.txt of ${url.host} could not be read: ${known.why}`;
      // An unreachable host has forbidden nothing: return the failure.
      if (known.failed) return { ...known.failed, kind: 'failed', message, trail: trailOf(request) };
      return refused(request, 'robots-unreachable', message);
    }
    if (!known.rules.allows(url))
      return refused(request, 'robots-disallowed', `robots.txt of ${url.host} disallows ${url.pathname}`);
    if (this.#isTooSlow(known.rules)) return refused(request, 'crawl-delay-too-long', this.#tooSlow(url, known.rules));
    return next(request, signal);
  };

  #isTooSlow({ crawlDelayMs = 0 }: RobotsRules): boolean {
    return crawlDelayMs > this.#parts.longestDelayMs;
  }

  #tooSlow({ host }: URL, { crawlDelayMs = 0 }: RobotsRules): string {
    const seconds = Math.round(crawlDelayMs / 1000);
    return `robots.txt of ${host} asks for a pause of ${seconds} s between requests, longer than we wait`;
  }

  #freshMs({ kind }: Known): number {
    if (kind === 'answer') return 0;
    return kind === 'rules' ? KNOWN_MS : UNREACHABLE_MS;
  }

  /** Has no signal, since others wait too; the time limits bound it. */
  async #read(url: URL, caller: Caller | undefined): Promise<Known> {
    const known = this.#parts.facts
      ? await this.#readOnce(this.#parts.facts, url, caller)
      : await this.#find(url, caller);
    if (known.kind === 'rules' && this.#isTooSlow(known.rules)) {
      this.#parts.report?.({ kind: 'host-given-up', host: hostKey(url), message: this.#tooSlow(url, known.rules) });
    } else if (known.kind === 'rules' && known.rules.crawlDelayMs !== undefined) {
      this.#parts.admission.table.setCrawlDelay(hostKey(url), known.rules.crawlDelayMs);
    }
    return known;
  }

  /** Uses what another process of the fleet has read; transient results are not shared. */
  async #readOnce(facts: Facts, url: URL, caller: Caller | undefined): Promise<Known> {
    let own: Known | undefined;
    const find = async (signal: AbortSignal): Promise<Fact> => {
      own = await this.#find(url, caller, signal);
      const { kind } = own;
      if (kind === 'answer') throw new Error('not known yet');
      const said = kind === 'rules' ? { kind, text: own.text } : { kind, why: own.why };
      return { text: JSON.stringify(said), forMs: this.#freshMs(own) };
    };
    const fact = await facts.once(`robots ${url.origin}`, find).catch(() => undefined);
    // No shared fact, or the database is down: this process reads for itself.
    if (own || !fact) return own ?? (await this.#find(url, caller));
    const said = JSON.parse(fact.text) as
      | { readonly kind: 'rules'; text: string }
      | { readonly kind: 'unreachable'; why: string };
    if (said.kind === 'unreachable') return said;
    return { kind: 'rules', rules: RobotsRules.parse(said.text, this.#parts.productToken), text: said.text };
  }

  async #find(url: URL, caller: Caller | undefined, signal?: AbortSignal): Promise<Known> {
    let { result, text } = await this.#ask(url, caller, signal);
    if (result.kind === 'failed' && result.retryable) {
      // A lost connection must not close a host; any status is an answer.
      await wait(this.#parts.clock, RETRY_MS, signal);
      ({ result, text } = await this.#ask(url, caller, signal));
    }
    return this.#judge(result, text);
  }

  async #ask(
    url: URL,
    caller: Caller | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ result: HttpResult; text: string }> {
    const chunks: Buffer[] = [];
    let room = MAX_BYTES;
    const result = await this.#parts.send(
      {
        url: new URL('/robots.txt', url),
        headers: { accept: 'text/plain,*/*;q=0.5', 'accept-encoding': 'gzip, br' },
        limits: { maxRedirects: MAX_REDIRECTS, totalMs: this.#parts.longestMs },
        ...(caller && { caller }),
        sink: (_head, stop) => ({
          write(chunk) {
            chunks.push(chunk.subarray(0, room));
            room -= chunk.length;
            if (room <= 0) stop();
          },
        }),
      },
      signal,
    );
    return { result, text: Buffer.concat(chunks).toString('utf8') };
  }

  #judge(result: HttpResult, text: string): Known {
    // The robots.txt of a host that is held because it fails counts as unreachable.
    if (result.kind === 'later' && result.reason === 'host-held')
      return { kind: 'unreachable', why: 'the host fails', failed: { reason: 'connect', retryable: true } };
    if (result.kind === 'later') return { kind: 'answer', result };
    if (result.kind === 'failed') {
      const { reason, retryable, message } = result;
      return { kind: 'unreachable', why: message, failed: { reason, retryable } };
    }
    if (result.kind === 'refused') {
      // The host itself is forbidden, which answers the request as well.
      const isOutOfBounds = result.reason === 'private-address' || result.reason === 'retry-after-too-long';
      if (isOutOfBounds && result.trail.chain.length === 0) return { kind: 'answer', result };
      // RFC 9309 §2.3.1.2: after five redirects it counts as unavailable, which allows everything.
      const lost = result.reason === 'max-hops' || result.reason === 'redirect-loop';
      return lost ? { kind: 'rules', rules: RobotsRules.open, text: '' } : { kind: 'unreachable', why: result.message };
    }
    const { status, url } = result.response;
    if (status >= 200 && status < 300 && status !== 206) {
      return { kind: 'rules', rules: RobotsRules.parse(text, this.#parts.productToken), text };
    }
    const heldUntil = this.#parts.admission.held([hostKey(url)])?.at ?? 0;
    if ((status === 429 || status === 503) && heldUntil > 0) {
      const trail = { url: url.href, chain: [] };
      if (heldUntil - this.#parts.clock.now() > this.#parts.giveUpAfterMs) {
        const message = tooLong(hostKey(url), heldUntil);
        return { kind: 'answer', result: { kind: 'refused', reason: 'retry-after-too-long', message, trail } };
      }
      return { kind: 'answer', result: { kind: 'later', at: heldUntil, reason: 'rate-limited', trail } };
    }
    if (status >= 400 && status < 500 && status !== 429) return { kind: 'rules', rules: RobotsRules.open, text: '' };
    return { kind: 'unreachable', why: `status ${status}` };
  }
}

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  crawlDelayMs: number | undefined;
}

/** The rules of a robots.txt for one robot (RFC 9309). */
export class RobotsRules {
  readonly #rules: readonly Rule[];
  /** Minimum delay between two requests; not in the RFC, but respected. */
  readonly crawlDelayMs: number | undefined;

  private constructor(rules: readonly Rule[], crawlDelayMs: number | undefined) {
    this.#rules = rules;
    this.crawlDelayMs = crawlDelayMs;
  }

  static readonly open = new RobotsRules([], undefined);

  static parse(text: string, productToken: string): RobotsRules {
    const groups = parseGroups(text);
    const token = agentToken(productToken);
    const named = groups.filter(({ agents }) => agents.includes(token));
    const chosen = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'));
    const delays = chosen.map(({ crawlDelayMs }) => crawlDelayMs).filter((delay) => delay !== undefined);
    return new RobotsRules(
      chosen.flatMap(({ rules }) => rules),
      delays.length > 0 ? Math.max(...delays) : undefined,
    );
  }

  /** The longest matching pattern wins; on a tie, allow. */
  allows(url: URL): boolean {
    const path = normalise(url.pathname + url.search);
    if (path === '/robots.txt') return true;
    const [best] = this.#rules
      .filter(({ pattern }) => matches(pattern, path))
      .sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow));
    return best?.allow ?? true;
  }
}

function parseGroups(text: string): Group[] {
  const groups: Group[] = [];
  let group: Group | undefined;
  let namingAgents = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const [content = ''] = line.split('#', 1);
    const colon = content.indexOf(':');
    if (colon === -1) continue;
    const key = content.slice(0, colon).trim().toLowerCase();
    const value = content.slice(colon + 1).trim();
    if (key === 'user-agent') {
      if (!group || !namingAgents) {
        group = { agents: [], rules: [], crawlDelayMs: undefined };
        groups.push(group);
      }
      namingAgents = true;
      group.agents.push(agentToken(value));
    } else if (key === 'allow' || key === 'disallow') {
      namingAgents = false;
      if (value !== '') group?.rules.push({ allow: key === 'allow', pattern: normalise(value) });
    } else if (key === 'crawl-delay') {
      namingAgents = false;
      if (group && /^\d{1,6}(\.\d{1,6})?$/.test(value)) group.crawlDelayMs = Number(value) * 1000;
    }
  }
  return groups;
}

/** `DocsToKG-TS/1.0` and `docstokg-ts` are the same robot: the token ends at the first other character. */
function agentToken(value: string): string {
  return value.startsWith('*') ? '*' : (/^[a-zA-Z_-]*/.exec(value)?.[0] ?? '').toLowerCase();
}

/** Normalises percent-encoding: unreserved characters plain, everything else in upper-case hex. */
function normalise(path: string): string {
  return path
    .replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()))
    .replace(/%([0-9a-fA-F]{2})/g, (_all, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return /[A-Za-z0-9._~-]/.test(character) ? character : `%${hex.toUpperCase()}`;
    });
}

/** `*` matches anything, a trailing `$` the end. Linear: each piece is searched once, left to right. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const [head = '', ...pieces] = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(head)) return false;
  let at = head.length;
  const last = pieces.pop();
  for (const piece of pieces) {
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  if (last === undefined) return !anchored || at === path.length;
  if (anchored) return path.length - last.length >= at && path.endsWith(last);
  return path.indexOf(last, at) !== -1;
}
