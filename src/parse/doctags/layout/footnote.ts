import type { Box } from '../../document.ts';
import type { Draft } from './draft.ts';
import type { Line } from './line.ts';

const SYMBOL = /^[∗*†‡§¶‖#⋆★✉]/u;

/** True when a line begins with a raised number or a footnote symbol. */
export function startsWithMark(line: Line): boolean {
  const [first] = line.glyphs;
  if (!first) return false;
  const raised = first.size < 0.87 * line.size && line.baseline - first.baseline > 0.12 * line.size;
  if (raised && /^[\p{N}\p{Ll}∗*†‡§¶‖#]/u.test(first.text)) return true;
  return SYMBOL.test(line.text) && /\p{L}/u.test(line.text);
}

/** Marks footnotes: small text at the foot of a column that begins with a mark or stands under a short rule. */
export function markFootnotes(drafts: readonly Draft[], bodySize: number, rules: ReadonlyMap<number, readonly Box[]>): void {
  const pieces = Map.groupBy(
    drafts.filter((draft) => draft.lines.length > 0),
    (draft) => draft.piece,
  );
  for (const piece of pieces.values()) {
    let found = false;
    for (let index = piece.length - 1; index >= 0; index -= 1) {
      const draft = piece[index];
      const [first] = draft?.lines ?? [];
      if (!draft || !first) break;
      if (draft.kind !== 'text' && draft.kind !== 'list_item') break;
      const small = draft.lines.every((line) => line.size < 0.96 * bodySize);
      if (!small) break;
      const marked = startsWithMark(first);
      const ruled = (rules.get(draft.page) ?? []).some((rule) => isFootnoteRule(rule, first));
      const below = drafts.some((other) => other.page === draft.page && other.piece < draft.piece);
      if (marked || ruled) {
        for (let at = index; at < piece.length; at += 1) {
          const each = piece[at];
          if (each && (each.kind === 'text' || each.kind === 'list_item')) each.kind = 'footnote';
        }
        found = true;
        if (ruled) break;
      } else if (found || !below) {
        if (!piece.slice(0, index).some((other) => other.lines.some((line) => line.size >= 0.96 * bodySize))) break;
      }
    }
  }
}

/** The short line above footnotes: starts at the column's edge, much narrower than the column. */
function isFootnoteRule(rule: Box, line: Line): boolean {
  const width = line.column.right - line.column.left;
  const distance = line.top - rule.bottom;
  return (
    rule.right - rule.left < 0.62 * width &&
    rule.right - rule.left > 20 &&
    Math.abs(rule.left - line.column.left) < 6 &&
    distance > -4 &&
    distance < 14
  );
}
