const PAGE_NUMBER =
  /^\P{L}{0,3}(?:page\s*|p\.\s*|s\.\s*)?(\d{1,4}|[ivxl]{1,7})(?:\s*(?:of|\/|von|de)\s*\d{1,4})?\P{L}{0,3}$/iu;

/** The number that a line at the edge of a page gives it: "12", "xiv", "Page 3 of 9". */
export function pageNumber(text: string): number | undefined {
  const digits = PAGE_NUMBER.exec(text)?.[1];
  if (digits === undefined) return undefined;
  return /^\d/.test(digits) ? Number(digits) : romanValue(digits.toLowerCase());
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
