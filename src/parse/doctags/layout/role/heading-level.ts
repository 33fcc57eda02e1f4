import type { Draft } from '../draft.ts';
import { textOf } from '../output/draft-text.ts';
import { headingKey } from './heading-features.ts';
import { mostFrequent } from '../text/glyph-type.ts';
import { headingNumber, isAbstractHeading } from './heading-number.ts';
import type { OutlineEntry } from '../page/page-content.ts';

/** Gives each heading its level, from its number, the outline, or the style it shares with numbered headings. */
export function setHeadingLevels(drafts: readonly Draft[], outline: readonly OutlineEntry[]): void {
  const headings = drafts.filter((draft) => draft.kind === 'heading');
  const levels = new Map(outline.map((entry) => [headingKey(entry.title), entry.level]));
  const roman = headings.some((draft) => headingNumber(textOf(draft))?.style === 'roman');
  const byStyle = new Map<string, number>();
  for (const draft of headings) {
    const level = draft.level ?? numberLevel(textOf(draft), roman);
    if (level === undefined) continue;
    draft.level = level;
    const style = styleOf(draft);
    byStyle.set(style, Math.min(level, byStyle.get(style) ?? Infinity));
  }
  const ranks = styleRanks(headings);
  for (const draft of headings) {
    if (draft.level !== undefined) continue;
    // An abstract may be headed in small type, but it is no part of another section.
    if (isAbstractHeading(textOf(draft))) {
      draft.level = Math.min(1, ...headings.map((other) => other.level ?? 1));
      continue;
    }
    draft.level =
      byStyle.get(styleOf(draft)) ?? levels.get(headingKey(textOf(draft))) ?? ranks.get(styleOf(draft)) ?? 1;
  }
  fromOne(headings);
}

/** The highest heading has level 1, whatever the tags or the outline began with. */
function fromOne(headings: readonly Draft[]): void {
  const lowest = Math.min(...headings.map((draft) => draft.level ?? 1));
  for (const draft of headings) draft.level = Math.min(6, (draft.level ?? 1) - lowest + 1);
}

function numberLevel(text: string, roman: boolean): number | undefined {
  const number = headingNumber(text);
  if (!number) return undefined;
  switch (number.style) {
    case 'letter':
      return number.depth + (roman ? 1 : 0);
    case 'arabic':
      return number.depth + (roman ? 2 : 0);
    case 'roman':
    case 'appendix':
    default:
      return 1;
  }
}

function styleOf(draft: Draft): string {
  const [line] = draft.lines;
  if (!line) return '';
  const text = line.text.replace(/[^\p{L}]/gu, '');
  return `${Math.round(line.size * 2) / 2} ${line.bold > 0.8} ${line.italic > 0.8} ${text === text.toUpperCase()}`;
}

/** Sections that stand directly under the title of a paper. */
const TOP =
  /^(?:introduction|background|(?:materials? and |patients and |subjects and )?methods?|methodology|methods and materials|results?(?: and discussion)?|discussion|conclusions?|references|acknowledge?ments?|literature cited|bibliography)$/iu;

/**
 * Without numbers: larger is higher, then capitals, then bold, then upright. The style of the sections that every paper
 * has is the highest; what is set larger is no higher.
 */
function styleRanks(headings: readonly Draft[]): Map<string, number> {
  const weights = new Map<string, number>();
  const top = new Map<string, number>();
  for (const draft of headings) {
    const [line] = draft.lines;
    if (!line) continue;
    const style = styleOf(draft);
    const text = line.text.replace(/[^\p{L}]/gu, '');
    const weight =
      Math.round(line.size * 2) * 10 +
      (text === text.toUpperCase() ? 4 : 0) +
      (line.bold > 0.8 ? 2 : 0) -
      (line.italic > 0.8 ? 1 : 0);
    weights.set(style, weight);
    const name = textOf(draft).replace(/[.:]$/u, '');
    if (TOP.test(headingNumber(name)?.rest ?? name)) top.set(style, (top.get(style) ?? 0) + 1);
  }
  const anchor = weights.get(mostFrequent(top) ?? '') ?? Infinity;
  const below = [...weights].filter(([, weight]) => weight < anchor).sort((a, b) => b[1] - a[1]);
  const first = anchor === Infinity ? 1 : 2;
  return new Map([
    ...[...weights.keys()].map((style) => [style, 1] as const),
    ...below.map(([style], index) => [style, Math.min(6, index + first)] as const),
  ]);
}
