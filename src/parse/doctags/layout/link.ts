import type { Link } from '../../document.ts';
import type { Draft } from './draft.ts';
import type { PageLink } from './page-content.ts';
import { glyphsText } from './segment-text.ts';

/** The links that lie on a draft's lines, by offsets into its text. */
export function linksIn(draft: Draft, text: string, byPage: ReadonlyMap<number, readonly PageLink[]>): Link[] {
  const links: Link[] = [];
  let from = 0;
  for (const line of draft.lines) {
    for (const link of byPage.get(line.page) ?? []) {
      if (link.box.bottom < line.top || link.box.top > line.bottom) continue;
      const middle = (link.box.top + link.box.bottom) / 2;
      if (middle < line.top || middle > line.bottom) continue;
      const covered = line.glyphs.filter((glyph) => {
        const x = (glyph.left + glyph.right) / 2;
        return x >= link.box.left - 0.5 && x <= link.box.right + 0.5;
      });
      if (covered.length === 0) continue;
      const shown = glyphsText(covered, line.size, line.baseline);
      const plain = text.indexOf(shown, from);
      // At a line's end the hyphen of a broken word is gone from the text.
      const start = plain >= 0 ? plain : text.indexOf(shown.replace(/-$/u, ''), from);
      if (start < 0) continue;
      const end = Math.min(text.length, start + shown.length);
      links.push({ start, end, url: link.url });
      from = start;
    }
  }
  return links.sort((a, b) => a.start - b.start);
}
