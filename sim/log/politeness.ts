import { SERVICE_ROBOTS } from '../hosts/robots.ts';
import type { Exchange } from '../server/exchange.ts';
import { slackOf } from '../server/limits.ts';
import { SIM_KEYS } from '../server/run-state.ts';
import { mayFetch, rulesOf } from '../truth/verdict.ts';
import type { World } from '../world/world.ts';
import type { LogEntry, RequestLog, Rule } from './request-log.ts';

const HOMES: Readonly<Record<keyof typeof SIM_KEYS, readonly string[]>> = {
  openalex: ['api.openalex.org', 'content.openalex.org'],
  core: ['api.core.ac.uk'],
  semantic_scholar: ['api.semanticscholar.org'],
  openaire: ['api.openaire.eu'],
  osf: ['api.osf.io'],
  ncbi: ['eutils.ncbi.nlm.nih.gov', 'pmc.ncbi.nlm.nih.gov', 'www.ncbi.nlm.nih.gov'],
  openaire_refresh: ['services.openaire.eu'],
  springer_nature: ['api.springernature.com'],
  wiley: ['api.wiley.com'],
  elsevier: ['api.elsevier.com'],
  zotero: ['api.zotero.org'],
};

const REQUESTS_BEFORE_BAN = 10;
const BAN_MS = 600_000;
/** Requests already in flight when the client was asked to wait are not violations. */
const UNDER_WAY_SLACKS = 4;
/** Grace period in which a client on a busy machine may not have read the response yet. */
const UNREAD_SLACKS = 20;
const UNREAD_SHARE = 0.75;

interface Hold {
  readonly from: number;
  readonly until: number;
  /**
   * The response that asked to wait: a later request on its connection, or for the same URL, proves that it was read.
   */
  readonly answered: Pick<LogEntry, 'connection' | 'url'>;
  isRead: boolean;
  ignored: number;
}

/** Checks every request of a run against the politeness rules. Only the ban affects responses. */
export class PolitenessMonitor {
  readonly #world: World;
  readonly #log: RequestLog;
  readonly #slackMs: number;
  readonly #holds = new Map<string, Hold>();
  readonly #bannedUntil = new Map<string, number>();
  /** When the robots.txt of a host was last answered. */
  readonly #robotsRead = new Map<string, number>();
  readonly #dueAt = new Map<string, number>();
  readonly #inFlight = new Map<string, number>();
  readonly #cursors = new Set<string>();

  constructor(world: World, log: RequestLog, slackMs: number) {
    this.#world = world;
    this.#log = log;
    this.#slackMs = slackMs;
  }

  breach(entry: LogEntry, rule: Rule, detail: string): void {
    this.#log.breach(entry, { rule, at: entry.at, host: entry.host, url: entry.url, detail });
  }

  arrive(entry: LogEntry, headers: Exchange['headers']): void {
    const { host, at } = entry;
    this.#identity(entry);
    this.#secrets(entry, headers);
    this.#robots(entry);
    this.#pace(entry);
    const hold = this.#holds.get(host);
    if (hold && at >= graceEnd(hold, entry, this.#slackMs) && at < hold.until - this.#slackMs) {
      hold.ignored += 1;
      this.breach(entry, 'retry-after', `${Math.round((hold.until - at) / 1_000)} s too early`);
      if (hold.ignored >= REQUESTS_BEFORE_BAN) this.#bannedUntil.set(host, at + BAN_MS);
    }
    if (this.isBanned(host, at)) this.breach(entry, 'post-ban', 'the host had banned the client');
    const key = `${entry.method} ${entry.url} ${headers['range'] ?? ''}`;
    const flying = this.#inFlight.get(key) ?? 0;
    if (flying > 0 && entry.method === 'GET') this.breach(entry, 'identical-in-flight', `${flying + 1} at once`);
    this.#inFlight.set(key, flying + 1);
  }

  isBanned(host: string, now: number): boolean {
    return now < (this.#bannedUntil.get(host) ?? -Infinity);
  }

  /** Records a response after it was sent. */
  leave(entry: LogEntry, headers: Exchange['headers'], retryAfter: string | undefined, now: number): void {
    const key = `${entry.method} ${entry.url} ${headers['range'] ?? ''}`;
    const flying = (this.#inFlight.get(key) ?? 1) - 1;
    if (flying === 0) this.#inFlight.delete(key);
    else this.#inFlight.set(key, flying);
    if (entry.url.includes('/robots.txt') && isAnswer(entry.status)) this.#robotsRead.set(entry.host, now);
    if ((entry.status === 429 || entry.status === 503) && retryAfter !== undefined) {
      const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - now) / 1_000;
      if (seconds > 0)
        this.#holds.set(entry.host, {
          from: now,
          until: now + seconds * 1_000,
          answered: entry,
          isRead: false,
          ignored: this.#holds.get(entry.host)?.ignored ?? 0,
        });
    }
    this.#cursor(entry);
  }

