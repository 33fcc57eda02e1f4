import { writeFileSync } from 'node:fs';

import type { Clock } from '../base/index.ts';
import { describeDiskError, backoffDelay, wait } from '../base/index.ts';
import type { HttpResult, Send, Headers } from '../http/index.ts';
import { CookieJar, TimeBudget } from '../http/index.ts';
import type { Finding, Resolver, ResolveContext, LandingLink, LandingPage, Plan } from '../resolve/index.ts';
import { completeWork, findPlans, decodePage, readLandingPage, readPage, compareWork } from '../resolve/index.ts';
import type { Work } from '../works/index.ts';
import type { InspectDocument } from './identity.ts';
import { belongsTo, faultOf } from './identity.ts';
import type { KeptFiles } from './kept-files.ts';
import type { AttemptRow, WorkOutcome, WorkResult, Artifact, ArtifactKind } from './manifest-row.ts';
import type { Reason } from './reasons.ts';
import { REASONS, reasonOfResult, responseOf } from './reasons.ts';
import type { SameWork, SameWorks } from './same-works.ts';
import type { ReceivedBody } from './transfer.ts';
import { Transfer } from './transfer.ts';
import { isCookieWall, isForSale, wallOf } from './wall.ts';

export interface ProcessOptions extends TryOptions {
  readonly resolvers: readonly Resolver[];
  readonly resolve: Omit<ResolveContext, 'attempted' | 'signal'>;
  readonly sameWorks: SameWorks;
  /** The resolver likely to have it, as given when enqueued. */
  readonly hint?: string | null;
}

export async function processWork(listed: Work, options: ProcessOptions): Promise<WorkResult> {
  const { clock, signal } = options;
  const startedAt = clock.now();
  const tried = new Map<string, string>();
  const asked: string[] = [];
  const context = { ...options.resolve, attempted: tried, asked: (name: string) => void asked.push(name), signal };
  // Files are recognised by title and DOI, so these are looked up before anything is fetched.
  const { work, findings } = await completeWork(listed, context);
  const attempts: AttemptRow[] = [];
  const problems: { readonly resolver: string; readonly message: string }[] = [];
  const moments: number[] = [];
  const lookupMoments: number[] = [];
  let failedLookups = 0;
  const note = (finding: Finding): void => {
    if (finding.kind !== 'problem') return;
    problems.push({ resolver: finding.resolver, message: finding.message });
    if (!finding.wantsKey && !finding.hasAnswered) failedLookups += 1;
    if (finding.at !== null) lookupMoments.push(finding.at);
  };
  const end = (outcome: WorkOutcome): WorkResult => {
    const endedAt = clock.now();
    return { work, outcome, asked, attempts, problems, startedAt, endedAt };
  };

  // The lookups have found the work's ids: if another work has them, it is a duplicate and nothing is fetched.
  const same = options.sameWorks.claim(work);
  if (same) return end(duplicateOf(same));
  if (work.isRetracted && options.resolve.retracted === 'skip')
    return end({ kind: 'skipped', reason: 'retracted', detail: null });
  const trier = new PlanTrier(work, options, tried);
  for (const finding of findings) note(finding);
  const isHinted = ({ name }: Resolver): number => Number(name === options.hint);
  const resolvers = options.resolvers.toSorted((a, b) => isHinted(b) - isHinted(a));
  for await (const finding of findPlans(work, resolvers, context)) {
    signal.throwIfAborted();
    if (finding.kind === 'problem') {
      note(finding);
      continue;
    }
    const { plan } = finding;
    if (trier.isSpent) {
      failedLookups += 1;
      problems.push({
        resolver: plan.resolver,
        message: `not tried: ${Math.round(options.budgetMs / 1000)} s were spent on others`,
      });
      break;
    }
    if ((plan.expect === 'pdf' || plan.expect === 'xml' || plan.expect === 'html') && !options.accept.has(plan.expect))
      continue;
    const trial = await trier.try(plan);
    attempts.push(trial.attempt);
    if (trial.artifact !== null) return end({ kind: 'saved', artifact: trial.artifact, attempt: trial.attempt });
    if (trial.retryAt !== null) moments.push(trial.retryAt);
  }
  return end(lossOf(attempts, { moments, lookupMoments }, { problems, failedLookups }));
}

export function duplicateOf({ id, evidence }: SameWork): WorkOutcome {
  return { kind: 'skipped', reason: 'duplicate', detail: `the same work as ${id}: ${evidence}`, duplicateOf: id };
}

