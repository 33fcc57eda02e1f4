import type { Draft } from './draft.ts';
import { unionBox } from './box.ts';
import { isKeywords } from './keywords.ts';
import { fitsMore } from './paragraph.ts';

/** Joins paragraphs and list items that a column or page break has cut in two. */
export function joinAcrossBreaks(drafts: readonly Draft[], indented: boolean): Draft[] {
  const result: Draft[] = [];
  let last: Draft | undefined;
  for (const draft of drafts) {
    if (draft.kind === 'text' || draft.kind === 'list_item') {
      if (last && last.piece !== draft.piece && goesOn(last, draft, indented)) {
        last.lines.push(...draft.lines);
        last.box = last.page === draft.page ? unionBox([last.box, draft.box]) : last.box;
        last.piece = draft.piece;
        continue;
      }
      last = draft;
    } else if (
      draft.kind === 'heading' ||
      draft.kind === 'formula' ||
      draft.kind === 'title' ||
      draft.kind === 'code'
    ) {
      last = undefined;
    }
    result.push(draft);
  }
  return result;
}

function goesOn(before: Draft, after: Draft, indented: boolean): boolean {
  const end = before.lines.at(-1);
  const [start] = after.lines;
  if (!end || !start) return false;
  if (Math.abs(end.size - start.size) > 0.06 * end.size) return false;
  if (after.kind === 'list_item' || isKeywords(start.text)) return false;
  const lower = /^[\p{Ll}(\p{N}]/u.test(start.text);
  const closed = /[.!?]["”’)\]]*\p{N}{0,3}$/u.test(end.text);
  if (/[-\u2010]$/u.test(end.text) && /^\p{Ll}/u.test(start.text)) return true;
  // The room left on the last line is measured in its own column.
  const full = !fitsMore(end, { ...start, column: end.column });
  if (before.kind === 'list_item') {
    // What goes on stands at the item's indent with all its lines; a paragraph only begins with an indent.
    const hang = start.left - start.column.left;
    const hangs = hang > 0.6 * start.size && Math.abs(end.left - end.column.left - hang) < 0.5 * start.size;
    const stays = after.lines.every((line) => line.left > line.column.left + 0.6 * line.size);
    return !closed || (hangs && stays && full);
  }
  const isIndented = start.left > start.column.left + 0.7 * start.size;
  if (!closed && /^\p{Ll}/u.test(start.text)) return true;
  if (!full) return false;
  if (isIndented && indented) return false;
  if (closed) return indented ? !isIndented : lower;
  return true;
}
