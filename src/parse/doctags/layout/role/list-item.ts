import type { Draft } from '../draft.ts';
import { textOf } from '../output/draft-text.ts';
import type { ListMarker } from './list.ts';
import { isUsualSign, listMarker } from './list.ts';

interface Candidate {
  readonly draft: Draft;
  readonly marker: ListMarker;
  readonly index: number;
}

/** Marks list items: bullets, and numbers that count on from one item to the next. */
export function markListItems(drafts: readonly Draft[], bodySize: number): void {
  const candidates = drafts.flatMap((draft, index): Candidate[] => {
    const [first] = draft.lines;
    const marker = first && draft.kind === 'text' ? listMarker(first) : undefined;
    // A numbered line in larger type heads what follows.
    if (!first || !marker || (marker.ordered && draft.lines.length === 1 && first.size > 1.05 * bodySize)) return [];
    return [{ draft, marker, index }];
  });
  candidates.forEach((candidate, at) => {
    const { draft, marker } = candidate;
    // A nested list may be between two items.
    const inSequence =
      candidates.slice(Math.max(0, at - 6), at).some((before) => isNext(before, candidate, drafts)) ||
      candidates.slice(at + 1, at + 7).some((after) => isNext(candidate, after, drafts));
    if ((marker.ordered || isUsualSign(marker.marker)) && !inSequence) return;
    draft.kind = 'list_item';
    draft.marker = marker.marker;
    draft.ordered = marker.ordered;
    draft.depth = 0;
  });
  setDepths(drafts);
}

/** The next item: its marker counts on, and nothing that is further left comes between. */
function isNext(a: Candidate, b: Candidate, drafts: readonly Draft[]): boolean {
  if (!follows(a.marker, b.marker)) return false;
  const edge = indentOf(a.draft);
  return drafts.slice(a.index + 1, b.index).every((draft) => {
    if (draft.kind === 'heading' || draft.kind === 'title') return false;
    return draft.kind !== 'text' || !a.marker.ordered || indentOf(draft) > edge + 2;
  });
}

function indentOf(draft: Draft): number {
  const [first] = draft.lines;
  return first ? first.left - first.column.left : 0;
}

/** Whether a marker comes next after another: the next number or letter, or the same bullet. */
export function follows(a: ListMarker, b: ListMarker): boolean {
  if (a.ordered !== b.ordered) return false;
  if (!a.ordered) return a.marker === b.marker;
  const value = (marker: string): number => {
    const bare = marker.replace(/[^\p{L}\p{N}]/gu, '');
    if (/^\d+$/.test(bare)) return Number(bare);
    const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'].indexOf(bare.toLowerCase());
    return bare.length > 1 && roman >= 0 ? 1000 + roman : (bare.toLowerCase().codePointAt(0) ?? 0) + 2000;
  };
  const shape = (marker: string): string => marker.replace(/[\p{L}\p{N}]+/gu, '');
  const step = value(b.marker) - value(a.marker);
  // "i" is a letter between h and j, and a roman one.
  const roman = /^\W*i\W*$/.test(a.marker) && /^\W*ii\W*$/.test(b.marker);
  return shape(a.marker) === shape(b.marker) && (step === 1 || roman);
}

/** Items further right than the items above them are nested. */
function setDepths(drafts: readonly Draft[]): void {
  let stack: number[] = [];
  for (const draft of drafts) {
    if (draft.kind !== 'list_item') {
      if (draft.kind === 'heading' || (draft.kind === 'text' && textOf(draft).length > 0)) stack = [];
      continue;
    }
    const left = (draft.lines[0]?.left ?? 0) - (draft.lines[0]?.column.left ?? 0);
    while (stack.length > 0 && left < (stack.at(-1) ?? 0) - 4) stack.pop();
    if (stack.length === 0 || left > (stack.at(-1) ?? 0) + 4) stack.push(left);
    draft.depth = stack.length - 1;
  }
}