/** Parked if a later time may help, failed if something broke, skipped if unavailable. */
function lossOf(
  attempts: readonly AttemptRow[],
  { moments, lookupMoments }: { readonly moments: readonly number[]; readonly lookupMoments: readonly number[] },
  { problems, failedLookups }: Pick<WorkResult, 'problems'> & { readonly failedLookups: number },
): WorkOutcome {
  const reasons = [
    ...problems.map(({ resolver, message }) => `${resolver} ${message}`),
    ...attempts.map(({ resolver, reason, detail: why }) => `${resolver} ${reason}${why === null ? '' : ` (${why})`}`),
  ];
  const detail = reasons.length === 0 ? null : reasons.join(', ');
  if (moments.length > 0) {
    const isPaused = attempts.some(({ reason }) => reason === 'host-paused');
    return { kind: 'parked', reason: isPaused ? 'host-paused' : 'rate-limited', at: Math.min(...moments), detail };
  }
  // A service that is down until a stated time may know a copy: the work waits for it.
  if (lookupMoments.length > 0)
    return { kind: 'parked', reason: 'lookup-failed', at: Math.min(...lookupMoments), detail };
  // The only reason that time may change and an operator can act on.
  const givenUp = attempts.find(({ reason }) => reason === 'host-given-up');
  if (givenUp) return { kind: 'failed', reason: 'host-given-up', detail: givenUp.detail };
  const broken = attempts.findLast(({ reason }) => REASONS[reason].broken);
  if (broken) return { kind: 'failed', reason: broken.reason, detail };
  // A service that was not reached may know a copy, so the work is not given up.
  if (failedLookups > 0) return { kind: 'failed', reason: 'lookup-failed', detail };
  return { kind: 'skipped', reason: attempts.at(-1)?.reason ?? 'no-plan', detail };
}

const MOST_REFRESHES = 3;
/** Pages before one that a page's link leads to. */
const LINKED = MOST_REFRESHES + 1;
export interface TryOptions {
  readonly send: Send;
  readonly files: KeptFiles;
  readonly clock: Clock;
  /** For waits between requests; by default the same. */
  readonly webClock?: Clock | undefined;
  readonly inspect: InspectDocument | undefined;
  readonly accept: ReadonlySet<ArtifactKind>;
  readonly maxBytes: number;
  /** Time after which no further URL of a work is tried. */
  readonly budgetMs: number;
  /** How often a broken transfer is resumed or restarted. */
  readonly retries: number;
  readonly signal: AbortSignal;
}

export interface Trial {
  readonly attempt: AttemptRow;
  readonly artifact: Artifact | null;
  readonly retryAt: number | null;
}

interface Got {
  readonly reason: Reason;
  readonly detail: string | null;
  readonly result: HttpResult;
  readonly body: ReceivedBody | null;
  readonly artifact: Artifact | null;
  /** What the linking page said about the file. */
  readonly page: PageStatement | null;
}

/** A service's terms apply to its own origin; robots.txt applies elsewhere. */
function robotsAt(plan: Plan, url: string): Plan['robots'] {
  return URL.parse(url)?.origin === new URL(plan.url).origin ? plan.robots : 'obey';
}

interface Claim {
  readonly work: Work;
  /** The file's text must prove that it is the work; otherwise it must not disprove it. */
  readonly mustProve: boolean;
}

/** With its own cookies. */
export class PlanTrier {
  readonly #work: Work;
  readonly #options: TryOptions;
  readonly #jar = new CookieJar();
  /** Result by URL: a page's links are not tried twice. */
  readonly #tried: Map<string, string>;
  readonly #budget: TimeBudget;

  constructor(work: Work, options: TryOptions, tried: Map<string, string>) {
    this.#work = work;
    this.#options = options;
    this.#tried = tried;
    this.#budget = new TimeBudget(options.budgetMs);
  }

  /** Whether the work's time is spent: stalling servers must not block a worker. */
  get isSpent(): boolean {
    return this.#budget.leftMs <= 0;
  }

