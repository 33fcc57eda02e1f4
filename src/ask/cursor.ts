import { AppError } from '../base/index.ts';

const LONGEST = 4_000;

/** Where a list continues, as a text that its reader need not understand. */
export function encodeCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The place that a cursor names; undefined for none. */
export function decodeCursor(cursor: string | undefined, length: number): readonly (string | number)[] | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  if (cursor.length <= LONGEST) {
    try {
      const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
      const isPlace = (value: unknown): value is string | number =>
        typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
      if (Array.isArray(place) && place.length === length && place.every(isPlace)) return place;
    } catch {
      // Told below, as the same thing.
    }
  }
  throw new AppError('USAGE_CURSOR', 'the cursor does not belong to this list', {
    hint: 'pass `next` exactly as returned, or omit the cursor to start from the beginning',
  });
}
