const PREFIX = /^10\.\d{4,9}(?:\.\d{1,9})*\//;
const LEAD = /^(?:https?:\/\/)?(?:(?:dx\.|www\.)?doi\.org\/(?:doi:)?|doi[\s:]*)+/i;
/** Percent-escapes of reserved characters: if one occurs, the whole DOI was written for a URL. */
const ESCAPED = /%(?:2f|3c|3e|23|3f|28|29|3a|3b|5b|5d|20|22|7b|7d|25)/i;
const TRACKING = /[?&](?:utm_[a-z]|nosfx|noredirect|locatt|ref|source|via)/i;
const MAX_BYTES = 2048;
/** Longer texts are not DOIs, even if all their characters are escaped. */
const LONGEST_TEXT = 4 * MAX_BYTES;
const IN_TEXT = /\b10\.\d{4,9}(?:\.\d{1,9}){0,8}(?:\/|%2f)[^\s"<>{}|\\^`]{1,300}/i;

/** Undefined if it is not a DOI. Suffixes may contain almost anything: nothing is cut at `;`, `(` or `#`. */
export function normalizeDoi(text: string): string | undefined {
  if (text.length > LONGEST_TEXT) return undefined;
  let doi = text.trim().replace(LEAD, '').trim();
  if (ESCAPED.test(doi) && (!doi.includes('/') || !/[<>#\s"]/.test(doi))) doi = decoded(doi);
  doi = withoutTracking(doi);
  if (doi.length > MAX_BYTES) return undefined;
  doi = withoutTail(doi);
  const prefix = PREFIX.exec(doi)?.[0];
  if (prefix === undefined || doi.length === prefix.length) return undefined;
  if (/[\p{Cc}\s]/u.test(doi) || !doi.isWellFormed()) return undefined;
  if (Buffer.byteLength(doi) > MAX_BYTES) return undefined;
  // DOIs are case-insensitive in ASCII only: the Kelvin sign is not a k.
  return doi.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The first DOI in running text, or in a URL, where a query may follow. */
export function findDoi(text: string): string | undefined {
  const found = IN_TEXT.exec(text)?.[0] ?? '';
  return normalizeDoi(/^https?:\/\//i.test(text) ? found.replace(/[?#&].*/, '') : found);
}

/** Encodes everything that would end or change the path; slashes stay. */
export function doiPath(doi: string): string {
  return doi.split('/').map(encodeURIComponent).join('/');
}

function withoutTracking(doi: string): string {
  const tail = doi.lastIndexOf('#') + 1;
  const at = doi.slice(tail).search(TRACKING);
  return at === -1 ? doi : doi.slice(0, tail + at);
}

/** Without percent-encoding; unchanged if that is invalid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '>': '<' };

/** Removes trailing punctuation, quotes and unmatched brackets. */
function withoutTail(doi: string): string {
  for (let rest = doi; ; rest = rest.slice(0, -1)) {
    const last = rest.at(-1) ?? '';
    const open = OPENING[last];
    const isUnmatched = open !== undefined && rest.split(open).length < rest.split(last).length;
    if (!isUnmatched && !/[.,;:!?"'’”\u200b\ufeff]/.test(last)) return rest;
  }
}
