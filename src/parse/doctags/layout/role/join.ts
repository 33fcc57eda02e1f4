import type { Draft } from '../draft.ts';
import { unionBox } from '../page/box.ts';
import { startsWithMark } from './footnote.ts';
import { isKeywords } from './heading-number.ts';
import { fitsMore } from './paragraph.ts';

/** Joins paragraphs and list items that a column or page break has cut in two. */
export function joinAcrossBreaks(drafts: readonly Draft[], indented: boolean): Draft[] {
  const result: Draft[] = [];
  let last: Draft | undefined;
  // A paragraph that stopped inside a sentence, with small print at the page's foot behind it: it may continue behind that.
  let waiting: Draft | undefined;
  for (const draft of drafts) {
    if (draft.kind === 'text' || draft.kind === 'list_item') {
      const before =
        waiting && resumes(waiting, draft)
          ? waiting
          : last && last.piece !== draft.piece && goesOn(last, draft, indented)
            ? last
            : undefined;
      if (before) {
        before.lines.push(...draft.lines);
        before.box = before.page === draft.page ? unionBox([before.box, draft.box]) : before.box;
        before.piece = draft.piece;
        last = before;
        waiting = undefined;
        continue;
      }
      // What follows small print is small beside the paragraph, not beside other small print.
      const paragraph = waiting ?? last;
      waiting = paragraph && isSmallPrint(draft, paragraph) && isOpen(paragraph) ? paragraph : undefined;
      last = draft;
    } else if (
      draft.kind === 'heading' ||
      draft.kind === 'formula' ||
      draft.kind === 'title' ||
      draft.kind === 'code'
    ) {
      last = undefined;
      waiting = undefined;
    }
    result.push(draft);
  }
  return result;
}

/** Whether a draft is what a publisher puts under the text of a page: smaller, or with a raised mark in front. */
function isSmallPrint(draft: Draft, before: Draft): boolean {
  const [first] = draft.lines;
  const end = before.lines.at(-1);
  if (!first || !end || draft.page !== before.lines.at(-1)?.page || first.top < end.top) return false;
  return first.size < 0.94 * end.size || startsWithMark(first);
}

function isOpen(draft: Draft): boolean {
  return draft.kind === 'text' && /[\p{L},]$/u.test(draft.lines.at(-1)?.text ?? '');
}

/** Whether a paragraph of the next page or column continues inside the sentence at which another stopped. */
function resumes(waiting: Draft, after: Draft): boolean {
  const end = waiting.lines.at(-1);
  const [start] = after.lines;
  return (
    end !== undefined &&
    start !== undefined &&
    after.kind === 'text' &&
    after.piece !== waiting.piece &&
    Math.abs(end.size - start.size) <= 0.06 * end.size &&
    /^\p{Ll}{2}/u.test(start.text)
  );
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
    // What continues is at the item's indent with all its lines; a paragraph only begins with an indent.
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
