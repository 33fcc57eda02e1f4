/**
 * Reasons for the result of a plan (one URL) or a work. The simulator, client manifests and the documentation use only
 * these. `scope` says whether a reason describes a URL or a work; `later` marks those that may succeed on a later day.
 */
export const REASONS = {
  success: {
    scope: 'plan',
    later: false,
    sentence: 'The file was fetched, is complete, of an accepted kind, and belongs to the work.',
  },
  'no-pdf-link': {
    scope: 'plan',
    later: false,
    sentence: 'An HTML page was read and names no full text that a client without JavaScript can find.',
  },
  'html-as-pdf': {
    scope: 'plan',
    later: false,
    sentence: 'A file was promised and a web page came (viewer shell, interstitial, or HTML under a PDF content type).',
  },
  'wrong-kind': {
    scope: 'plan',
    later: false,
    sentence:
      'The body is neither PDF, JATS, TEI nor an HTML full text (an image, an archive, metadata without a body).',
  },
  'kind-not-accepted': {
    scope: 'plan',
    later: false,
    sentence: 'A sound document of a kind that the run was told not to keep.',
  },
  'bot-wall': {
    scope: 'plan',
    later: true,
    sentence: 'A bot challenge answered (Cloudflare and its like, or a 1015/1020 ban).',
  },
  'blocked-captcha': { scope: 'plan', later: false, sentence: 'A page that asks for a captcha answered.' },
  'blocked-login': { scope: 'plan', later: false, sentence: 'The request was led to a login or single sign-on page.' },
  'blocked-cookie': {
    scope: 'plan',
    later: false,
    sentence: 'A cookie wall did not open although its cookie was returned once.',
  },
  paywalled: {
    scope: 'plan',
    later: false,
    sentence: 'An abstract page that offers the text for sale, without a link to it.',
  },
  forbidden: { scope: 'plan', later: false, sentence: 'Status 401, 403 or 451 without the marks of a wall.' },
  'not-found': { scope: 'plan', later: false, sentence: 'Status 404 or 410.' },
  'soft-404': { scope: 'plan', later: false, sentence: 'Status 200 with a page that says there is nothing here.' },
  'bad-status': {
    scope: 'plan',
    later: false,
    sentence: 'Any other status that is neither success nor worth a retry.',
  },
  'server-error': {
    scope: 'plan',
    later: true,
    sentence: 'Status 5xx (or 408, 425) on every attempt that the retry limit allows.',
  },
  'connection-failed': {
    scope: 'plan',
    later: true,
    sentence: 'No connection, or it was reset before the headers, on every attempt.',
  },
  timeout: {
    scope: 'plan',
    later: true,
    sentence:
      'Headers, the next byte, the floor rate or the whole transfer took longer than allowed, on every attempt.',
  },
  truncated: {
    scope: 'plan',
    later: true,
    sentence: 'Fewer bytes than announced, a chunked body without its end, or a PDF without its end, on every attempt.',
  },
  'empty-body': { scope: 'plan', later: true, sentence: 'Status 200 and no bytes.' },
  'too-large': {
    scope: 'plan',
    later: false,
    sentence: 'Announced or measured above the size limit, or beyond the decompression ratio.',
  },
  'bad-gzip': { scope: 'plan', later: false, sentence: 'The content coding is damaged or unknown.' },
  'checksum-mismatch': {
    scope: 'plan',
    later: true,
    sentence: 'The bytes differ from the checksum that the service published for them.',
  },
  unreadable: {
    scope: 'plan',
    later: false,
    sentence: 'It begins and ends like a PDF and has no page that can be read.',
  },
  encrypted: { scope: 'plan', later: false, sentence: 'The PDF needs a password.' },
  'preview-only': { scope: 'plan', later: false, sentence: 'The PDF is a look-inside of one or two pages.' },
  'identity-mismatch': {
    scope: 'plan',
    later: false,
    sentence: 'The page or the file belongs to another work (title and DOI not found, or a different citation_doi).',
  },
  'redirect-loop': {
    scope: 'plan',
    later: false,
    sentence: 'A redirect led to an address already visited with the same cookies.',
  },
  'too-many-redirects': { scope: 'plan', later: false, sentence: 'More than ten redirects.' },
  'bad-redirect': {
    scope: 'plan',
    later: false,
    sentence: 'A redirect without an address, or to a scheme other than http and https.',
  },
  'private-address': {
    scope: 'plan',
    later: false,
    sentence:
      'The address, or one redirected or resolved to, is loopback, private, link-local or otherwise not public.',
  },
  'robots-disallowed': {
    scope: 'plan',
    later: false,
    sentence: 'robots.txt disallows the path for this client, or could not be read because the server failed.',
  },
  'rate-limited': {
    scope: 'plan',
    later: true,
    sentence:
      'Status 429 (or 503 with Retry-After) that asks for a wait beyond the parking limit, or on every attempt.',
  },
  'host-given-up': {
    scope: 'plan',
    later: true,
    sentence: 'The host asks to wait for longer than any run lasts (Retry-After of a year).',
  },
  'no-plan': { scope: 'work', later: false, sentence: 'No enabled resolver knew any URL for the work.' },
  'lookup-failed': {
    scope: 'work',
    later: true,
    sentence: 'A service that may know where the work is refused to answer or was away.',
  },
  'budget-exhausted': {
    scope: 'work',
    later: true,
    sentence: 'A key or daily budget that a remaining URL needs is spent; the work is parked until it renews.',
  },
  duplicate: { scope: 'work', later: false, sentence: 'The same work as another one of the run, under another id.' },
  retracted: {
    scope: 'work',
    later: false,
    sentence: 'The work is retracted and the run was told to leave such works out.',
  },
  cancelled: { scope: 'work', later: true, sentence: 'The run was stopped before the work ended.' },
  'internal-error': {
    scope: 'work',
    later: true,
    sentence: 'A fault of the client itself; the simulator never expects it.',
  },
} as const satisfies Readonly<
  Record<string, { readonly scope: 'plan' | 'work'; readonly later: boolean; readonly sentence: string }>
>;

export type Reason = keyof typeof REASONS;

export function isReason(word: unknown): word is Reason {
  return typeof word === 'string' && Object.hasOwn(REASONS, word);
}

const BROKEN: ReadonlySet<string> = new Set<Reason>([
  'server-error',
  'connection-failed',
  'timeout',
  'truncated',
  'empty-body',
  'checksum-mismatch',
]);

/**
 * The outcome of a work without a file: failed if something broke, with its last reason; otherwise skipped, with the
 * last reason of all.
 */
export function lossOf(attempts: readonly { readonly reason: Reason }[]): {
  readonly outcome: 'failed' | 'skipped';
  readonly reason: Reason;
} {
  const broken = attempts.findLast(({ reason }) => BROKEN.has(reason));
  return broken
    ? { outcome: 'failed', reason: broken.reason }
    : { outcome: 'skipped', reason: attempts.at(-1)?.reason ?? 'no-plan' };
}