  async try(plan: Plan): Promise<Trial> {
    const { clock } = this.#options;
    const [startedAt, began] = [clock.now(), clock.monotonic()];
    const got = await this.#follow(plan, plan.url, plan.expect, 0, { work: this.#work, mustProve: false });
    const response = responseOf(got.result);
    this.#tried.set(plan.url, got.reason);
    return {
      artifact: got.artifact,
      // A wall with status 429 is still a wall: waiting does not help.
      retryAt: got.result.kind === 'later' && got.reason === reasonOfResult(got.result) ? got.result.at : null,
      attempt: {
        resolver: plan.resolver,
        url: plan.url,
        final_url: response?.url.href ?? plan.url,
        chain:
          response?.chain ??
          (got.result.kind === 'later' || got.result.kind === 'refused' || got.result.kind === 'failed'
            ? got.result.trail.chain
            : []),
        status: response?.status ?? null,
        bytes: response?.bodyBytes ?? 0,
        sha256: got.body?.sha256 ?? null,
        kind: got.body?.sniffed.kind ?? null,
        ...rightsOf(plan, got.page, response?.headers),
        host_type: plan.hostType,
        reason: got.reason,
        detail: got.detail,
        started_at: new Date(startedAt).toISOString(),
        duration_ms: Math.round(clock.monotonic() - began),
      },
    };
  }

