import type { Draft } from '../draft.ts';
import type { OutlineEntry } from '../page/page-content.ts';
import type { Features, TreeModel } from '../trees.ts';
import { scoreOf } from '../trees.ts';
import model from './level-model.json' with { type: 'json' };
import { textOf } from '../draft.ts';
import { mostFrequent } from '../text/glyph-type.ts';
import { headingKey } from './heading-features.ts';
import {
  headingNumber,
  isAbstractHeading,
  isBackMatter,
  isCommonHeading,
  isReferencesHeading,
} from './heading-number.ts';

/** A heading with the features of its level. */
interface LevelCandidate {
  readonly draft: Draft;
  /** Headings of one group are siblings: set alike, with numbers of one kind, or names of one kind. */
  readonly group: string;
  readonly number: number;
  readonly features: Features;
}

/** Sections that are directly under the title of a paper. */
const TOP =
  /^(?:introduction|background|(?:materials? and |patients and |subjects and )?methods?|methodology|methods and materials|results?(?: and discussions?)?|discussions?|conclusions?|references|acknowledge?ments?|literature cited|bibliography)$/iu;

interface Look {
  readonly draft: Draft;
  readonly text: string;
  readonly name: string;
  readonly number: number;
  readonly size: number;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly capitals: boolean;
  readonly style: string;
  readonly weight: number;
  readonly isTop: boolean;
  readonly isBack: boolean;
  /** What is right before and after it in the text: a heading or something else. */
  readonly before: Look['draft'] | undefined;
  readonly after: Look['draft'] | undefined;
}

/** The headings of a document, each with the same row of figures. */
export function levelCandidates(
  drafts: readonly Draft[],
  outline: readonly OutlineEntry[],
  bodySize: number,
): LevelCandidate[] {
  const flow = drafts.filter(({ kind }) => FLOW.has(kind));
  const roman = flow.some((draft) => draft.kind === 'heading' && headingNumber(textOf(draft))?.style === 'roman');
  const looks = flow.flatMap((draft, index) =>
    draft.kind === 'heading' ? [lookOf(draft, flow[index - 1], flow[index + 1], roman)] : [],
  );
  const byStyle = Map.groupBy(looks, ({ style }) => style);
  const counts = new Map<string, number>();
  for (const { style, isTop } of looks) if (isTop) counts.set(style, (counts.get(style) ?? 0) + 1);
  const heaviest = looks.toSorted((a, b) => b.weight - a.weight)[0];
  const anchor = byStyle.get(mostFrequent(counts) ?? '')?.[0] ?? heaviest;
  const weights = [...new Set(looks.map(({ weight }) => weight))].sort((a, b) => b - a);
  const lower = weights.filter((weight) => weight < (anchor?.weight ?? Infinity));
  const levels = new Map(outline.map((entry) => [headingKey(entry.title), entry.level]));
  const outlined = looks.map(({ text }) => levels.get(headingKey(text)));
  const ranks = [...new Set(outlined)].filter((level) => level !== undefined).sort((a, b) => a - b);
  const numbered = looks.filter(({ number }) => number > 0).length / Math.max(1, looks.length);
  const lastPage = Math.max(1, ...drafts.map(({ page }) => page));
  const firstTop = looks.findIndex(({ isTop, text }) => isTop && !isAbstractHeading(text));
  let inAbstract = false;
  return looks.map((look, index) => {
    const { draft, text, name, number, size, style, weight, isTop, isBack } = look;
    const own = byStyle.get(style) ?? [];
    const share = (test: (other: Look) => boolean): number => own.filter(test).length / own.length;
    const numbers = own.flatMap((other) => (other.number > 0 ? other.number : []));
    const follows = (other: Look): boolean =>
      other.before?.kind === 'heading' && styleOf(other.before).style !== other.style;
    const precedes = (other: Look): boolean =>
      other.after?.kind === 'heading' && styleOf(other.after).style !== other.style;
    const previous = looks[index - 1];
    const [next] = look.after?.lines ?? [];
    const last = draft.lines.at(-1);
    const parsed = headingNumber(text);
    inAbstract = isAbstractHeading(name) || (inAbstract && !(isTop && style === anchor?.style));
    const features = {
      numberStyle: parsed ? { arabic: 1, roman: 2, letter: 3, appendix: 4 }[parsed.style] : 0,
      depth: parsed?.depth ?? 0,
      number,
      numbered,
      styleNumber: numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length),
      outline: ranks.indexOf(outlined[index] ?? -1) + 1,
      outlined: outlined.filter((level) => level !== undefined).length / looks.length,
      tag: draft.level ?? 0,
      ratio: size / bodySize,
      anchorRatio: anchor ? size / anchor.size : 1,
      anchorFont: flag(draft.lines[0]?.font.name === anchor?.draft.lines[0]?.font.name),
      anchorBold: Number(look.bold) - Number(anchor?.bold ?? false),
      anchorCapitals: Number(look.capitals) - Number(anchor?.capitals ?? false),
      anchorItalic: Number(look.italic) - Number(anchor?.italic ?? false),
      anchorStyle: flag(style === anchor?.style),
      rank: weights.indexOf(weight),
      below: lower.indexOf(weight) + 1,
      styles: byStyle.size,
      styleCount: Math.min(30, own.length),
      styleTop: share((other) => other.isTop),
      styleBack: share((other) => other.isBack),
      top: flag(isTop),
      common: flag(isCommonHeading(name)),
      back: flag(isBack),
      references: flag(isReferencesHeading(name)),
      bold: flag(look.bold),
      capitals: flag(look.capitals),
      afterHeading: flag(look.before?.kind === 'heading'),
      afterTop: flag(look.before?.kind === 'heading' && previous?.isTop === true),
      beforeHeading: flag(look.after?.kind === 'heading'),
      styleAfter: share(follows),
      styleBefore: share(precedes),
      runIn: flag(
        next !== undefined &&
          last !== undefined &&
          next.page === last.page &&
          Math.abs(next.baseline - last.baseline) < 1,
      ),
      stop: flag(/[.:]$/u.test(text)),
      words: Math.min(20, text.split(/\s+/u).length),
      pageShare: draft.page / lastPage,
      beforeTop: flag(index < firstTop),
      inAbstract: flag(inAbstract),
      previousRatio: previous ? previous.size / size : 0,
      previousStyle: flag(previous?.style === style),
    };
    const kind = isTop ? 'top' : isBack ? 'back' : isAbstractHeading(name) ? 'abstract' : '';
    return { draft, group: `${style} ${number} ${kind}`, number, features };
  });
}

