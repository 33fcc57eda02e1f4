import type { Box } from '../../../document.ts';
import { overlap, unionBox } from '../page/box.ts';
import { captionStart, withoutLetterspacing } from './caption.ts';
import type { Draft } from '../draft.ts';
import type { Line } from '../page/line.ts';
import { repeatsCaption } from '../table/table-join.ts';

/** Marks captions and binds each to the nearest table or picture of its kind on the page. */
export function bindCaptions(drafts: Draft[]): Draft[] {
  joinLabels(drafts);
  const floats = drafts.filter((draft) => draft.kind === 'table' || draft.kind === 'picture');
  const taken = new Set<Draft>();
  const captions: Draft[] = [];
  for (const draft of drafts) {
    const [first] = draft.lines;
    if (!first || draft.kind !== 'text') continue;
    const kind = captionStart(first);
    if (!kind) continue;
    // The label of a table's next part repeats what is known, as a running head does.
    if (repeatsCaption(draft, captions)) {
      draft.kind = 'page_header';
      continue;
    }
    draft.kind = 'caption';
    captions.push(draft);
    takeLastLines(draft, drafts);
    const wanted = kind === 'table' ? 'table' : 'picture';
    let best: Draft | undefined;
    let bestDistance = 90;
    for (const float of floats) {
      if (float.page !== draft.page || taken.has(float)) continue;
      if (overlap(float.box.left, float.box.right, draft.box.left, draft.box.right) <= 0) continue;
      const distance = gapBetween(float.box, draft.box) + (float.kind === wanted ? 0 : 60);
      if (distance < bestDistance) {
        best = float;
        bestDistance = distance;
      }
    }
    if (!best) continue;
    taken.add(best);
    draft.owner = best;
  }
  return drafts.filter((draft) => draft.lines.length > 0 || draft.kind === 'table' || draft.kind === 'picture');
}

/** The short last lines of a caption over two columns are read with one of the columns: they are right below it, set alike. */
function takeLastLines(caption: Draft, drafts: readonly Draft[]): void {
  const last = caption.lines.at(-1);
  const rest = drafts.find(({ kind, page, piece, lines: [first] }) => {
    if (!first || !last || kind !== 'text' || page !== caption.page || piece === caption.piece) return false;
    const gap = first.top - last.bottom;
    return (
      gap > -0.4 * last.size &&
      gap < 0.35 * last.size &&
      Math.abs(first.left - last.left) < last.size &&
      Math.abs(first.size - last.size) < 0.04 * last.size &&
      first.font.name === last.font.name &&
      first.right < last.right &&
      captionStart(first) === undefined
    );
  });
  if (!rest) return;
  caption.lines = [...caption.lines, ...rest.lines];
  caption.box = unionBox(caption.lines);
  rest.lines = [];
}

/** A label alone on its line ("TABLE I") is followed by the words of the caption: right below it, or below the picture. */
function joinLabels(drafts: readonly Draft[]): void {
  drafts.forEach((draft, index) => {
    const [line, more] = draft.lines;
    if (draft.kind !== 'text' || !line || more || !isLabelAlone(line)) return;
    const picture = drafts[index + 1]?.kind === 'picture' ? drafts[index + 1] : undefined;
    const words = drafts[picture ? index + 2 : index + 1];
    const [first] = words?.lines ?? [];
    if (words?.kind !== 'text' || !first || words.page !== draft.page || captionStart(first)) return;
    const above = picture ? picture.box.bottom : draft.box.bottom;
    if (first.top - above > 2.5 * first.size || first.top < above - first.size) return;
    // A caption is not set like the running text under the label of a figure.
    if (Math.abs(first.size - line.size) > 0.25 * line.size) return;
    draft.lines = [line, ...words.lines];
    draft.box = unionBox(picture ? words.lines : draft.lines);
    words.lines = [];
  });
}

function isLabelAlone(line: Line): boolean {
  const kind = captionStart(line);
  if (kind !== 'table' && kind !== 'figure') return false;
  return /^\p{L}+\.?\s*(?:[A-Z]?\d{1,3}|[IVX]{1,5})[.:|]?$/u.test(withoutLetterspacing(line.text).trim());
}

function gapBetween(a: Box, b: Box): number {
  return Math.max(0, a.top - b.bottom, b.top - a.bottom);
}
