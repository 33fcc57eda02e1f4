import type { Segment } from './segment.ts';

const PAGE_NUMBER =
  /^\P{L}{0,3}(?:page\s*|p\.\s*|s\.\s*)?(\d{1,4}|[ivxl]{1,7})(?:\s*(?:of|\/|von|de)\s*\d{1,4})?\P{L}{0,3}$/iu;

/** The number that a line at the edge of a page gives it: "12", "xiv", "Page 3 of 9". */
export function pageNumber(text: string): number | undefined {
  const digits = PAGE_NUMBER.exec(text)?.[1];
  if (digits === undefined) return undefined;
  return /^\d/.test(digits) ? Number(digits) : romanValue(digits.toLowerCase());
}

/** The number of an entry of a list stands right before its text, and lines below go on at the text's edge. */
export function labelsEntry(number: Segment, segments: readonly Segment[]): boolean {
  const text = segments.find(
    (other) =>
      other.left > number.right &&
      other.left - number.right < 3 * number.size &&
      Math.abs(other.baseline - number.baseline) < 0.3 * number.size &&
      Math.abs(other.size - number.size) < 0.1 * number.size,
  );
  return (
    text !== undefined &&
    segments.some(
      (other) =>
        Math.abs(other.left - text.left) < 0.5 * number.size &&
        other.baseline - text.baseline > 2 &&
        other.baseline - text.baseline < 1.6 * number.size,
    )
  );
}

function romanValue(text: string): number {
  const values: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50 };
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) {
    const value = values[text[index] ?? ''] ?? 0;
    sum += value < (values[text[index + 1] ?? ''] ?? 0) ? -value : value;
  }
  return sum;
}
