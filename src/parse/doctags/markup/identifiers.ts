// The registrant has at most nine digits; the suffix ends at white space or at marks no registered suffix ends with.
// One pass over bounded classes: linear on any input.
const DOI = /\b10\.\d{4,9}\/[^\s"<>{}|\\^`]{1,200}/;
const ARXIV_NEW = /(?:arxiv[:.\s/]{1,3}(?:abs\/|pdf\/)?|arxiv\.org\/(?:abs|pdf|html)\/)(\d{4}\.\d{4,5})(?:v\d{1,3})?/i;
const ARXIV_OLD =
  /(?:arxiv[:.\s/]{1,3}(?:abs\/|pdf\/)?|arxiv\.org\/(?:abs|pdf|html)\/)([a-z-]{2,16}(?:\.[A-Z]{2})?\/\d{7})(?:v\d{1,3})?/i;

/** The first DOI in a text or address, in lower case, without the punctuation of the sentence around it. */
export function findDoi(text: string): string | undefined {
  const isAddress = /^https?:\/\//i.test(text);
  const plain = isAddress ? addressText(text) : text;
  const at = plain.indexOf('10.');
  const found = at === -1 ? null : DOI.exec(plain.slice(at));
  if (!found) return undefined;
  return trimDoi(isAddress ? (found[0].split(/[&?#]/)[0] ?? '') : found[0]);
}

/** A DOI given as one (with or without `doi:` or a resolver in front); undefined when it is not one. */
export function normalizeDoi(text: string): string | undefined {
  return findDoi(text.trim());
}

/** The first arXiv identifier in a text, without its version. */
export function findArxivId(text: string): string | undefined {
  if (!/arxiv/i.test(text)) return undefined;
  return (ARXIV_NEW.exec(text) ?? ARXIV_OLD.exec(text))?.[1];
}

function trimDoi(doi: string): string {
  let trimmed = doi.replace(/(?<![.,;:!?'"’”\]>])[.,;:!?'"’”\]>]+$/, '');
  // A closing bracket belongs to the DOI only when it was opened inside.
  while (trimmed.endsWith(')') && count(trimmed, ')') > count(trimmed, '('))
    trimmed = trimmed.slice(0, -1).replace(/(?<![.,;:])[.,;:]+$/, '');
  return trimmed.toLowerCase();
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** Addresses spell some characters of a DOI in percent signs. */
function addressText(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
