import type { Box } from '../../../document.ts';
import { overlap, unionBox } from '../page/box.ts';
import { captionStart, withoutLetterspacing } from './caption.ts';
import type { Draft } from '../draft.ts';
import type { Line } from '../page/line.ts';
import type { Setting } from './paragraph.ts';
import { repeatsCaption } from '../table/table-join.ts';

const SUPPLEMENT = /^(?:supplementary\s|(?:fig(?:ure|\.)?|table)\s?S\d)/iu;

/** Marks captions and binds each to the nearest table or picture of its kind on the page. */
export function bindCaptions(drafts: Draft[], setting: Setting): Draft[] {
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
    takeNextLines(draft, kind, drafts, setting);
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
    if (!best) {
      // A list of the supplements, which are in other files.
      if (SUPPLEMENT.test(first.text)) draft.kind = 'text';
      continue;
    }
    taken.add(best);
    draft.owner = best;
    if (kind === 'figure') takeNotes(draft, best, drafts, setting);
  }
  return drafts.filter((draft) => draft.lines.length > 0 || draft.kind === 'table' || draft.kind === 'picture');
}

/**
 * Adds the lines that are read apart from their caption: under a label alone on its line, the short last lines of a
 * caption over two columns, and lines under a figure's caption in smaller type than the text.
 */
function takeNextLines(caption: Draft, kind: string, drafts: readonly Draft[], setting: Setting): void {
  for (;;) {
    const last = caption.lines.at(-1);
    if (!last) return;
    const pitch = setting.pitches.get(Math.round(last.size * 2) / 2) ?? 1.2 * last.size;
    const next = drafts.find((draft) => {
      const [first] = draft.lines;
      if (!first || draft.kind !== 'text' || draft.page !== caption.page) return false;
      const distance = first.baseline - last.baseline;
      if (distance <= 0 || distance > 1.15 * pitch || Math.abs(first.left - last.left) > last.size) return false;
      if (Math.abs(first.size - last.size) > 0.04 * last.size || captionStart(first)) return false;
      if (isLabelAlone(last)) return true;
      if (kind === 'figure' && first.size < 0.96 * setting.size && !NOTES.test(first.text)) return true;
      return draft.piece !== caption.piece && first.font.name === last.font.name && first.right < last.right;
    });
    if (!next) return;
    caption.lines = [...caption.lines, ...next.lines];
    caption.box = unionBox(caption.lines);
    next.lines = [];
  }
}

/** A label alone on its line ("TABLE I") may have its picture between itself and the words of the caption. */
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

/** "Abbreviations: …" under a figure whose caption is above it. */
const NOTES = /^(?:abbreviations?|notes?|sources?)\s?:/iu;

function takeNotes(caption: Draft, figure: Draft, drafts: readonly Draft[], { size }: Setting): void {
  if (caption.box.top > figure.box.top) return;
  const notes = drafts.find(({ kind, page, box, lines: [first] }) => {
    if (!first || kind !== 'text' || page !== caption.page || !NOTES.test(first.text)) return false;
    const distance = first.top - figure.box.bottom;
    return (
      first.size < 0.96 * size && distance > -first.size && distance < 4 * first.size && box.left < figure.box.right
    );
  });
  if (!notes) return;
  caption.lines = [...caption.lines, ...notes.lines];
  notes.lines = [];
}

function isLabelAlone(line: Line): boolean {
  const kind = captionStart(line);
  if (kind !== 'table' && kind !== 'figure') return false;
  return /^\p{L}+\.?\s*(?:[A-Z]?\d{1,3}|[IVX]{1,5})[.:|]?$/u.test(withoutLetterspacing(line.text).trim());
}

function gapBetween(a: Box, b: Box): number {
  return Math.max(0, a.top - b.bottom, b.top - a.bottom);
}
