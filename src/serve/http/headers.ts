/** What every answer says: who may show it, that it is what it says it is, and that nobody else is to keep it. */
const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Of answers to programs: if a browser shows one as a page, it may do nothing. */
export const API_HEADERS = {
  ...EVERYWHERE,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'private, no-cache',
} as const;

/** Of pages: their own script and style and this server, nothing else and nothing inline. */
export const PAGE_HEADERS = {
  ...EVERYWHERE,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'private, no-cache',
} as const;
