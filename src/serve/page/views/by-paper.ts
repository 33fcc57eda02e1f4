/** Passages of each paper together, in the order of the first of each. */
export function byPaper<Passage extends { readonly document: string }>(
  passages: readonly Passage[],
): readonly (readonly Passage[])[] {
  return [...Map.groupBy(passages, ({ document }) => document).values()];
}