const FLOW: ReadonlySet<Draft['kind']> = new Set<Draft['kind']>([
  'heading',
  'text',
  'list_item',
  'formula',
  'code',
  'reference',
]);

function flag(value: boolean): number {
  return value ? 1 : 0;
}

function lookOf(draft: Draft, before: Draft | undefined, after: Draft | undefined, roman: boolean): Look {
  const text = textOf(draft);
  const name = (headingNumber(text)?.rest ?? text).replace(/(?<![\s.:])[\s.:]+$/u, '');
  return {
    ...styleOf(draft),
    draft,
    text,
    name,
    number: numberLevel(text, roman),
    isTop: TOP.test(name),
    isBack: isBackMatter(name),
    before,
    after,
  };
}

/** How a heading is set: larger is higher, then capitals, then bold, then upright. */
function styleOf({ lines: [line] }: Draft): Pick<Look, 'size' | 'bold' | 'italic' | 'capitals' | 'style' | 'weight'> {
  const size = Math.round((line?.size ?? 10) * 2) / 2;
  const letters = line?.text.replace(/[^\p{L}]/gu, '') ?? '';
  const [bold, italic] = [(line?.bold ?? 0) > 0.8, (line?.italic ?? 0) > 0.8];
  const capitals = letters === letters.toUpperCase();
  return {
    size,
    bold,
    italic,
    capitals,
    style: `${size} ${bold} ${italic} ${capitals} ${line?.font.name ?? ''}`,
    weight: size * 20 + (capitals ? 4 : 0) + (bold ? 2 : 0) - (italic ? 1 : 0),
  };
}

/** The level that a heading's number says; 0 without one. */
function numberLevel(text: string, roman: boolean): number {
  const number = headingNumber(text);
  if (!number) return 0;
  if (number.style === 'letter') return number.depth + (roman ? 1 : 0);
  return number.style === 'arabic' ? number.depth + (roman ? 2 : 0) : 1;
}

/** Gives each heading its level, by a model that weighs number, style, outline, tags, name and neighbours. */
export function setHeadingLevels(drafts: readonly Draft[], outline: readonly OutlineEntry[], bodySize: number): void {
  const candidates = levelCandidates(drafts, outline, bodySize);
  const levels = levelsOf(candidates, model);
  const least = Math.min(...levels);
  // The highest heading has level 1.
  candidates.forEach(({ draft }, index) => {
    draft.level = Math.min(6, (levels[index] ?? 1) - least + 1);
  });
}

/** Levels from 1 on; siblings have one level. */
export function levelsOf(
  candidates: readonly Omit<LevelCandidate, 'draft'>[],
  { second, third }: { readonly second: TreeModel; readonly third: TreeModel },
): number[] {
  const groups = new Map(
    [...Map.groupBy(candidates, ({ group }) => group)].map(([group, own]) => {
      const mean = (model: TreeModel): number =>
        own.reduce((sum, { features }) => sum + scoreOf(model, features), 0) / own.length;
      return [group, mean(second) <= 0 ? 1 : mean(third) <= 0 ? 2 : 3];
    }),
  );
  // Deeper levels are known by their numbers alone.
  return candidates.map(({ group, number }) => Math.max(groups.get(group) ?? 1, number > 3 ? number : 0));
}
