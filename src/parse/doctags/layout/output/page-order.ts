import type { Draft } from '../draft.ts';
import { draftOf } from '../draft.ts';
import { buildLines } from '../page/line.ts';
import type { Findings } from '../pass.ts';
import { unionBox } from '../page/box.ts';
import type { TurnedLine } from '../page/stamp.ts';

/** Running heads, feet and stamps as drafts. */
export function pageAsides({
  pages,
  labels,
  text,
  furniture,
}: Pick<Findings, 'pages' | 'labels' | 'text' | 'furniture'>): Draft[] {
  // A label along the edge of every page, as journals print the kind of article.
  const repeated = new Map<string, number>();
  for (const { turned } of labels.values())
    for (const { text } of turned) repeated.set(text.trim(), (repeated.get(text.trim()) ?? 0) + 1);
  return pages.flatMap((page) => [
    ...turnedDrafts(
      page.number,
      (labels.get(page.number)?.turned ?? []).map((line) => ({
        ...line,
        isStamp: line.isStamp || (repeated.get(line.text.trim()) ?? 0) > 1,
      })),
    ),
    ...(text.get(page.number) ?? []).flatMap((segment) => {
      const kind = furniture.get(segment);
      return kind ? [draftOf(kind, buildLines([segment], segment), -1)] : [];
    }),
  ]);
}

/** Stamps are like running heads; other lines that are not upright are together after the text of their page. */
function turnedDrafts(page: number, lines: readonly TurnedLine[]): Draft[] {
  const draft = (kind: 'page_header' | 'text', own: readonly TurnedLine[]): Draft => ({
    kind,
    lines: [],
    page,
    piece: -1,
    box: unionBox(own.map(({ box }) => box)),
    text: own.map(({ text }) => text.trim()).join(' '),
  });
  const others = lines.filter(({ isStamp }) => !isStamp);
  const stamps = lines.filter(({ isStamp }) => isStamp).map((line) => draft('page_header', [line]));
  return others.length === 0 ? stamps : [...stamps, draft('text', others)];
}

/** Puts running heads before and feet after what is on their page. */
export function inPageOrder(drafts: readonly Draft[], aside: readonly Draft[]): Draft[] {
  const result: Draft[] = [];
  const heads = aside
    .filter((draft) => draft.kind === 'page_header')
    .sort((a, b) => a.page - b.page || a.box.top - b.box.top);
  const feet = aside
    .filter((draft) => draft.kind !== 'page_header')
    .sort((a, b) => a.page - b.page || a.box.top - b.box.top);
  const flush = (page: number): void => {
    while ((feet[0]?.page ?? Infinity) < page || (heads[0]?.page ?? Infinity) <= page) {
      const head = heads[0];
      const foot = feet[0];
      if (foot && foot.page < page && (!head || foot.page < head.page)) result.push(...feet.splice(0, 1));
      else if (head && head.page <= page) result.push(...heads.splice(0, 1));
      else if (foot && foot.page < page) result.push(...feet.splice(0, 1));
      else break;
    }
  };
  let page = 0;
  for (const draft of drafts) {
    if (draft.page > page) {
      page = draft.page;
      flush(page);
    }
    result.push(draft);
  }
  flush(Infinity);
  return result;
}
