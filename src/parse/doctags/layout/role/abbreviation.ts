import type { Draft } from '../draft.ts';
import { draftOf } from '../draft.ts';
import { textOf } from '../output/draft-text.ts';
import type { Line } from '../page/line.ts';
import { linePart } from '../page/line.ts';

/** Entries that make a paragraph a list of abbreviations. */
const FEWEST = 3;
const NAME = /^(?:list of )?abbreviations?(?: used)?[.:]?$/iu;
/** "MIC: minimum inhibitory concentration", "CI, confidence interval", "AE = adverse event". */
const ENTRY = /^(?:and )?\S{1,24}(?: \S{1,12}){0,2}?(?:\s?[:=,–—-]|\s)\s?\S/u;

/** Cuts paragraphs under "Abbreviations", or behind that word, into their entries: they are lists set as running text. */
export function splitAbbreviations(drafts: readonly Draft[]): Draft[] {
  let under = false;
  return drafts.flatMap((draft) => {
    if (draft.kind === 'heading' || draft.kind === 'title') under = NAME.test(textOf(draft));
    if (draft.kind !== 'text') return [draft];
    const label = labelLength(draft);
    if (!under && label === 0) return [draft];
    return entriesOf(draft, label) ?? [draft];
  });
}

/** Letters of the bold word "Abbreviations" that begins the paragraph itself. */
function labelLength({ lines }: Draft): number {
  const glyphs = lines[0]?.glyphs ?? [];
  const end = glyphs.findIndex(({ font }) => !font.bold);
  const label = glyphs
    .slice(0, Math.max(0, end))
    .map(({ text }) => text)
    .join('')
    .trim();
  return NAME.test(label) ? end : 0;
}

function entriesOf(draft: Draft, label: number): Draft[] | undefined {
  const entries: Line[][] = [[]];
  draft.lines.forEach((line, index) => {
    let from = index === 0 ? label : 0;
    line.glyphs.forEach(({ text }, at) => {
      if (text !== ';') return;
      entries.at(-1)?.push(...linePart(line, line.glyphs.slice(from, at)));
      entries.push([]);
      from = at + 1;
    });
    entries.at(-1)?.push(...linePart(line, line.glyphs.slice(from)));
  });
  const items = entries.filter((lines) => lines.length > 0).map((lines) => draftOf('list_item', lines, draft.piece));
  if (items.length < FEWEST || items.some((item) => !ENTRY.test(textOf(item).trim()))) return undefined;
  const [first] = draft.lines;
  const head = label === 0 || !first ? [] : linePart(first, first.glyphs.slice(0, label));
  return [...(head.length > 0 ? [draftOf('text', head, draft.piece)] : []), ...items];
}
