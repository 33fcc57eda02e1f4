import { AppError, canonicalJson, sha256 } from '../base/index.ts';

/** Where an answer continues: the item, and the character within it. */
export interface Place {
  readonly at: number;
  readonly from: number;
}

const MARK_LENGTH = 12;

/** Encodes a position as a cursor that is valid only for the same query. */
export function writeCursor(place: Place, asked: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify([place.at, place.from, markOf(asked)])).toString('base64url');
}

/** Decodes a cursor; the start if there is none. */
export function readCursor(cursor: string | undefined, asked: Readonly<Record<string, unknown>>): Place {
  if (cursor === undefined) return { at: 0, from: 0 };
  const [at, from] = parsed(cursor, asked).map(Number);
  if (at === undefined || from === undefined || !Number.isSafeInteger(at) || !Number.isSafeInteger(from))
    throw foreign();
  if (at < 0 || from < 0) throw foreign();
  return { at, from };
}

function parsed(cursor: string, asked: Readonly<Record<string, unknown>>): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw foreign();
  }
  if (!Array.isArray(value) || value.length !== 3 || value[2] !== markOf(asked)) throw foreign();
  return value.slice(0, 2);
}

function foreign(): AppError {
  return new AppError('USAGE_CURSOR', 'the cursor does not belong to this query', {
    hint: 'repeat the same query with its next_cursor, or without a cursor',
  });
}

/** Where a list of works continues: the corpus, and the cursor of its list. */
export interface ListPlace {
  readonly run: number;
  readonly cursor: string | undefined;
}

/** Same as `writeCursor`, for lists that have their own cursors. */
export function writeListCursor(place: ListPlace, asked: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify([place.run, place.cursor ?? null, markOf(asked)])).toString('base64url');
}

export function readListCursor(cursor: string | undefined, asked: Readonly<Record<string, unknown>>): ListPlace {
  if (cursor === undefined) return { run: 0, cursor: undefined };
  const [run, behind] = parsed(cursor, asked);
  if (Number.isSafeInteger(run) && (behind === null || typeof behind === 'string'))
    return { run: run as number, cursor: behind ?? undefined };
  throw foreign();
}

/** A hash of the query, without cursor and limits. */
function markOf(asked: Readonly<Record<string, unknown>>): string {
  const { cursor: _cursor, max_tokens: _most, ...question } = asked;
  return sha256(canonicalJson(question)).slice(0, MARK_LENGTH);
}
