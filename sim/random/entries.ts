/** A list that is written as text, with semicolons between its entries. */
export function entries(text: string): readonly string[] {
  return text.split(';').map((entry) => entry.trim());
}
