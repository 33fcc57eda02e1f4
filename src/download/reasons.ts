import type { FailedReason, HttpResponse, HttpResult, LaterReason, RefusedReason } from '../http/index.ts';

/**
 * Why a plan or a work ended: a closed list, used in manifests, documentation and code. `scope` says whether a reason
 * is about one URL or a whole work; `later` means that another day may change it. A work that was not saved has the
 * reason of the decisive URL.
 */
export const REASONS = {
  success: { scope: 'plan', later: false, sentence: 'Fetched, complete, of an accepted kind, and of this work.' },
  'no-pdf-link': { scope: 'plan', later: false, sentence: 'A page was read that names no full text.' },
  'html-as-pdf': { scope: 'plan', later: false, sentence: 'A file was promised and a web page came.' },
  'wrong-kind': {
    scope: 'plan',
    later: false,
    sentence: 'The body is not a full text: an image, an archive, or metadata only.',
  },
  'kind-not-accepted': { scope: 'plan', later: false, sentence: 'A sound document of a kind that is not to be kept.' },
  'bot-wall': { scope: 'plan', later: true, sentence: 'A challenge or ban against robots answered.' },
  'blocked-captcha': { scope: 'plan', later: false, sentence: 'A page that asks for a captcha answered.' },
  'blocked-login': { scope: 'plan', later: false, sentence: 'The request was led to a login page.' },
  'blocked-cookie': { scope: 'plan', later: false, sentence: 'A cookie wall did not open to its own cookie.' },
  paywalled: { scope: 'plan', later: false, sentence: 'A page that offers the text for sale.' },
  forbidden: { scope: 'plan', later: false, sentence: 'Status 401, 403 or 451 without the marks of a wall.' },
  'not-found': { scope: 'plan', later: false, sentence: 'Status 404 or 410, or a host that does not exist.' },
  'soft-404': { scope: 'plan', later: false, sentence: 'Status 200 with a page that says there is nothing here.' },
  'bad-status': {
    scope: 'plan',
    later: false,
    sentence: 'Any other status that is neither success nor worth a retry.',
  },
  'server-error': { scope: 'plan', later: true, sentence: 'Status 5xx, 408 or 425 on every attempt.' },
  'connection-failed': { scope: 'plan', later: true, sentence: 'No connection, or it was lost before an answer.' },
  timeout: { scope: 'plan', later: true, sentence: 'It took longer than a limit on time allows.' },
  truncated: { scope: 'plan', later: true, sentence: 'Fewer bytes than announced, or a document without its end.' },
  'empty-body': { scope: 'plan', later: true, sentence: 'Success, and no bytes.' },
  'too-large': { scope: 'plan', later: false, sentence: 'Above the limit on size, or beyond the decompression ratio.' },
  'bad-gzip': { scope: 'plan', later: false, sentence: 'The content coding is damaged or unknown.' },
  'checksum-mismatch': { scope: 'plan', later: true, sentence: 'Not the bytes whose checksum the service published.' },
  unreadable: { scope: 'plan', later: false, sentence: 'Begins and ends like a PDF and has no page to read.' },
  encrypted: { scope: 'plan', later: false, sentence: 'The PDF needs a password.' },
  'preview-only': { scope: 'plan', later: false, sentence: 'The PDF is a look-inside of a page or two.' },
  'identity-mismatch': { scope: 'plan', later: false, sentence: 'The page or the file belongs to another work.' },
  'redirect-loop': { scope: 'plan', later: false, sentence: 'A redirect led back with nothing changed.' },
  'too-many-redirects': { scope: 'plan', later: false, sentence: 'More redirects than are followed.' },
  'bad-redirect': { scope: 'plan', later: false, sentence: 'A redirect to nowhere or to another scheme.' },
  'private-address': { scope: 'plan', later: false, sentence: 'The address, or one it led to, is not public.' },
  'robots-disallowed': { scope: 'plan', later: false, sentence: 'robots.txt forbids it, or its server could not say.' },
  'rate-limited': { scope: 'plan', later: true, sentence: 'The host asked for a longer wait than is spent waiting.' },
  'host-given-up': {
    scope: 'plan',
    later: true,
    sentence: 'The host asks for a longer wait, or longer pauses, than the settings allow for.',
  },
  'host-paused': { scope: 'plan', later: true, sentence: 'An operator has paused the host.' },
  'no-plan': { scope: 'work', later: false, sentence: 'No resolver knew a URL for the work.' },
  'lookup-failed': {
    scope: 'work',
    later: true,
    sentence: 'A service that may know where the work is refused to answer or was away.',
  },
  'budget-exhausted': { scope: 'work', later: true, sentence: 'A daily budget that a URL needs is spent.' },
  'unreadable-entry': {
    scope: 'work',
    later: false,
    sentence: 'An entry of a list that names no work we can look for.',
  },
  'title-doubtful': {
    scope: 'work',
    later: false,
    sentence: 'An entry without an id whose title fits several works, or none well: it waits in review.csv.',
  },
  'title-unknown': {
    scope: 'work',
    later: false,
    sentence: 'An entry without an id whose title Crossref does not know.',
  },
  'entry-identified': {
    scope: 'work',
    later: false,
    sentence: 'An entry that had no id, whose work has been found since.',
  },
  duplicate: {
    scope: 'work',
    later: false,
    sentence: 'The same work as another one, under another id: `duplicate_of` says which.',
  },
  split: {
    scope: 'work',
    later: true,
    sentence: 'Was merged with another work, and a person has split it off: the next run downloads it.',
  },
  retracted: { scope: 'work', later: false, sentence: 'The work is retracted and such works are left out.' },
  cancelled: { scope: 'work', later: true, sentence: 'The run was stopped before the work ended.' },
  'internal-error': { scope: 'work', later: true, sentence: 'A fault of the program itself.' },
} as const satisfies Readonly<
  Record<string, { readonly scope: 'plan' | 'work'; readonly later: boolean; readonly sentence: string }>
