import type { Draft } from '../draft.ts';
import { draftOf, textOf } from '../draft.ts';
import type { Line } from '../page/segment.ts';
import { linePart } from '../page/segment.ts';

interface Candidate {
  readonly draft: Draft;
  readonly marker: ListMarker;
  readonly index: number;
}

/** Marks list items: bullets, and numbers that count on from one item to the next. */
export function markListItems(drafts: readonly Draft[]): void {
  const candidates = drafts.flatMap((draft, index): Candidate[] => {
    const [first] = draft.lines;
    const marker = first && draft.kind === 'text' ? listMarker(first) : undefined;
    return marker ? [{ draft, marker, index }] : [];
  });
  candidates.forEach((candidate, at) => {
    const { draft, marker } = candidate;
    // A nested list may be between two items.
    const inSequence =
      candidates.slice(Math.max(0, at - 6), at).some((before) => isNext(before, candidate, drafts)) ||
      candidates.slice(at + 1, at + 7).some((after) => isNext(candidate, after, drafts));
    if ((marker.ordered || USUAL_SIGN.test(marker.marker)) && !inSequence) return;
    draft.kind = 'list_item';
    draft.marker = marker.marker;
    draft.ordered = marker.ordered;
    draft.depth = 0;
  });
  setDepths(drafts);
}

/** The next item: its marker counts on, and nothing that is further left comes between. */
function isNext(a: Candidate, b: Candidate, drafts: readonly Draft[]): boolean {
  if (!follows(a.marker, b.marker)) return false;
  const edge = indentOf(a.draft);
  return drafts.slice(a.index + 1, b.index).every((draft) => {
    if (draft.kind === 'heading') return false;
    return draft.kind !== 'text' || !a.marker.ordered || indentOf(draft) > edge + 2;
  });
}

function indentOf(draft: Draft): number {
  const [first] = draft.lines;
  return first ? first.left - first.column.left : 0;
}

function follows(a: ListMarker, b: ListMarker): boolean {
  if (a.ordered !== b.ordered) return false;
  if (!a.ordered) return a.marker === b.marker;
  const value = (marker: string): number => {
    const bare = marker.replace(/[^\p{L}\p{N}]/gu, '');
    if (/^\d+$/.test(bare)) return Number(bare);
    const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'].indexOf(bare.toLowerCase());
    return bare.length > 1 && roman >= 0 ? 1000 + roman : (bare.toLowerCase().codePointAt(0) ?? 0) + 2000;
  };
  const shape = (marker: string): string => marker.replace(/[\p{L}\p{N}]+/gu, '');
  const step = value(b.marker) - value(a.marker);
  // "i" is a letter between h and j, and a roman one.
  const roman = /^\W*i\W*$/.test(a.marker) && /^\W*ii\W*$/.test(b.marker);
  return shape(a.marker) === shape(b.marker) && (step === 1 || roman);
}

/** Items further right than the items above them are nested. */
function setDepths(drafts: readonly Draft[]): void {
  let stack: number[] = [];
  for (const draft of drafts) {
    if (draft.kind !== 'list_item') {
      if (draft.kind === 'heading' || (draft.kind === 'text' && textOf(draft).length > 0)) stack = [];
      continue;
    }
    const left = (draft.lines[0]?.left ?? 0) - (draft.lines[0]?.column.left ?? 0);
    while (stack.length > 0 && left < (stack.at(-1) ?? 0) - 4) stack.pop();
    if (stack.length === 0 || left > (stack.at(-1) ?? 0) + 4) stack.push(left);
    draft.depth = stack.length - 1;
  }
}

const BULLET = /^(?<marker>[•●○◦⦁⚫⚪◉◎▪▫■□◾◽◼◻❑❒❏☐☑‣⁃∙·➢➣➤➔➜➥►▶▷▻▸▹◆◇◊♦❖✓✔✗✘★☆✦✧✱→⇒»*–—-])\k<marker>?(?=\s|\p{L})/u;
/** Signs that also are in sentences: they begin an item only with a space after them and others like it. */
const USUAL_SIGN = /[→⇒»*–—·-]/u;
const NUMBER = /^(?<marker>\(?(?:\d{1,3}|[a-z]|[ivx]{1,5}|[A-Z])[.)]|\[\d{1,3}\])(?=\s)/u;

const INLINE_NUMBER = /(?<=\S )\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)](?=\s)/gu;

export interface ListMarker {
  readonly marker: string;
  readonly ordered: boolean;
}

export function listMarker(line: Line): ListMarker | undefined {
  // Most lines begin with a word: a letter and another letter.
  if (/^\p{L}\p{L}\p{L}/u.test(line.text) && !/^[ivx]{1,5}[.)]/u.test(line.text)) return undefined;
  // Some files hold a bullet twice.
  const bullet = BULLET.exec(line.text)?.[0];
  if (bullet !== undefined) {
    // A dash or asterisk needs a space after it, or it is a word or an operator.
    if (USUAL_SIGN.test(bullet) && !/^\S{1,2}\s/u.test(line.text)) return undefined;
    return { marker: bullet, ordered: false };
  }
  const number = NUMBER.exec(line.text)?.groups?.marker;
  return number === undefined ? undefined : { marker: number, ordered: true };
}

/** The previous number is inside a line: a sentence that counts (1), (2), broken here by chance, is no list. */
export function countsOn(lines: readonly Line[], marker: ListMarker): boolean {
  const text = lines.map((line) => line.text).join('\n');
  return Array.from(text.matchAll(INLINE_NUMBER)).some(([number]) =>
    follows({ marker: number, ordered: true }, marker),
  );
}

/** True when a line begins where the text after the first line's marker begins: it belongs to that item. */
export function hangsUnder(first: Line, line: Line): boolean {
  const marker = listMarker(first)?.marker;
  if (marker === undefined) return false;
  let length = 0;
  for (const glyph of first.glyphs) {
    if (length >= marker.length) return Math.abs(line.left - glyph.left) < 0.35 * line.size;
    length += glyph.text.length;
  }
  return false;
}

/** Entries that make a paragraph a list of abbreviations. */
const FEWEST = 3;
const NAME = /^(?:list of )?abbreviations?(?: used)?[.:]?$/iu;
/** "MIC: minimum inhibitory concentration", "CI, confidence interval", "AE = adverse event". */
const ENTRY = /^(?:and )?\S{1,24}(?: \S{1,12}){0,2}?(?:\s?[:=,–—-]|\s)\s?\S/u;

/**
 * Cuts paragraphs under "Abbreviations", or behind that word, into their entries: they are lists set as running text.
 */
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
