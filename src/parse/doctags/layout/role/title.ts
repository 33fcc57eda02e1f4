import { lettersOf } from '../../../../base/index.ts';
import { headingNumber } from './heading-number.ts';
import { isArticleType, isCommonHeading, isAbstractHeading } from './section-names.ts';
import type { Draft } from '../draft.ts';
import { draftOf, textOf } from '../draft.ts';
import { isWide } from '../text/script.ts';
import { namesInLine } from '../output/byline.ts';
import type { Glyph } from '../page/page-content.ts';
import type { Line } from '../page/segment.ts';
import { linePart } from '../page/segment.ts';

interface TitleSetting {
  readonly size: number;
  /** The title in the file's own information. */
  readonly information: string;
  readonly margins: ReadonlySet<number>;
  /** The texts of running heads and feet. */
  readonly furniture: readonly string[];
}

/** Finds the title on the first page: the largest text before the abstract, or what is first and centred. */
export function markTitle(drafts: Draft[], setting: TitleSetting): Draft | undefined {
  const { size: bodySize, information, margins } = setting;
  const [start] = drafts.filter((draft) => draft.lines.length > 0);
  if (!start) return undefined;
  const titleOn = (page: number): Draft | undefined => {
    const named = drafts.find(
      (draft, at) => draft.page === page && isTitleLike(draft) && linesByInformation(drafts, at, information),
    );
    if (named) return named;
    const candidates = titleCandidates(drafts, page, margins);
    const own = candidates.filter((draft) => !recurs(draft, drafts, setting.furniture));
    return byInformation(own, information) ?? byLook(own, bodySize);
  };
  const [first, second] = [titleOn(start.page), titleOn(start.page + 1)];
  const title = first && second ? withoutCover(first, second, drafts) : (first ?? second ?? titleOn(start.page + 2));
  if (!title) return undefined;
  const at = drafts.indexOf(title);
  const named = linesByInformation(drafts, at, information);
  if (named) return replaceByTitle(drafts, at, named);
  const lines = [...title.lines];
  // A long title may be cut into several drafts of the same size.
  let end = at + 1;
  for (let index = end; index < drafts.length; index += 1) {
    const next = drafts[index];
    const [line] = next?.lines ?? [];
    const last = lines.at(-1);
    if (!next || !line || !last || next.page !== title.page || next.kind === 'title') break;
    // A short last line of a title over two columns is taken for a part of one of them.
    if (next.piece !== title.piece && !(line.baseline > last.baseline && line.left < last.right)) break;
    if (
      Math.abs(line.size - last.size) > 0.3 ||
      (line.font !== last.font && !isItalicPart(line, last, bodySize)) ||
      (last.size < 1.12 * bodySize && !/^\p{Ll}/u.test(line.text))
    )
      break;
    lines.push(...next.lines);
    end = index + 1;
  }
  const nextBelow = (): number => drafts.findIndex((draft, index) => index >= end && continues(draft, lines, bodySize));
  for (let below = nextBelow(); below !== -1; below = nextBelow())
    lines.push(...(drafts.splice(below, 1)[0]?.lines ?? []));
  const subtitle = subtitleAt(drafts, end);
  if (isSubtitle(subtitle, drafts[end + subtitle.length], lines, bodySize)) {
    lines.push(...subtitle.flatMap((draft) => draft.lines));
    end += subtitle.length;
  }
  return replaceByTitle(drafts, at, { ...splitVersion(lines), end });
}

/** The lines of a title, those behind it in its last draft, and where the next draft is. */
interface TitleLines {
  readonly head: Line[];
  readonly note: Line[];
  readonly end: number;
}

function replaceByTitle(drafts: Draft[], at: number, { head, note, end }: TitleLines): Draft {
  const piece = drafts[at]?.piece ?? 0;
  const title = draftOf('title', head, piece);
  drafts.splice(at, end - at, title, ...(note.length > 0 ? [draftOf('text', note, piece)] : []));
  return title;
}

/** Fewer letters are no title. */
const LEAST_LETTERS = 8;

/** A mark of a note may be behind the last word of a title. */
const MARK_LETTERS = 2;

