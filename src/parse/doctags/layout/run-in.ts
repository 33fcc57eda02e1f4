import type { Draft } from './draft.ts';
import { draftOf } from './draft.ts';
import { headingNumber } from './heading-number.ts';
import type { Line } from './line.ts';
import type { Glyph } from './page-content.ts';
import { segmentOf } from './segment.ts';
import { glyphsText } from './segment-text.ts';

/** Cuts numbered headings off the paragraphs they begin: "2.2.1. Agent. In terms of …", the heading in another style. */
export function splitRunInHeadings(drafts: readonly Draft[]): Draft[] {
  return drafts.flatMap((draft) => {
    const [first, ...rest] = draft.lines;
    if (draft.kind !== 'text' || !first || (headingNumber(first.text)?.depth ?? 0) < 2) return [draft];
    const at = styleEnd(first.glyphs);
    if (at === undefined) return [draft];
    const head = part(first, first.glyphs.slice(0, at));
    const tail = part(first, first.glyphs.slice(at));
    if (!head || !tail || !/\p{L}{2,}/u.test(head.text) || !/[.:]$/u.test(head.text)) return [draft];
    const heading = { ...draftOf('heading', [head], draft.piece) };
    return [heading, { ...draftOf('text', [tail, ...rest], draft.piece) }];
  });
}

/** Where the style of the first word after the number ends, if it is unlike what follows. */
function styleEnd(glyphs: readonly Glyph[]): number | undefined {
  const start = glyphs.findIndex((glyph) => /\p{L}/u.test(glyph.text));
  const style = glyphs[start]?.font;
  if (!style || (!style.bold && !style.italic && !style.smallCaps)) return undefined;
  const alike = (glyph: Glyph): boolean =>
    (glyph.font.bold === style.bold &&
      glyph.font.italic === style.italic &&
      glyph.font.smallCaps === style.smallCaps) ||
    !/[\p{L}\p{N}]/u.test(glyph.text);
  const end = glyphs.findIndex((glyph, index) => index > start && !alike(glyph));
  return end < 0 ? undefined : end;
}

function part(line: Line, glyphs: readonly Glyph[]): Line | undefined {
  const segment = segmentOf(line.page, glyphs, line.baseline);
  if (!segment) return undefined;
  return {
    ...segment,
    text: glyphsText(glyphs, line.size, line.baseline),
    column: line.column,
    segments: [segment],
  };
}
