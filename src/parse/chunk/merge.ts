import type { ChunkDraft, Packer } from './pack.ts';
import type { ChunkOptions } from './chunk.ts';
import type { Flow } from './flow.ts';

/**
 * Merges chunks below the least size with a neighbour of the same or a sister section, first with the next, else with
 * the one before. A chunk never reaches over a heading that is higher than its own, and a title page or a reference list
 * stays apart from what the paper says: one is no answer to a question, and would take the other along.
 */
export function mergeSmall(
  drafts: readonly ChunkDraft[],
  flow: Flow,
  packer: Packer,
  options: ChunkOptions,
): ChunkDraft[] {
  const merged: ChunkDraft[] = [];
  for (const draft of drafts) {
    const before = merged.at(-1);
    const small = before && (before.ownTokens < options.minTokens || draft.ownTokens < options.minTokens);
    const joined = small && arePeers(flow, before, draft) ? join(packer, before, draft) : undefined;
    if (joined && joined.tokens <= options.maxTokens) merged[merged.length - 1] = joined;
    else merged.push(draft);
  }
  return merged;
}

function join(packer: Packer, first: ChunkDraft, second: ChunkDraft): ChunkDraft {
  return { ...packer.draft([...first.pieces, ...second.pieces], first.repeated, first.context), end: second.end };
}

/** The second belongs to a section under the same heading as the first, or below the first. */
function arePeers(flow: Flow, first: ChunkDraft, second: ChunkDraft): boolean {
  const above = flow.sections[first.section] ?? [];
  const below = flow.sections[second.pieces[0]?.group.section ?? 0] ?? [];
  if (isTitlePage(first, above) && below.length > 0) return false;
  if (isReferenceList(first) !== isReferenceList(second)) return false;
  return below.length >= above.length && commonHeadings([above, below]).length >= above.length - 1;
}

/** The title and what is with it before the first heading: authors, where they work, dates. */
function isTitlePage({ pieces }: ChunkDraft, headings: readonly unknown[]): boolean {
  const kinds = pieces.map(({ group }) => group.kind).filter((kind) => kind !== 'heading');
  return headings.length === 0 && kinds.includes('title') && kinds.some((kind) => kind !== 'title');
}

function isReferenceList({ pieces }: ChunkDraft): boolean {
  const kinds = pieces.map(({ group }) => group.kind).filter((kind) => kind !== 'heading');
  return kinds.length > 0 && kinds.every((kind) => kind === 'reference');
}

/** The headings that all of these paths begin with. */
export function commonHeadings<T>(paths: readonly (readonly T[])[]): readonly T[] {
  const [first = [], ...rest] = paths;
  let length = 0;
  while (length < first.length && rest.every((path) => path[length] === first[length])) length += 1;
  return first.slice(0, length);
}
