const PREFIX = /^10\.\d{4,9}(?:\.\d{1,9})*\//;
const LEAD = /^(?:https?:\/\/)?(?:(?:dx\.|www\.)?doi\.org\/(?:doi:)?|doi[\s:]*)+/i;
/** Percent-escapes of reserved characters: if one occurs, the whole DOI was written for a URL. */
const ESCAPED = /%(?:2f|3c|3e|23|3f|28|29|3a|3b|5b|5d|20|22|7b|7d|25)/i;
const TRACKING = /[?&](?:utm_[a-z]|nosfx|noredirect|locatt|ref|source|via)/i;
const MAX_BYTES = 2048;

/**
 * A DOI in canonical form: no scheme, ASCII letters in lower case; undefined if the text is not a DOI. Suffixes may
 * contain almost anything, so nothing is cut at `;`, `(`, `#` or `<`.
 */
export function normalizeDoi(text: string): string | undefined {
  let doi = text.trim().replace(LEAD, '').trim();
  if (ESCAPED.test(doi) && (!doi.includes('/') || !/[<>#\s"]/.test(doi))) doi = decoded(doi);
  doi = withoutTail(withoutTracking(doi));
  const prefix = PREFIX.exec(doi)?.[0];
  if (prefix === undefined || doi.length === prefix.length || hasBlank(doi)) return undefined;
  if (Buffer.byteLength(doi) > MAX_BYTES) return undefined;
  // DOIs are case-insensitive in ASCII only: the Kelvin sign is not a k.
  return doi.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The first DOI in running text. */
export function findDoi(text: string): string | undefined {
  const found = /\b10\.\d{4,9}(?:\.\d{1,9}){0,8}\/[^\s"'<>]{1,300}/.exec(text)?.[0];
  return found === undefined ? undefined : normalizeDoi(found);
}

/** A DOI in a URL path: slashes stay, everything that would end or change the path is encoded. */
export function doiPath(doi: string): string {
  return doi.split('/').map(encodeURIComponent).join('/');
}

/** Removes tracking parameters after the last `#`, or at the end. */
function withoutTracking(doi: string): string {
  const tail = doi.lastIndexOf('#') + 1;
  const at = doi.slice(tail).search(TRACKING);
  return at === -1 ? doi : doi.slice(0, tail + at);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Removes trailing punctuation, quotes and unmatched brackets. */
function withoutTail(doi: string): string {
  let end = doi.length;
  while (end > 0) {
    const last = doi[end - 1] as string;
    if ('.,;:"\'\u200b\ufeff'.includes(last)) end -= 1;
    else if (last === ')' && count(doi, '(', end) < count(doi, ')', end)) end -= 1;
    else if (last === ']' && count(doi, '[', end) < count(doi, ']', end)) end -= 1;
    else if (last === '>' && count(doi, '<', end) < count(doi, '>', end)) end -= 1;
    else break;
  }
  return doi.slice(0, end);
}

function count(text: string, character: string, end: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1 && at < end; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}

function hasBlank(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x21 || (code >= 0x7f && code <= 0xa0)) return true;
  }
  return /\s/.test(text) || !text.isWellFormed();
}
