import type { Draft } from './draft.ts';
import { headingNumber, isCommonHeading } from './heading-number.ts';
import type { Line } from './line.ts';
import { listMarker } from './list.ts';
import type { OutlineEntry } from './page-content.ts';
import { textOf } from './draft-text.ts';

/** What headings are compared with. */
export interface HeadingSetting {
  readonly size: number;
  readonly bold: boolean;
  readonly pitches: ReadonlyMap<number, number>;
  readonly outline: readonly OutlineEntry[];
}

const MAX_LETTERS = 220;

interface Look {
  readonly draft: Draft;
  readonly text: string;
  readonly ratio: number;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly capitals: boolean;
  readonly centred: boolean;
  readonly numbered: boolean;
  readonly above: number;
  readonly below: number;
  readonly style: string;
}

/** Marks the drafts that are headings, by how they are set, their numbers and the outline. */
export function markHeadings(drafts: readonly Draft[], setting: HeadingSetting): void {
  const looks = drafts.flatMap((_, index) => {
    const look = lookOf(drafts, index, setting);
    return look ? [look] : [];
  });
  const outlined = outlineMatches(looks, setting.outline);
  const certain = looks.filter((look) => outlined.has(look.draft) || isClear(look));
  const styles = new Map<string, number>();
  for (const look of certain) styles.set(look.style, (styles.get(look.style) ?? 0) + 1);
  for (const look of looks) {
    const known = (styles.get(look.style) ?? 0) >= 2;
    if (outlined.has(look.draft) || isClear(look) || (known && isLikely(look))) look.draft.kind = 'heading';
  }
}

function lookOf(drafts: readonly Draft[], index: number, setting: HeadingSetting): Look | undefined {
  const draft = drafts[index];
  const [first] = draft?.lines ?? [];
  const last = draft?.lines.at(-1);
  if (!draft || !first || !last || draft.kind !== 'text' || draft.lines.length > 5) return undefined;
  const text = textOf(draft);
  const letters = text.replace(/[^\p{L}]/gu, '');
  if (letters.length < 2 || text.length > MAX_LETTERS) return undefined;
  const numbered = headingNumber(text) !== undefined;
  if (!numbered && !/^[\p{Lu}\p{N}"“(]/u.test(text) && !/^\p{Lo}/u.test(text)) return undefined;
  const previous = drafts[index - 1];
  const next = drafts[index + 1];
  const pitch = setting.pitches.get(Math.round(setting.size * 2) / 2) ?? setting.size * 1.2;
  const axis = (first.column.left + first.column.right) / 2;
  const every = (test: (line: Line) => boolean): boolean => draft.lines.every(test);
  const bold = !setting.bold && every((line) => line.bold > 0.8);
  const capitals = letters === letters.toUpperCase() ? letters.length >= 3 : every((line) => line.font.smallCaps);
  const italic = every((line) => line.italic > 0.8);
  const centred = every((line) => Math.abs((line.left + line.right) / 2 - axis) < 0.8 * line.size && line.left > line.column.left + line.size);
  const ratio = first.size / setting.size;
  return {
    draft,
    text,
    ratio,
    bold,
    italic,
    capitals,
    centred,
    numbered,
    above: previous && previous.piece === draft.piece ? (first.baseline - previous.box.bottom) / pitch : 3,
    below: next && next.piece === draft.piece ? (next.box.top - last.baseline) / pitch : 1,
    style: `${Math.round(first.size * 2) / 2}${bold ? ' bold' : ''}${italic ? ' italic' : ''}${capitals ? ' capitals' : ''}${centred ? ' centred' : ''}`,
  };
}

function isSentence(look: Look): boolean {
  return /[.,;:!]["”)]?$/u.test(look.text) && !(look.numbered && look.text.length < 80) && !isCommonHeading(look.text);
}

function isClear(look: Look): boolean {
  const { text } = look;
  const bare = headingNumber(text)?.rest ?? text;
  const lines = look.draft.lines.length;
  if (isCommonHeading(bare) && lines === 1 && (look.bold || look.capitals || look.italic || look.ratio > 1.05 || look.centred || look.above > 1.2))
    return true;
  if (isSentence(look) || text.length > 160) return false;
  const [marked] = look.draft.lines;
  if (marked && listMarker(marked)?.ordered === false) return false;
  if (look.ratio >= 1.12 && lines <= 4) return true;
  if (look.ratio < 0.93) return false;
  if (look.bold && lines <= 3) return look.ratio > 0.97 || look.numbered;
  if (look.capitals && lines <= 3) return (look.centred || look.numbered || look.above > 1.25) && text.length > 5;
  if (look.numbered && look.italic && lines <= 3) return true;
  if (look.numbered && look.centred) return true;
  return false;
}

/** Not clear alone, but set like headings that are. */
function isLikely(look: Look): boolean {
  if (isSentence(look)) return false;
  if (look.italic && look.draft.lines.length <= 2) return look.above > 1.1;
  return look.bold || look.capitals;
}

/** Drafts that the outline names, page by page. */
function outlineMatches(looks: readonly Look[], outline: readonly OutlineEntry[]): Map<Draft, OutlineEntry> {
  const result = new Map<Draft, OutlineEntry>();
  const wanted = outline.map((entry) => ({ entry, key: headingKey(entry.title) })).filter((each) => each.key.length > 2);
  for (const look of looks) {
    const key = headingKey(look.text);
    const match = wanted.find(
      (each) => each.key === key && (each.entry.page === 0 || Math.abs(each.entry.page - look.draft.page) <= 1),
    );
    if (match) result.set(look.draft, match.entry);
  }
  return result;
}

/** A heading's words without number, case and punctuation, for comparison. */
export function headingKey(text: string): string {
  return (headingNumber(text)?.rest ?? text).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
