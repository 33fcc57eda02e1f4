import { findQuote, hasNumbersOf } from '../../base/index.ts';
import { jsonIn } from '../../model/index.ts';
import { CLAIM_RELATIONS } from './prompt.ts';

/** A claim whose quote is in its passage. */
export interface Claim {
  readonly statement: string;
  readonly subject: string;
  readonly relation: string;
  readonly object: string;
  /** Where the quote is in the passage. */
  readonly start: number;
  readonly end: number;
}

/** Why a claim of a model is not believed. */
export type DropReason = 'malformed' | 'quote-not-in-passage' | 'number-not-in-quote' | 'repeated';

/** The claims of an answer whose quotes are in the passage, and how many were dropped and why. */
export interface CheckedClaims {
  readonly claims: readonly Claim[];
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
}

const MOST_CLAIMS = 40;
const LONGEST_TEXT = 600;
const LEAST_QUOTE = 12;

/**
 * Reads what a model answered about a passage; undefined when it is not the JSON that was asked for. Nothing in it is
 * believed: the quote has to be in the passage word for word, and every number of the claim in the quote.
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
    const read = readClaim(said);
    const place = read && findQuote(read.quote, passage);
    const key = JSON.stringify(read);
    if (!read) drop('malformed');
    else if (!place) drop('quote-not-in-passage');
    else if (!hasNumbersOf(`${read.statement} ${read.subject} ${read.object}`, [read.quote]))
      drop('number-not-in-quote');
    else if (seen.has(key)) drop('repeated');
    else {
      seen.add(key);
      const { quote: _quote, ...claim } = read;
      claims.push({ ...claim, ...place });
    }
  }
  return { claims, dropped };
}

function listIn(content: string): readonly unknown[] | undefined {
  const claims = (jsonIn(content) as Record<string, unknown> | undefined)?.['claims'];
  return Array.isArray(claims) ? (claims as unknown[]) : undefined;
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