  #identity(entry: LogEntry): void {
    if (!/mailto:\S+@\S+|\+https?:\/\/\S+/.test(entry.agent))
      this.breach(entry, 'user-agent', entry.agent === '' ? 'no User-Agent' : entry.agent);
  }

  #secrets(entry: LogEntry, headers: Exchange['headers']): void {
    const carried = `${entry.url} ${headers['authorization'] ?? ''} ${headers['x-api-key'] ?? ''} ${headers['api_key'] ?? ''} ${headers['cookie'] ?? ''}`;
    for (const [service, key] of Object.entries(SIM_KEYS))
      if (
        carried.includes(key) &&
        !HOMES[service as keyof typeof SIM_KEYS].some((home) => entry.host === `${home}.sim.test`)
      )
        this.breach(entry, 'key-leak', `the key of ${service}`);
    for (const [, owner = ''] of (headers['cookie'] ?? '').matchAll(/\b(?:open|shut|seen)\.([a-z0-9.-]+)/g))
      if (owner !== entry.host) this.breach(entry, 'key-leak', `a cookie of ${owner}`);
  }

  #robots(entry: LogEntry): void {
    const { host } = entry;
    const { pathname, search } = new URL(entry.url);
    if (pathname === '/robots.txt') {
      const readAt = this.#robotsRead.get(host) ?? -Infinity;
      if (entry.at - readAt < ROBOTS_MS && search === '') this.breach(entry, 'robots-refetch', 'already answered');
      return;
    }
    // Services document their own terms; robots.txt applies only to their pages for readers.
    const isGoverned =
      this.#world.host(host) !== undefined ||
      (SERVICE_ROBOTS[host] !== undefined && /^\/(articles|records)\//.test(pathname));
    const agent = /^[A-Za-z_-]+/.exec(entry.agent)?.[0] ?? '';
    if (isGoverned && !mayFetch(this.#world, host, pathname + search, { agent }))
      this.breach(entry, 'robots', pathname);
  }

  #pace(entry: LogEntry): void {
    const host = this.#world.host(entry.host);
    if (!host || entry.url.includes('/robots.txt')) return;
    const delay = (rulesOf(host, '*').crawlDelaySeconds ?? 0) * 1_000;
    if (delay === 0 || !this.#robotsRead.has(host.name)) return;
    const due = this.#dueAt.get(host.name) ?? -Infinity;
    this.#dueAt.set(host.name, Math.max(due, entry.at) + delay);
    if (entry.at < due - slackOf(delay, this.#slackMs))
      this.breach(entry, 'min-interval', `${Math.round(due - entry.at)} ms too early`);
  }

  #cursor(entry: LogEntry): void {
    const cursor = /[?&]cursor(?:Mark)?=([^&]+)/.exec(entry.url)?.[1];
    if (cursor === undefined || entry.status !== 200) return;
    if (this.#cursors.has(entry.url)) this.breach(entry, 'cursor-replay', cursor.slice(0, 40));
    this.#cursors.add(entry.url);
  }
}

/** The time from which a request counts as ignoring a requested wait. */
function graceEnd(hold: Hold, { connection, url }: LogEntry, slackMs: number): number {
  hold.isRead ||= connection === hold.answered.connection || url === hold.answered.url;
  const waitMs = hold.until - hold.from;
  const graceMs = hold.isRead
    ? Math.min(slackMs * UNDER_WAY_SLACKS, waitMs / 2)
    : Math.min(slackMs * UNREAD_SLACKS, waitMs * UNREAD_SHARE);
  return hold.from + graceMs;
}

/** RFC 9309 (2.4): a robots.txt should not be used for longer than a day. */
const ROBOTS_MS = 24 * 3_600_000;

/** A redirect, a 429 and a server error do not say what robots may do. */
function isAnswer(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 429);
}
