import { AppError } from '../base/index.ts';

const LONGEST = 4_000;

/** Encodes the position at which a list continues as an opaque text. */
export function encodeCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The position that a cursor encodes; undefined if there is no cursor. */
export function decodeCursor(cursor: string | undefined, length: number): readonly (string | number)[] | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  if (cursor.length <= LONGEST) {
    try {
      const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
      const isPlace = (value: unknown): value is string | number =>
        typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
      if (Array.isArray(place) && place.length === length && place.every(isPlace)) return place;
    } catch {
      // Reported below, like other invalid cursors.
    }
  }
  throw new AppError('USAGE_CURSOR', 'the cursor does not belong to this list', {
    hint: 'pass `next` exactly as returned, or omit the cursor to start from the beginning',
  });
}
