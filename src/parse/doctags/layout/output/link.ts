import type { Jump, Link } from '../../../document.ts';
import type { Draft } from '../draft.ts';
import type { Glyph, PageJump, PageLink } from '../page/page-content.ts';
import { glyphsText } from '../text/segment-text.ts';

/** The links that lie on a draft's lines, by offsets into its text. */
export function linksIn(draft: Draft, text: string, byPage: ReadonlyMap<number, readonly PageLink[]>): Link[] {
  const links: Link[] = [];
  let from = 0;
  for (const line of draft.lines) {
    for (const link of byPage.get(line.page) ?? []) {
      const covered = coveredBy(link, line);
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

/** What is before a link on its line tells which of several equal texts is meant: a digit alone says nothing. */
const CONTEXTS = [24, 10, 4];

/** The links to other pages that lie on a draft's lines, by offsets into its text; one that continues in the next line is one. */
export function jumpsIn(draft: Draft, text: string, byPage: ReadonlyMap<number, readonly PageJump[]>): Jump[] {
  const jumps: Jump[] = [];
  let [from, open] = [0, undefined as Jump | undefined];
  for (const line of draft.lines) {
    const onLine = (byPage.get(line.page) ?? [])
      .map((jump) => ({ jump, covered: coveredBy(jump, line) }))
      .filter(({ covered }) => covered.length > 0)
      .toSorted((a, b) => a.jump.box.left - b.jump.box.left);
    let next: Jump | undefined;
    for (const { jump, covered } of onLine) {
      const first = line.glyphs.indexOf(covered[0] as Glyph);
      const prefix = glyphsText(line.glyphs.slice(0, first), line.size, line.baseline);
      const shown = glyphsText(covered, line.size, line.baseline).trim();
      const start = placeIn(text, prefix, shown, from);
      if (start === undefined) continue;
      from = start;
      const found = { start, end: start + shown.length, page: jump.page };
      const goesOn =
        open !== undefined && first === 0 && open.page === jump.page && /^\s?$/u.test(text.slice(open.end, start));
      if (goesOn && open) jumps.splice(jumps.indexOf(open), 1, { ...found, start: open.start });
      else jumps.push(found);
      if (covered.at(-1) === line.glyphs.at(-1)) next = jumps.at(-1);
    }
    open = next;
  }
  return jumps;
}

/** Where a text is behind what is printed before it on its line. */
export function placeIn(text: string, prefix: string, shown: string, from: number): number | undefined {
  for (const length of CONTEXTS) {
    const before = prefix.slice(-length);
    for (const joint of prefix === '' ? [''] : ['', ' ']) {
      const at = text.indexOf(`${before.trimEnd()}${joint}${shown}`, Math.max(0, from - length));
      if (at >= 0) return at + before.trimEnd().length + joint.length;
    }
  }
  return undefined;
}

/** The glyphs of a line that lie under a link. */
function coveredBy({ box }: Pick<PageJump, 'box'>, line: Draft['lines'][number]): Glyph[] {
  const middle = (box.top + box.bottom) / 2;
  if (middle < line.top || middle > line.bottom) return [];
  return line.glyphs.filter((glyph) => {
    const x = (glyph.left + glyph.right) / 2;
    return x >= box.left - 0.5 && x <= box.right + 0.5;
  });
}
