import type { FailedReason, HttpResponse, HttpResult, LaterReason, RefusedReason } from '../http/index.ts';

/** A reason of a URL or of a work. `later`: another day may change it; `broken`: the queue retries it soon. */
const of = (scope: 'plan' | 'work', later: boolean, broken: boolean) => (sentence: string) => ({
  scope,
  later,
  broken,
  sentence,
});
const ofUrl = of('plan', false, false);
const ofUrlForNow = of('plan', true, false);
const ofUrlBroken = of('plan', true, true);
const ofWork = of('work', false, false);
const ofWorkForNow = of('work', true, false);
const ofWorkBroken = of('work', true, true);

/** A closed list, also documented. A work that was not saved has the reason of its decisive URL. */
export const REASONS = {
  success: ofUrl('Fetched, complete, of an accepted kind, and of this work.'),
  'no-pdf-link': ofUrl('A page was read that names no full text.'),
  'html-as-pdf': ofUrl('A web page was returned where a file was expected.'),
  'wrong-kind': ofUrl('The body is not a full text: an image, an archive, or metadata only.'),
  'kind-not-accepted': ofUrl('A sound document of a kind that is not to be kept.'),
  'bot-wall': ofUrlForNow('A challenge or ban against robots answered.'),
  'blocked-captcha': ofUrl('A page that asks for a captcha answered.'),
  'blocked-login': ofUrl('The request was led to a login page.'),
  'blocked-cookie': ofUrl('The page asked for a cookie again after it was given its own.'),
  paywalled: ofUrl('A page that offers the text for sale.'),
  forbidden: ofUrl('Status 401, 403 or 451 without the marks of a wall.'),
  'not-found': ofUrl('Status 404 or 410, or a host that does not exist.'),
  'soft-404': ofUrl('Status 200 with a page or PDF that says there is nothing here.'),
  'bad-status': ofUrl('Any other status that is neither a success nor retryable.'),
  'server-error': ofUrlBroken('Status 5xx, 408 or 425 on every attempt.'),
  'connection-failed': ofUrlBroken('No connection, or it was lost before an answer.'),
  timeout: ofUrlBroken('It took longer than a limit on time allows.'),
  truncated: ofUrlBroken('Fewer bytes than announced, or a document without its end.'),
  'empty-body': ofUrlBroken('Success, and no bytes.'),
  'too-large': ofUrl('Above the limit on size, or beyond the decompression ratio.'),
  'bad-gzip': ofUrl('The content coding is damaged or unknown.'),
  'checksum-mismatch': ofUrlBroken('Not the bytes whose checksum the service published.'),
  unreadable: ofUrl('Begins and ends like a PDF and has no page to read.'),
  encrypted: ofUrl('The PDF needs a password.'),
  'preview-only': ofUrl('The PDF is a preview of a page or two.'),
  'identity-mismatch': ofUrl('The page or the file belongs to another work.'),
  'redirect-loop': ofUrl('A redirect led back with nothing changed.'),
  'too-many-redirects': ofUrl('More redirects than are followed.'),
  'bad-redirect': ofUrl('A redirect to nowhere or to another scheme.'),
  'private-address': ofUrl('The address, or one it led to, is not public.'),
  'robots-disallowed': ofUrl('robots.txt forbids it, or its server could not say.'),
  'rate-limited': ofUrlBroken('The host asked for a pause; the work is deferred.'),
  'host-given-up': ofUrlBroken('The host asks for longer pauses than the settings allow.'),
  'host-paused': ofUrlForNow('An operator has paused the host.'),
  'no-plan': ofWork('No resolver knew a URL for the work.'),
  'lookup-failed': ofWorkBroken('A service that may know where the work is refused to answer or was away.'),
  'budget-exhausted': ofWorkForNow('A daily budget that a URL needs is spent.'),
  'unreadable-entry': ofWork('An entry of a list with neither an id nor a title.'),
  'title-doubtful': ofWork(
    'An entry without an id whose title fits several works, or none well: it waits in review.csv.',
  ),
  'title-unknown': ofWork(
    'An entry without an id whose title Crossref does not know: it can be screened, and no full text is looked for.',
  ),
  'entry-identified': ofWork('An entry that had no id, whose work has been found since.'),
  duplicate: ofWork('The same work as another one, under another id: `duplicate_of` says which.'),
  split: ofWorkForNow('Was merged with another work, then split off; the next run downloads it.'),
  retracted: ofWork('The work is retracted, and retracted works are skipped.'),
  cancelled: ofWorkForNow('The run was stopped before the work ended.'),
  'internal-error': ofWorkBroken('A fault of the program itself.'),
};

