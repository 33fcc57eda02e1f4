/** Which line stands for a block: passages share blocks, so the one that is named, if one is. */
export function entryAt(
  entries: readonly { readonly id: string; readonly blocks: readonly number[] }[],
  block: number,
  named?: string,
): number {
  const at = entries.findIndex(({ id }) => id === named);
  return at === -1 ? entries.findIndex(({ blocks }) => blocks.includes(block)) : at;
}
