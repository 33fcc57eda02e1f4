import type { Box } from '../../document.ts';
import { overlap } from './box.ts';
import { captionStart, isPartCaption } from './caption.ts';
import type { Draft } from './draft.ts';

/** Marks captions and binds each to the nearest table or picture of its kind on the page. */
export function bindCaptions(drafts: readonly Draft[]): void {
  const floats = drafts.filter((draft) => draft.kind === 'table' || draft.kind === 'picture');
  const taken = new Set<Draft>();
  for (const draft of drafts) {
    const [first] = draft.lines;
    if (!first || draft.kind !== 'text') continue;
    if (endsSentence(draft, drafts)) continue;
    const kind = captionStart(first) ?? (isPartOfFigure(draft, floats) ? 'figure' : undefined);
    if (!kind) continue;
    draft.kind = 'caption';
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
}

/** The last words of a sentence that a column's end has cut: "… is drawn in | Figure 2." */
function endsSentence(draft: Draft, drafts: readonly Draft[]): boolean {
  const [line, more] = draft.lines;
  if (!line || more || !/^\p{L}+\.?\s*\d{1,3}\.$/u.test(line.text)) return false;
  const text = drafts
    .slice(0, drafts.indexOf(draft))
    .findLast((other) => other.kind === 'text' && other.lines.length > 0);
  const last = text?.lines.at(-1);
  return last !== undefined && Math.abs(last.size - line.size) < 0.3 && /[\p{L},]$/u.test(last.text);
}

/** Labels of a figure's parts stand right under pictures. */
function isPartOfFigure(draft: Draft, floats: readonly Draft[]): boolean {
  const [first] = draft.lines;
  if (!first || draft.lines.length > 2 || !isPartCaption(first)) return false;
  return floats.some(
    (float) =>
      float.kind === 'picture' &&
      float.page === draft.page &&
      gapBetween(float.box, draft.box) < 3 * first.size &&
      overlap(float.box.left, float.box.right, draft.box.left, draft.box.right) > 0,
  );
}

function gapBetween(a: Box, b: Box): number {
  return Math.max(0, a.top - b.bottom, b.top - a.bottom);
}
