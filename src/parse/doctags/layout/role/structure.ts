import type { Draft } from '../draft.ts';
import type { PageContent } from '../page/page-content.ts';

/** What a tagged PDF says about a draft's text: the type of the element that holds it. */
export type TagOf = (draft: Draft) => string | undefined;

/** Reads the tags of all pages; answers undefined for drafts that are not tagged, or not with one type. */
export function readTags(pages: readonly PageContent[]): TagOf {
  const byPage = new Map<number, Map<number, string>>();
  for (const page of pages) {
    if (page.structure.length === 0) continue;
    const types = new Map<number, string>();
    // An inner element without a meaning (Span, Link) speaks for the element around it.
    const around: string[] = [];
    for (const element of page.structure) {
      const plain = /^(?:span|link|reference|quote|em|strong|sub)$/i.test(element.type);
      const type = plain ? (around[element.depth - 1] ?? element.type) : element.type;
      around.length = element.depth;
      around[element.depth] = type;
      for (const mark of element.marks) types.set(mark, type);
    }
    byPage.set(page.number, types);
  }
  if (byPage.size === 0) return () => undefined;
  return (draft) => {
    const counts = new Map<string, number>();
    let all = 0;
    for (const line of draft.lines)
      for (const glyph of line.glyphs) {
        const type = glyph.mark < 0 ? undefined : byPage.get(line.page)?.get(glyph.mark);
        if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1);
        all += 1;
      }
    for (const [type, count] of counts) if (count >= 0.8 * all) return type;
    return undefined;
  };
}

/** The level of a heading's tag: H1 to H6, H and Title, and the names that word processors give. */
export function headingTag(type: string | undefined): number | undefined {
  if (type === undefined) return undefined;
  const level = /^h(?:eading)?[\s_]?([1-6])$/i.exec(type)?.[1];
  if (level !== undefined) return Number(level);
  return /^(?:h|heading)$/i.test(type) ? 1 : undefined;
}
