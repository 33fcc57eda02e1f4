import type { Clock } from '../../src/base/index.ts';
import { sha256 } from '../../src/base/index.ts';
import type { ClientSettings } from '../settings.ts';
import type { ManifestLine } from '../truth/manifest.ts';
import type { Resolver } from '../truth/policy.ts';
import type { Reason } from '../truth/reasons.ts';
import { lossOf } from '../truth/reasons.ts';
import { check, readPage } from './documents-check.ts';
import type { HttpOptions, Loss } from './polite-http.ts';
import { PoliteHttp } from './polite-http.ts';
import type { FoundPlan, WorkRecord } from './asking.ts';
import { ASK } from './resolvers.ts';

type Trial = { readonly reason: 'success'; readonly sha256: string } | { readonly reason: Loss };

const GONE: ReadonlySet<Reason> = new Set(['not-found', 'soft-404', 'connection-failed', 'server-error', 'timeout']);
const SELECT = 'id,doi,title,ids,locations,has_content';

/** The smallest client that keeps all rules and tries everything; it proves that the truth can be reached. */
export class ReferenceClient implements Disposable {
  readonly #http: PoliteHttp;
  readonly #settings: ClientSettings;
  readonly #resolvers: readonly Resolver[];

  constructor(options: HttpOptions & { readonly resolvers: readonly Resolver[] }) {
    this.#http = new PoliteHttp(options);
    this.#settings = options.settings;
    this.#resolvers = options.resolvers;
  }

  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]();
  }

  /** Every work of a selection, by cursor; by default, all that OpenAlex lists without being asked for more. */
  async records(selection = ''): Promise<WorkRecord[]> {
    const found = new Map<string, WorkRecord>();
    let cursor: string | null = '*';
    while (cursor !== null) {
      const url: string = `${this.#settings.services['openalex']}/works?per_page=100&select=${SELECT}&${selection}&cursor=${encodeURIComponent(cursor)}`;
      const answer = await this.#http.fetch(url, {
        headers: { authorization: `Bearer ${this.#settings.keys['openalex']}` },
        isInterface: true,
      });
      if (answer.kind === 'lost' || answer.status !== 200)
        throw new Error(`works could not be listed: ${answer.kind === 'lost' ? answer.reason : answer.status}`);
      const page = JSON.parse(answer.body.toString('utf8')) as {
        readonly meta: { readonly next_cursor: string | null };
        readonly results: readonly WorkRecord[];
      };
      for (const record of page.results) found.set(record.id, record);
      cursor = page.meta.next_cursor;
    }
    return [...found.values()];
  }

  /** Tries resolver after resolver until one yields the work. */
  async obtain(record: WorkRecord): Promise<ManifestLine> {
    const doi = record.doi?.replace('https://doi.org/', '').toLowerCase().replace(/\.$/, '') ?? null;
    const tried = new Map<string, Reason>();
    const attempts: { resolver: string; url: string; reason: Reason }[] = [];
    const wanted = record.locations.flatMap((location) =>
      location.is_oa && location.pdf_url ? [location.pdf_url] : [],
    );
    for (const resolver of this.#resolvers) {
      const gone = [...new Set([...wanted, ...tried.keys()])].filter(
        (url) => !tried.has(url) || GONE.has(tried.get(url) as Reason),
      );
      for (const plan of await ASK[resolver]({ http: this.#http, settings: this.#settings, record, doi, gone })) {
        if (tried.has(plan.url)) continue;
        const trial = await this.#try(plan, { title: record.title, doi }, tried);
        tried.set(plan.url, trial.reason);
        attempts.push({ resolver, url: plan.url, reason: trial.reason });
        if (trial.reason === 'success')
          return {
            work: record.id,
            outcome: 'saved',
            reason: 'success',
            resolver,
            url: plan.url,
            sha256: trial.sha256,
            license: plan.license,
            version: plan.version,
            host_type: plan.hostType,
            attempts,
          };
      }
    }
    const parked = attempts.some(({ reason }) => reason === 'rate-limited');
    return {
      work: record.id,
      ...(parked ? { outcome: 'parked', reason: 'rate-limited' } : lossOf(attempts)),
      resolver: null,
      url: null,
      sha256: null,
      license: null,
      version: null,
      host_type: null,
      attempts,
    };
  }

  async #try(
    plan: FoundPlan,
    identity: { readonly title: string; readonly doi: string | null },
    tried: Map<string, Reason>,
  ): Promise<Trial> {
    let url = plan.url;
    for (let pages = 0; pages < 3; pages += 1) {
      const answer = await this.#http.fetch(url, { ...(plan.headers && { headers: plan.headers }) });
      if (answer.kind === 'lost') return { reason: answer.reason };
      const loss = lossOfStatus(answer.status, answer.body);
      if (loss) return { reason: loss };
      const checked = check(answer.body, identity);
      if (checked.kind === 'document') return { reason: 'success', sha256: sha256(answer.body) };
      if (checked.kind === 'lost') return { reason: checked.reason };
      if (plan.expect !== 'any') return { reason: 'html-as-pdf' };
      const link = answer.headers['link'];
      const page = readPage(checked.html, Array.isArray(link) ? link[0] : link, answer.url);
      if (page.refresh !== null && pages === 0) {
        url = new URL(page.refresh, answer.url).href;
        continue;
      }
      if (page.doi !== null && identity.doi !== null && page.doi !== identity.doi)
        return { reason: 'identity-mismatch' };
      return this.#tryLinks(page.links, identity, tried);
    }
    return { reason: 'no-pdf-link' };
  }

  /** The files that a page names, until one is the work; the last one's reason stands for the page. */
  async #tryLinks(
    links: readonly string[],
    identity: { readonly title: string; readonly doi: string | null },
    tried: Map<string, Reason>,
  ): Promise<Trial> {
    let last: Trial = { reason: 'no-pdf-link' };
    for (const link of links) {
      const before = tried.get(link);
      if (before !== undefined && before !== 'success') {
        last = { reason: before };
        continue;
      }
      last = await this.#try({ url: link, expect: 'pdf', license: null, version: null, hostType: '' }, identity, tried);
      tried.set(link, last.reason);
      if (last.reason === 'success') return last;
    }
    return last;
  }
}

function lossOfStatus(status: number, body: Buffer): Loss | null {
  if (status === 200) return null;
  if (/_cf_chl_opt/.test(body.toString('latin1'))) return 'bot-wall';
  if (status === 404 || status === 410) return 'not-found';
  if (status === 401 || status === 403 || status === 451) return 'forbidden';
  return status >= 500 ? 'server-error' : 'bad-status';
}

/** Waits on a clock, for clients that run in scaled time. */
export function pauseOn(clock: Clock): (ms: number) => Promise<void> {
  return (ms) => new Promise((resolve) => clock.setTimer(ms, resolve));
}