export type Reason = keyof typeof REASONS;

export function isTransient(reason: string): boolean {
  return Object.hasOwn(REASONS, reason) && REASONS[reason as Reason].later;
}

/** Reasons of list entries that lead to no work with an id. */
const OF_ENTRIES: ReadonlySet<string> = new Set<Reason>([
  'unreadable-entry',
  'title-doubtful',
  'title-unknown',
  'entry-identified',
  'duplicate',
]);

export function namesNoWork(reason: string): boolean {
  return OF_ENTRIES.has(reason);
}

const UNANSWERED: Readonly<Record<RefusedReason | FailedReason | LaterReason, Reason>> = {
  'bad-url': 'bad-redirect',
  'private-address': 'private-address',
  'bad-port': 'private-address',
  'robots-disallowed': 'robots-disallowed',
  'robots-unreachable': 'robots-disallowed',
  'redirect-loop': 'redirect-loop',
  'max-hops': 'too-many-redirects',
  'bad-redirect': 'bad-redirect',
  'body-too-large': 'too-large',
  'headers-too-large': 'too-large',
  'decompression-bomb': 'too-large',
  'unknown-encoding': 'bad-gzip',
  'retry-after-too-long': 'host-given-up',
  'crawl-delay-too-long': 'host-given-up',
  dns: 'connection-failed',
  connect: 'connection-failed',
  reset: 'connection-failed',
  tls: 'connection-failed',
  'connect-timeout': 'timeout',
  'headers-timeout': 'timeout',
  'idle-timeout': 'timeout',
  'total-timeout': 'timeout',
  'too-slow': 'timeout',
  truncated: 'truncated',
  protocol: 'connection-failed',
  'bad-encoding': 'bad-gzip',
  'bad-answer': 'server-error',
  'host-held': 'connection-failed',
  'rate-limited': 'rate-limited',
  'pool-exhausted': 'rate-limited',
  paused: 'host-paused',
};

/** Undefined for a success, where the body decides. */
export function reasonOfResult(result: HttpResult): Reason | undefined {
  if (result.kind === 'failed' && result.reason === 'dns' && !result.retryable) return 'not-found';
  if (result.kind !== 'response' && result.kind !== 'stopped') {
    const reason = UNANSWERED[result.reason];
    // The response had started, so it was truncated.
    const isCut = result.kind === 'failed' && result.trail.response !== undefined;
    return reason === 'connection-failed' && isCut ? 'truncated' : reason;
  }
  const { status, headers } = result.response;
  // Elsevier's API truncates files to the first page without a subscription, and says so only in a header.
  if (/limited to first page/i.test(headers['x-els-status'] ?? '')) return 'preview-only';
  return reasonOfStatus(status);
}

export function reasonOfStatus(status: number): Reason | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 404 || status === 410) return 'not-found';
  if (status === 402) return 'paywalled';
  if (status === 401 || status === 403 || status === 451) return 'forbidden';
  if (status === 429) return 'rate-limited';
  return (status >= 500 && status < 600) || status === 408 || status === 425 ? 'server-error' : 'bad-status';
}

export function responseOf(result: HttpResult): HttpResponse | undefined {
  if (result.kind === 'response' || result.kind === 'stopped') return result.response;
  return result.trail.response;
}
