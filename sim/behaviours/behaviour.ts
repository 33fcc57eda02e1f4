export type RetryAfterForm = 'seconds' | 'date' | 'none' | 'absurd' | 'year' | 'negative' | 'garbage';

/**
 * What a URL does besides returning its file. All choices are fixed by the world, never by request order; `times`
 * counts GET requests of the URL in one run.
 */
export type Behaviour =
  | { readonly kind: 'plain' }
  | { readonly kind: 'flaky'; readonly times: number; readonly how: '503' | '502' | 'reset' | 'timeout' }
  | { readonly kind: 'throttled'; readonly times: number; readonly retryAfter: RetryAfterForm }
  | { readonly kind: 'status'; readonly status: 403 | 404 | 410 | 418 | 500 }
  | { readonly kind: 'dead' }
  /** DNS name that does not resolve. */
  | { readonly kind: 'nameless' }
  | { readonly kind: 'redirect'; readonly hops: number; readonly codes: readonly number[]; readonly relative: boolean }
  | { readonly kind: 'redirect-trap'; readonly to: RedirectTrap }
  | { readonly kind: 'html-as-pdf'; readonly page: 'html' | 'viewer' | 'interstitial' }
  | { readonly kind: 'typed'; readonly contentType: string; readonly junkBytes: number }
  | { readonly kind: 'truncated'; readonly how: 'short' | 'chunked'; readonly times: number }
  | { readonly kind: 'cut'; readonly how: 'inside-xref' | 'no-eof' }
  | { readonly kind: 'slow'; readonly how: 'drip' | 'stall' | 'no-headers' }
  | { readonly kind: 'oversized'; readonly how: 'declared' | 'endless' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'gzip'; readonly how: 'encoded' | 'file' | 'double' | 'bomb' | 'corrupt' }
  | {
      readonly kind: 'caching';
      readonly how: 'strong' | 'weak' | 'last-modified' | 'vary' | 'no-store' | 'expired' | 'changes-once';
    }
  | { readonly kind: 'range'; readonly how: 'good' | 'ignored' | 'if-range-mismatch' | 'wrong-range' | 'at-end' }
  | { readonly kind: 'wall'; readonly how: Wall }
  | { readonly kind: 'filename'; readonly how: 'rfc8187' | 'traversal' | 'long' | 'bidi' | 'quotes' }
  | { readonly kind: 'head'; readonly how: '405' | '404' | 'lies' };

const TRAPS = [
  'loop',
  'twelve-hops',
  'canary-4',
  'canary-6',
  'metadata',
  'decimal-host',
  'rebinding',
  'file-scheme',
  'no-location',
] as const;
export type RedirectTrap = (typeof TRAPS)[number];

const WALLS = [
  'challenge-403',
  'challenge-503',
  'ban-1015',
  'login',
  'cookie-opens',
  'cookie-stays',
  'captcha',
  'soft-404',
  'paywall',
] as const;
export type Wall = (typeof WALLS)[number] | 'challenge-anubis' | 'challenge-proof-of-work' | 'challenge-radware';

export const PLAIN: Behaviour = { kind: 'plain' };

const redirect = (hops: number, codes: readonly number[], relative = false): Behaviour => ({
  kind: 'redirect',
  hops,
  codes,
  relative,
});
const typed = (contentType: string, junkBytes = 0): Behaviour => ({ kind: 'typed', contentType, junkBytes });

/**
 * Every behaviour of a file URL, with each parameter used at least once. The hostile world contains each of them twice.
 */
export const ALL_BEHAVIOURS: readonly Behaviour[] = [
  PLAIN,
  ...(['503', '502', 'reset', 'timeout'] as const).map((how): Behaviour => ({ kind: 'flaky', times: 1, how })),
  { kind: 'flaky', times: 99, how: '503' },
  ...(['seconds', 'date', 'none', 'absurd', 'negative', 'garbage'] as const).map((retryAfter): Behaviour => ({
    kind: 'throttled',
    times: 1,
    retryAfter,
  })),
  ...([403, 404, 410, 418, 500] as const).map((status): Behaviour => ({ kind: 'status', status })),
  { kind: 'dead' },
  redirect(1, [302]),
  redirect(6, [301, 302, 303, 307, 308]),
  redirect(3, [302], true),
  ...TRAPS.map((to): Behaviour => ({ kind: 'redirect-trap', to })),
  ...(['html', 'viewer', 'interstitial'] as const).map((page): Behaviour => ({ kind: 'html-as-pdf', page })),
  typed('application/octet-stream'),
  typed('text/plain'),
  typed(''),
  typed('image/png'),
  typed('application/pdf', 300),
  { kind: 'truncated', how: 'short', times: 1 },
  { kind: 'truncated', how: 'chunked', times: 1 },
  { kind: 'truncated', how: 'short', times: 99 },
  { kind: 'cut', how: 'inside-xref' },
  { kind: 'cut', how: 'no-eof' },
  { kind: 'slow', how: 'drip' },
  { kind: 'slow', how: 'stall' },
  { kind: 'slow', how: 'no-headers' },
  { kind: 'oversized', how: 'declared' },
  { kind: 'oversized', how: 'endless' },
  { kind: 'empty' },
  ...(['encoded', 'file', 'double', 'bomb', 'corrupt'] as const).map((how): Behaviour => ({ kind: 'gzip', how })),
  ...(['strong', 'weak', 'last-modified', 'vary', 'no-store', 'expired', 'changes-once'] as const).map(
    (how): Behaviour => ({ kind: 'caching', how }),
  ),
  ...(['good', 'ignored', 'if-range-mismatch', 'wrong-range', 'at-end'] as const).map((how): Behaviour => ({
    kind: 'range',
    how,
  })),
  ...WALLS.map((how): Behaviour => ({ kind: 'wall', how })),
  ...(['rfc8187', 'traversal', 'long', 'bidi', 'quotes'] as const).map((how): Behaviour => ({ kind: 'filename', how })),
  ...(['405', '404', 'lies'] as const).map((how): Behaviour => ({ kind: 'head', how })),
];
