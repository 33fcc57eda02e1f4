import { AppError, canonicalJson, sha256 } from '../base/index.ts';

/** Where an answer continues: an item, and the character in it. */
export interface Place {
  readonly at: number;
  readonly within: number;
}

const MARK_LENGTH = 12;
type Asked = Readonly<Record<string, unknown>>;

/** Encodes a position as a cursor that is valid only for the same query. */
export function writeCursor({ at, within }: Place, asked: Asked): string {
  return Buffer.from(JSON.stringify([at, within, markOf(asked)])).toString('base64url');
}

/** Decodes a cursor; the start if there is none. */
export function readCursor(cursor: string | undefined, asked: Asked): Place {
  if (cursor === undefined) return { at: 0, within: 0 };
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    // Reported below.
  }
  const [at, within, mark] = Array.isArray(value) ? (value as unknown[]) : [];
  if (isPosition(at) && isPosition(within) && mark === markOf(asked)) return { at, within };
  throw new AppError('USAGE_CURSOR', 'the cursor does not belong to this query', {
    hint: 'repeat the same query with its next_cursor, or without a cursor',
  });
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A hash of the query, without cursor and limits. */
function markOf(asked: Asked): string {
  const { cursor: _cursor, max_tokens: _most, ...question } = asked;
  return sha256(canonicalJson(question)).slice(0, MARK_LENGTH);
}
