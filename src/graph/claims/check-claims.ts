import { CLAIM_RELATIONS } from './prompt.ts';

/** A claim whose quote stands in its passage. */
export interface Claim {
  readonly statement: string;
  readonly subject: string;
  readonly relation: string;
  readonly object: string;
  /** Where the quote stands in the passage. */
  readonly start: number;
  readonly end: number;
}

/** Why a claim of a model is not believed. */
export type DropReason = 'malformed' | 'quote-not-in-passage' | 'number-not-in-quote' | 'repeated';

/** What an answer is worth: claims that stand in the passage, and how many did not. */
export interface CheckedClaims {
  readonly claims: readonly Claim[];
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
}

const MOST_CLAIMS = 40;
const LONGEST_TEXT = 600;
const LEAST_QUOTE = 12;

/**
 * Reads what a model answered about a passage; undefined when it is not the JSON that was asked for. Nothing in it is
 * believed: the quote has to stand in the passage character by character, and every number of the claim in the quote.
 */
export function checkClaims(content: string, passage: string): CheckedClaims | undefined {
  const listed = listIn(content);
  if (!listed) return undefined;
  const dropped: Partial<Record<DropReason, number>> = {};
  const drop = (reason: DropReason, count = 1): void => void (dropped[reason] = (dropped[reason] ?? 0) + count);
  if (listed.length > MOST_CLAIMS) drop('malformed', listed.length - MOST_CLAIMS);
  const claims: Claim[] = [];
  const seen = new Set<string>();
  for (const said of listed.slice(0, MOST_CLAIMS)) {
    const told = readClaim(said);
    const start = told ? passage.indexOf(told.quote) : -1;
    const key = JSON.stringify(told);
    if (!told) drop('malformed');
    else if (start < 0) drop('quote-not-in-passage');
    else if (!hasNumbersOf(told.quote, `${told.statement} ${told.subject} ${told.object}`)) drop('number-not-in-quote');
    else if (seen.has(key)) drop('repeated');
    else {
      seen.add(key);
      const { quote, ...claim } = told;
      claims.push({ ...claim, start, end: start + quote.length });
    }
  }
  return { claims, dropped };
}

/** The list of an answer; some servers put thoughts in front of it, or a fence around it. */
function listIn(content: string): readonly unknown[] | undefined {
  const thought = content.lastIndexOf('</think>');
  const plain = (thought < 0 ? content : content.slice(thought + '</think>'.length)).trim();
  const fenced = /^```(?:json)?\s([^]*)```$/.exec(plain)?.[1] ?? plain;
  try {
    const body = JSON.parse(fenced) as unknown;
    const claims = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)['claims'] : undefined;
    return Array.isArray(claims) ? (claims as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}

function readClaim(said: unknown): (Omit<Claim, 'start' | 'end'> & { readonly quote: string }) | undefined {
  if (typeof said !== 'object' || said === null) return undefined;
  const { statement, quote, subject, relation, object } = said as Record<string, unknown>;
  const texts = [statement, quote, subject, object].map((text) =>
    typeof text === 'string' && text.length <= LONGEST_TEXT ? text.trim() : '',
  );
  const [claimed = '', quoted = '', about = '', of = ''] = texts;
  const known = CLAIM_RELATIONS.find((each) => each === relation);
  if (texts.includes('') || quoted.length < LEAST_QUOTE || !known) return undefined;
  return { statement: claimed, quote: quoted, subject: about, relation: known, object: of };
}

/** Whether every number of a claim stands in its quote, as the same number. */
function hasNumbersOf(quote: string, claim: string): boolean {
  const known = new Set(numbersIn(quote));
  return numbersIn(claim).every((number) => known.has(number));
}

function numbersIn(text: string): string[] {
  return [...text.normalize('NFKC').matchAll(/\d+(?:[.,]\d+)*/g)].map(([number]) => {
    const value = Number(number.replaceAll(/,(?=\d{3}(?!\d))/g, ''));
    return Number.isNaN(value) ? number : String(value);
  });
}