>;

export type Reason = keyof typeof REASONS;

/** Failures that are retryable; everything else is unavailable, or deferred to a known time. */
export const BROKEN: ReadonlySet<Reason> = new Set<Reason>([
  'server-error',
  'connection-failed',
  'timeout',
  'truncated',
  'empty-body',
  'checksum-mismatch',
  'rate-limited',
  'host-given-up',
  'lookup-failed',
  'internal-error',
]);

/** Whether a later run may get a work that failed for this reason. */
export function isTransient(reason: string): boolean {
  return Object.hasOwn(REASONS, reason) && REASONS[reason as Reason].later;
}

/** Reasons of list entries that are not separate works: counted as entries only. */
const OF_ENTRIES: ReadonlySet<string> = new Set<Reason>([
  'unreadable-entry',
  'title-doubtful',
  'title-unknown',
  'entry-identified',
  'duplicate',
]);

/** Whether the reason belongs to a list entry that names no work. */
export function namesNoWork(reason: string): boolean {
  return OF_ENTRIES.has(reason);
}

const REFUSED: Readonly<Record<RefusedReason, Reason>> = {
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
};

const FAILED: Readonly<Record<FailedReason, Reason>> = {
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
};

const LATER: Readonly<Record<LaterReason, Reason>> = {
  'host-held': 'connection-failed',
  'rate-limited': 'rate-limited',
  'pool-exhausted': 'rate-limited',
  paused: 'host-paused',
};

/** The reason of a failed request; undefined for a success, where the body decides. */
export function reasonOfResult(result: HttpResult): Reason | undefined {
  if (result.kind === 'later') return LATER[result.reason];
  if (result.kind === 'refused') return REFUSED[result.reason];
  if (result.kind === 'failed') {
    if (result.reason === 'dns' && !result.retryable) return 'not-found';
    const reason = FAILED[result.reason];
    // The response had started, so it was truncated.
    return reason === 'connection-failed' && result.trail.response !== undefined ? 'truncated' : reason;
  }
  const { status, headers } = result.response;
  // Elsevier's API truncates files to the first page without a subscription, and says so only in a header.
  if (/limited to first page/i.test(headers['x-els-status'] ?? '')) return 'preview-only';
  return reasonOfStatus(status);
}

export function reasonOfStatus(status: number): Reason | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 404 || status === 410) return 'not-found';
  if (status === 401 || status === 403 || status === 451) return 'forbidden';
  if (status === 429) return 'rate-limited';
  return (status >= 500 && status < 600) || status === 408 || status === 425 ? 'server-error' : 'bad-status';
}

export function responseOf(result: HttpResult): HttpResponse | undefined {
  if (result.kind === 'response' || result.kind === 'stopped') return result.response;
  return result.trail.response;
}
