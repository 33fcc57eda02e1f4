import { AppError, canonicalJson, sha256 } from '../base/index.ts';

/** Where an answer continues: an item and the character in it, or a corpus and the cursor of its list. */
export interface Place<Within extends number | string = number> {
  readonly at: number;
  readonly within: Within;
}

const MARK_LENGTH = 12;

/** Encodes a position as a cursor that is valid only for the same query. */
export function writeCursor({ at, within }: Place<number | string>, asked: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify([at, within, markOf(asked)])).toString('base64url');
}

/** Decodes a cursor; `start` if there is none. */
export function readCursor<Within extends number | string>(
  cursor: string | undefined,
  asked: Readonly<Record<string, unknown>>,
  start: Place<Within>,
): Place<Within> {
  if (cursor === undefined) return start;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    // Reported below.
  }
  const [at, within, mark] = Array.isArray(value) ? (value as unknown[]) : [];
  const isPlace =
    isPosition(at) && (typeof start.within === 'string' ? typeof within === 'string' : isPosition(within));
  if (isPlace && mark === markOf(asked)) return { at, within: within as Within };
  throw new AppError('USAGE_CURSOR', 'the cursor does not belong to this query', {
    hint: 'repeat the same query with its next_cursor, or without a cursor',
  });
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A hash of the query, without cursor and limits. */
function markOf(asked: Readonly<Record<string, unknown>>): string {
  const { cursor: _cursor, max_tokens: _most, ...question } = asked;
  return sha256(canonicalJson(question)).slice(0, MARK_LENGTH);
}