/** The lines from here on that make the whole title of the file's own information: they say where it ends. */
function linesByInformation(drafts: readonly Draft[], at: number, information: string): TitleLines | undefined {
  const key = lettersOf(information);
  // A title that stops at a bracket was cut.
  if (key.length < LEAST_LETTERS || /[(,:[–-]\s*$/u.test(information)) return undefined;
  const page = drafts[at]?.page;
  const head: Line[] = [];
  let text = '';
  for (let end = at; end < drafts.length; end += 1) {
    const { kind = 'picture', lines = [], page: own } = drafts[end] ?? {};
    if (kind !== 'text' || own !== page) return undefined;
    for (const [index, line] of lines.entries()) {
      head.push(line);
      text += lettersOf(line.text);
      if (text.startsWith(key) && text.length <= key.length + MARK_LETTERS)
        return { head, note: lines.slice(index + 1), end: end + 1 };
      if (!key.startsWith(text)) return undefined;
    }
  }
  return undefined;
}

/** Cuts "[version 1; peer review: …]" off, which journals with open review put behind a title. */
function splitVersion(lines: readonly Line[]): Pick<TitleLines, 'head' | 'note'> {
  for (const [at, line] of lines.entries()) {
    const isNote = ({ text }: Glyph, from: number): boolean =>
      text === '[' && /^\[v(?:ersion)?\d/u.test(lettersFrom(line.glyphs, from));
    const from = line.glyphs.findIndex(isNote);
    if (from < 0 || (at === 0 && from === 0)) continue;
    return {
      head: [...lines.slice(0, at), ...linePart(line, line.glyphs.slice(0, from))],
      note: [...linePart(line, line.glyphs.slice(from)), ...lines.slice(at + 1)],
    };
  }
  return { head: [...lines], note: [] };
}

function lettersFrom(glyphs: readonly Glyph[], from: number): string {
  return glyphs
    .slice(from, from + 10)
    .map(({ text }) => text)
    .join('');
}

/** Fewer letters may be on both pages by chance. */
const TITLE_LETTERS = 20;

/**
 * A repository may have put a cover sheet before the paper: it names the paper, but has no authors below its heading.
 */
function withoutCover(first: Draft, second: Draft, drafts: readonly Draft[]): Draft {
  const name = lettersOf(textOf(second));
  const cover = drafts.filter(({ page }) => page === first.page).map((draft) => textOf(draft));
  if (name.length < TITLE_LETTERS || !lettersOf(cover.join(' ')).includes(name)) return first;
  return hasByline(first, drafts) || !hasByline(second, drafts) ? first : second;
}

function hasByline(title: Draft, drafts: readonly Draft[]): boolean {
  const next = drafts.slice(drafts.indexOf(title) + 1).find(({ lines }) => lines.length > 0);
  return next?.page === title.page && next.lines.some(({ text }) => namesInLine(text).length > 0);
}

/** Lines of a title may be read behind other text: that of a box beside them, or of columns that the last one is above. */
function continues({ lines: [line], page, kind }: Draft, title: readonly Line[], bodySize: number): boolean {
  const last = title.at(-1);
  if (!line || !last || page !== last.page || kind !== 'text' || line.font.name !== last.font.name) return false;
  return (
    last.size >= 1.12 * bodySize &&
    Math.abs(line.size - last.size) < 0.3 &&
    line.left < last.right &&
    line.right > last.left &&
    line.baseline > last.baseline &&
    line.baseline - last.baseline < 1.6 * line.size
  );
}

/** Maximum number of words in a journal's name. */
const NAME_WORDS = 6;

/**
 * The journal's name: few words, which are before a year or a volume in a running head or in another line; before it is
 * in print, these are "xxx". Behind the names of authors it is before a year.
 */
function recurs(draft: Draft, drafts: readonly Draft[], furniture: readonly string[]): boolean {
  const keyOf = (text: string): string => lettersOf(text.replaceAll('&', ' and '));
  const name = keyOf(textOf(draft));
  if (textOf(draft).split(/\s+/u).length > NAME_WORDS || name.length < 4) return false;
  const cites = (text: string): boolean => {
    const key = keyOf(text);
    if (key.startsWith(name) && /^\D{3,80}?[\s,(]+(?:\d|x{2,4}\b)/u.test(text)) return true;
    const [, ...behind] = key.split(name);
    return behind.some((rest) => /^(?:19|20)\d\d/u.test(rest));
  };
  return (
    furniture.some(cites) ||
    drafts.some((other) => other !== draft && other.page === draft.page && cites(textOf(other)))
  );
}

/** The name of a species on a separate line: italic, but as large as the rest, and not a person's name. */
function isItalicPart(line: Line, last: Line, bodySize: number): boolean {
  return (
    line.size >= 1.12 * bodySize &&
    line.italic > 0.3 !== last.italic > 0.3 &&
    line.bold > 0.5 === last.bold > 0.5 &&
    line.baseline - last.baseline < 1.6 * line.size &&
    namesInLine(line.text).length === 0
  );
}

/** Where the title may be: what is on a page before its abstract or first section. */
function titleCandidates(drafts: readonly Draft[], page: number, margins: ReadonlySet<number>): Draft[] {
  const own = drafts.filter(
    (draft) =>
      draft.page === page && draft.lines.length > 0 && draft.kind !== 'page_footer' && !margins.has(draft.piece),
  );
  const end = own.findIndex((draft) => {
    const text = textOf(draft);
    return isCommonHeading(headingNumber(text)?.rest ?? text) || /^abstract\b/i.test(text);
  });
  const start = own[end];
  // Labels at the left ("Abstract", "Key words") are read before the title at their right.
  const front = start ? own.filter((draft, index) => index < end || draft.box.bottom < start.box.top) : own;
  return front.filter((draft) => draft.kind === 'text' && isTitleLike(draft));
}

/** What may be a subtitle: a draft, and its last line where that is over one column only. */
function subtitleAt(drafts: readonly Draft[], at: number): Draft[] {
  const [draft, next] = drafts.slice(at, at + 2);
  const [last, line] = [draft?.lines.at(-1), next?.lines[0]];
  if (!draft || !last || draft.kind !== 'text') return [];
  const isCut =
    next?.kind === 'text' &&
    next.piece !== draft.piece &&
    line?.font === last.font &&
    Math.abs(line.size - last.size) < 0.3 &&
    follows(line, last);
  return isCut ? [draft, next] : [draft];
}

function follows(line: Line, last: Line): boolean {
  const step = line.baseline - last.baseline;
  return line.page === last.page && step > 0 && step < 2 * last.size && line.left < last.right;
}

/** Large type between the title and the smaller names of the authors. */
function isSubtitle(
  drafts: readonly Draft[],
  next: Draft | undefined,
  title: readonly Line[],
  bodySize: number,
): boolean {
  const lines = drafts.flatMap((draft) => draft.lines);
  const [first] = lines;
  const last = title.at(-1);
  const after = next?.lines[0]?.size ?? 0;
  if (!first || !last || lines.length > 3 || !follows(first, last)) return false;
  if (first.size < 1.25 * bodySize || first.size < 0.6 * last.size || after > 0.85 * first.size) return false;
  const text = drafts.map((draft) => textOf(draft)).join(' ');
  // Right above a paragraph it is the first section.
  const isHeading = next !== undefined && /\p{Ll}\.$/u.test(textOf(next)) && text.split(/\s+/u).length <= 5;
  if (isHeading || isCommonHeading(headingNumber(text)?.rest ?? text)) return false;
  // Several raised marks point from names to their addresses.
  return lines.flatMap(raisedMarks).length <= 1 && namesInLine(text).length === 0;
}

function isTitleLike(draft: Draft): boolean {
  const text = textOf(draft);
  if (isArticleType(text)) return false;
  // A title is one sentence at most.
  if (text.endsWith('.') && /[\p{Ll}\p{N})]\.\s\p{Lu}\p{Ll}/u.test(text) && text.split(/\s+/).length > 12) return false;
  // An ideograph says as much as two or three letters.
  const letters = Array.from(text.replace(/[^\p{L}]/gu, '')).reduce((sum, each) => sum + (isWide(each) ? 2.5 : 1), 0);
  const number = headingNumber(text);
  if (number?.style === 'arabic' && number.depth > 1) return false;
  return letters >= 8 && text.length < 350 && draft.lines.length <= 8 && !/^(?:arxiv:|doi:|https?:)/i.test(text);
}

/** The name of the file that the pages were made from ("Dispatches.qxp"), in place of a title. */
const FILE_NAME = /\.(?:docx?|dvi|fm|indd|odt|p65|pdf|pub|qx[dp]|rtf|tex)$/iu;

function byInformation(candidates: readonly Draft[], information: string): Draft | undefined {
  const key = lettersOf(information);
  if (key.length < LEAST_LETTERS || FILE_NAME.test(information)) return undefined;
  return candidates.find((draft) => {
    const text = lettersOf(textOf(draft));
    return text.length >= LEAST_LETTERS && (key.startsWith(text.slice(0, 40)) || text.startsWith(key.slice(0, 40)));
  });
}

/** Begins with a word in small letters, as the name of a part of the journal may; symbols that do are short or mixed. */
function isSmallWord(text: string): boolean {
  return /^\p{Ll}{4,}\s/u.test(text);
}

function byLook(candidates: readonly Draft[], bodySize: number): Draft | undefined {
  const sizeOf = (draft: Draft): number => draft.lines[0]?.size ?? 0;
  const largest = Math.max(0, ...candidates.map(sizeOf));
  if (largest >= 1.12 * bodySize) {
    const big = candidates.filter((draft) => sizeOf(draft) >= largest - 0.4);
    const named = big.filter((draft) => (textOf(draft).match(/\p{L}{2,}/gu)?.length ?? 0) >= 2);
    // The journal's name may be larger than the title; then the title is what is largest below it.
    const rest = candidates.filter((draft) => !big.includes(draft) && textOf(draft).split(/\s+/).length >= 4);
    const next = rest.filter((draft) => sizeOf(draft) >= 1.2 * bodySize).toSorted((a, b) => sizeOf(b) - sizeOf(a))[0];
    return named.find((draft) => !isSmallWord(textOf(draft))) ?? next ?? named[0] ?? big[0];
  }
  // All at body size: a title in capitals or bold comes before the names.
  return candidates.find((draft) => {
    const text = textOf(draft).replace(/[^\p{L}]/gu, '');
    return text.length > 12 && (text === text.toUpperCase() || draft.lines.every((line) => line.bold > 0.8));
  });
}

/** Where the paper itself begins: at the abstract or the first section after the title; 0 when that is unknown. */
export function endOfFrontMatter(drafts: readonly Draft[]): number {
  const title = drafts.findIndex((draft) => draft.kind === 'title');
  if (title < 0) return 0;
  const page = drafts[title]?.page ?? 1;
  for (let index = title + 1; index < drafts.length; index += 1) {
    const draft = drafts[index];
    if (!draft || draft.page > page + 1) return 0;
    if (draft.lines.length === 0) continue;
    const text = textOf(draft);
    // Where there are many authors the abstract is on the next page; a section there says nothing about this one.
    if (draft.page > page) {
      if (isAbstractHeading(text) || /^abstract\b/i.test(text)) return index;
      if (isCommonHeading(headingNumber(text)?.rest ?? text)) return 0;
      continue;
    }
    const number = headingNumber(text);
    if (/^(?:abstract|summary)\b/i.test(text) || isCommonHeading(number?.rest ?? text)) return index;
    if (draft.kind === 'text' && draft.lines.length >= 5 && text.length > 350) return index;
  }
  return 0;
}

/** True for what is between the title and the beginning of the paper: names, addresses, dates. */
export function isFrontMatter(drafts: readonly Draft[], index: number, end: number): boolean {
  const draft = drafts[index];
  const start = drafts[end];
  if (!draft || !start || end === 0) return false;
  return index < end || (draft.page === start.page && draft.box.bottom < start.box.top);
}

const SYMBOLS = /^[∗*†‡§¶‖#⋆✉]/u;

/** Notes on the authors (addresses, thanks) are marked like footnotes, but belong to the names, not to the text. */
export function releaseAuthorNotes(drafts: readonly Draft[]): void {
  const end = endOfFrontMatter(drafts);
  const page = drafts.find((draft) => draft.kind === 'title')?.page;
  const front = drafts.filter((draft, index) => isFrontMatter(drafts, index, end) && draft.kind !== 'footnote');
  const marks = new Set(front.flatMap((draft) => draft.lines.flatMap(raisedMarks)));
  // Marks may be explained right under the names.
  for (const draft of front) for (const line of draft.lines) marks.delete(line.glyphs[0]?.text ?? '');
  for (const draft of drafts) {
    const [line] = draft.lines;
    if (draft.kind !== 'footnote' || !line) continue;
    const [first] = line.glyphs;
    const mark = first?.text ?? '';
    const contact = SYMBOLS.test(mark) && /\S@[^\s@]+\.\S|\baddress\b/iu.test(textOf(draft));
    if ((draft.page === page && (marks.has(mark) || SYMBOLS.test(mark))) || contact) draft.kind = 'text';
  }
}

function raisedMarks(line: Line): string[] {
  return line.glyphs
    .filter(
      (glyph) =>
        SYMBOLS.test(glyph.text) || (glyph.size < 0.9 * line.size && line.baseline - glyph.baseline > 0.15 * line.size),
    )
    .map((glyph) => glyph.text);
}