  /** Follows the links of a page that may lead to the text. */
  async #follow(plan: Plan, url: string, expect: Plan['expect'], pages: number, claim: Claim): Promise<Got> {
    const got = await this.#fetch(plan, url, claim);
    const response = responseOf(got.result);
    if (!got.body?.page || !response || got.reason !== 'success') return got;
    const text = decodePage(got.body.page, response.headers['content-type']);
    const read = readPage(text);
    const wall = wallOf({ status: response.status, url: response.url, headers: response.headers, text, read });
    if (wall !== undefined) return { ...got, reason: wall };
    const page = readLandingPage(read, response.url, response.headers);
    // Pages state a "full text" URL of closed articles too, which then shows the abstract.
    const isText = page.isFullText || (pages < LINKED && !page.isForSale);
    if (expect === 'html' && this.#options.accept.has('html') && isText) return this.#keepPage(got, page, claim);
    const isClosed = page.isForSale || isForSale(text);
    const isPromised = plan.isPromised || expect === 'pdf' || expect === 'xml';
    // A page is read if a plan leads to it, even if a file was promised; a page behind its links only if it passes on
    // to the file, as viewers and "your download will start" do.
    if (pages > MOST_REFRESHES) {
      const file = page.refresh ?? page.embedded;
      if (file !== null && pages === LINKED && !this.#tried.has(file))
        return this.#follow(plan, file, expect, pages + 1, claim);
      const none = expect === 'html' ? 'no-pdf-link' : 'html-as-pdf';
      return { ...got, reason: isClosed ? 'paywalled' : none };
    }
    // Stated files come before a refresh, which may be for browsers without scripts.
    const isStrong = ({ trust }: LandingLink): boolean => trust < 3;
    if (page.refresh !== null && pages < MOST_REFRESHES && !page.links.some(isStrong))
      return this.#follow(plan, page.refresh, expect, pages + 1, claim);
    const statement = statementOf(page, this.#work, plan);
    if ('why' in statement) return { ...got, reason: 'identity-mismatch', detail: statement.why };
    const none: Got = { ...got, page: statement, reason: isPromised ? 'html-as-pdf' : 'no-pdf-link' };
    // Stated files first, then a page that is the text itself, then links that look like files.
    const strong = await this.#followLinks(plan, page, page.links.filter(isStrong), none);
    if (strong.artifact !== null) return { ...strong, page: statement };
    if (page.isFullText && this.#options.accept.has('html')) {
      // What is at the URL that the user listed is the work, unless it contradicts what else is known of it.
      const isListed = this.#work.urls.some((each) => URL.parse(each)?.href === new URL(plan.url).href);
      const claimed = { work: this.#work, mustProve: !statement.isProven && !isListed };
      const kept = await this.#keepPage(none, page, claimed);
      if (kept.artifact !== null) return kept;
    }
    const weak = page.links.filter((link) => !isStrong(link));
    const found = { ...(await this.#followLinks(plan, page, weak, strong)), page: statement };
    const isLost = page.links.length === 0 || (found.reason === 'identity-mismatch' && !page.links.some(isStrong));
    return isLost && isClosed ? { ...found, reason: 'paywalled' } : found;
  }

  /** Returns the last reason, or `none`, if no file is the work's. */
  async #followLinks(plan: Plan, page: LandingPage, links: readonly LandingLink[], none: Got): Promise<Got> {
    // If the list gave neither title nor DOI, files are checked against the page's.
    const ids = { ...this.#work.ids, doi: this.#work.ids.doi ?? (page.isDoiStated ? page.doi : null) };
    const work = { ...this.#work, ids, title: this.#work.title ?? (page.isTitleStated ? page.title : null) };
    let last = none;
    for (const link of links) {
      if (!this.#options.accept.has(link.expect)) continue;
      if (this.isSpent) break;
      if (link.trust > 1 && work.title === null && ids.doi === null) {
        last = { ...none, reason: 'identity-mismatch', detail: `nothing to check ${link.url} against` };
        continue;
      }
      const before = this.#tried.get(link.url);
      if (before !== undefined) {
        last = { ...none, reason: before as Reason };
        continue;
      }
      // Some hosts serve a file only with its page as referer.
      const headers = { referer: refererTo(link.url, page.url) };
      const robots = robotsAt(plan, link.url);
      const { url, expect } = link;
      const inner: Plan = { ...plan, url, expect, robots, credentials: [], headers, checksum: null };
      last = await this.#follow(inner, url, expect, LINKED, { work, mustProve: link.trust === 3 });
      this.#tried.set(link.url, last.reason);
      if (last.artifact !== null) return last;
    }
    return last;
  }

  async #fetch(plan: Plan, url: string, claim: Claim): Promise<Got> {
    const { files, signal } = this.#options;
    const { part, beginning } = await files.newPart({ work: this.#work.id, url });
    const transfer = new Transfer({ part, work: this.#work.id, url, checksum: plan.checksum });
    let got: Got | undefined;
    let result: HttpResult | undefined;
    try {
      if (beginning) await transfer.resume(beginning);
      result = await this.#transfer(transfer, plan, url);
      const refused = this.#refusal(result);
      const { receiver, fault } = transfer;
      if (fault !== undefined) return { ...this.#lost(result, 'bad-status'), detail: fault };
      if (refused !== undefined || receiver === undefined) return this.#lost(result, refused ?? 'empty-body');
      got = await this.#judge(part, result, receiver.end(), claim);
      return got;
    } finally {
      // A broken or interrupted transfer can be resumed by the next attempt.
      const isLeft = result === undefined ? signal.aborted : !transfer.isRefused(result);
      if (got === undefined && isLeft && transfer.isContinuable) {
        transfer.receiver?.close();
        files.begun.setAside(part);
      }
      // Refused files, and pages that were only read.
      else if (got?.artifact) transfer.receiver?.forgetBeginning();
      else transfer.receiver?.discard();
    }
  }

  /** Sends, and resumes a broken transfer as often as allowed. */
  async #transfer(transfer: Transfer, plan: Plan, url: string): Promise<HttpResult> {
    const { send, signal, clock, webClock = clock, retries, maxBytes } = this.#options;
    // An outdated beginning does not count as a failed attempt.
    for (let attempt = transfer.receiver ? 0 : 1; ; attempt += 1) {
      const range = transfer.rangeHeaders();
      const result = await send(
        {
          url: new URL(url),
          headers: { ...plan.headers, ...range },
          credentials: plan.credentials,
          robots: robotsAt(plan, url),
          resolver: plan.resolver,
          jar: this.#jar,
          budget: this.#budget,
          cache: 'bypass',
          // Bytes in the middle of a file are never decompressed.
          unpack: transfer.continuedFrom === 0,
          limits: { maxBytes: maxBytes - transfer.continuedFrom },
          sink: (head, stop) => transfer.open(head, stop),
        },
        signal,
      );
      const pauseMs = backoffDelay(Math.max(1, attempt), { baseMs: 1_000, capMs: 60_000 });
      if (!transfer.isBrokenOff(result) || attempt > retries || pauseMs >= this.#budget.leftMs) return result;
      const response = responseOf(result);
      // A decompressed file cannot be resumed.
      if (response?.status === 416 || response?.wireBytes !== response?.bodyBytes) transfer.startOver();
      this.#budget.spend(pauseMs);
      await wait(webClock, pauseMs, signal);
    }
  }

  #refusal(result: HttpResult): Reason | undefined {
    const response = responseOf(result);
    const reason = reasonOfResult(result);
    // A redirect loop that a cookie should have ended.
    if (
      result.kind === 'refused' &&
      reason === 'redirect-loop' &&
      result.trail.chain.some(({ url: at }) => isCookieWall(at))
    )
      return 'blocked-cookie';
    if (response === undefined || reason === undefined) return reason;
    const text = response.body.toString('utf8');
    return wallOf({ status: response.status, url: response.url, headers: response.headers, text }) ?? reason;
  }

  async #judge(part: string, result: HttpResult, body: ReceivedBody, claim: Claim): Promise<Got> {
    const { sniffed } = body;
    const lost = (reason: Reason, detail: string | null = null): Got => ({
      ...this.#lost(result, reason),
      detail,
      body,
    });
    if (result.kind === 'stopped') return lost('too-large');
    if (sniffed.fault !== undefined) return lost(sniffed.fault);
    if (sniffed.kind === 'html') return { ...this.#lost(result, 'success'), body };
    if (!body.checksumMatches) return lost('checksum-mismatch');
    const kind = sniffed.kind === 'pdf' ? 'pdf' : 'xml';
    if (!this.#options.accept.has(kind)) return lost('kind-not-accepted');
    const verdict = await this.#inspect(part, kind, claim);
    if (verdict !== undefined) return lost(verdict);
    return { ...lost('success'), artifact: await this.#keep(part, kind, result, body) };
  }

  async #inspect(part: string, kind: 'pdf' | 'xml', claim: Claim): Promise<Reason | undefined> {
    const { inspect, signal } = this.#options;
    if (inspect === undefined) return claim.mustProve ? 'identity-mismatch' : undefined;
    return faultOf(claim.work, (look) => inspect(part, kind, look, signal), claim.mustProve);
  }

  async #keepPage(got: Got, { title, doi, text }: LandingPage, { work, mustProve }: Claim): Promise<Got> {
    if (!got.body?.page) return got;
    // Other articles have the title in their references.
    const verdict = belongsTo(work, [title, doi, text].join('\n'));
    if (verdict === 'no' || (mustProve && verdict !== 'yes')) return { ...got, reason: 'identity-mismatch' };
    const { part } = await this.#options.files.newPart();
    try {
      writeFileSync(part, got.body.page);
    } catch (error) {
      throw describeDiskError(error, part);
    }
    return { ...got, reason: 'success', artifact: await this.#keep(part, 'html', got.result, got.body) };
  }

  async #keep(part: string, kind: ArtifactKind, result: HttpResult, body: ReceivedBody): Promise<Artifact> {
    const path = await this.#options.files.keep(part, { workId: this.#work.id, kind, sha256: body.sha256 });
    return {
      path,
      kind,
      contentType: responseOf(result)?.headers['content-type'] ?? null,
      sha256: body.sha256,
      bytes: body.sniffed.bytes,
    };
  }

  #lost(result: HttpResult, reason: Reason): Got {
    const detail = result.kind === 'failed' || result.kind === 'refused' ? `${result.reason}: ${result.message}` : null;
    return { reason, detail, result, body: null, artifact: null, page: null };
  }
}

/** As browsers do: the whole URL within one origin, the origin alone to others. */
function refererTo(url: string, page: URL): string {
  return new URL(url).origin === page.origin ? `${page.origin}${page.pathname}${page.search}` : `${page.origin}/`;
}

type PageStatement = Exclude<ReturnType<typeof statementOf>, { readonly why: string }>;

/** What a page states if it is the work's; else why it is another's. A DOI named in the plan needs no other proof. */
function statementOf(page: LandingPage, work: Work, plan: Plan) {
  const isNamed = plan.sameAs !== null && page.doi === plan.sameAs.doi;
  const sameness = compareWork(work, !page.isDoiStated || isNamed ? {} : page);
  if (sameness.kind === 'other') return { why: sameness.why } as const;
  return {
    license: page.license,
    sameAs: sameness.kind === 'version' ? sameness.sameAs : null,
    tdmReserved: page.tdmReserved,
    /** The page has the work's DOI, or its title and authors. */
    isProven: isNamed || sameness.kind === 'same' || sameness.kind === 'version',
  };
}

function rightsOf(
  plan: Plan,
  page: PageStatement | null,
  headers: Headers | undefined,
): Pick<AttemptRow, 'license' | 'version' | 'same_as' | 'evidence' | 'terms'> {
  const license = plan.license ?? page?.license ?? null;
  const sameAs = page?.sameAs ?? plan.sameAs;
  // TDM Reservation Protocol (W3C community group, 2024): a header or a meta element.
  const isReserved = page?.tdmReserved === true || headers?.['tdm-reservation']?.trim() === '1';
  return {
    license: license?.slug ?? license?.raw ?? null,
    version: plan.version ?? (sameAs !== null && isPreprint(sameAs.doi) ? 'submittedVersion' : null),
    same_as: sameAs?.doi ?? null,
    evidence: sameAs?.evidence ?? null,
    terms: plan.terms ?? (isReserved ? 'text-mining' : null),
  };
}

function isPreprint(doi: string): boolean {
  return /^10\.(?:48550|1101|64898|31219|3123\d|35542|31222|21203|20944|26434|2139|36227|22541)\//.test(doi);
}
