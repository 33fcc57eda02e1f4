import type { Draft } from '../draft.ts';
import { textOf } from '../draft.ts';
import { headingNumber, isAbstractHeading, isCommonHeading } from './heading-number.ts';
import type { Line } from '../page/line.ts';

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
  // What a mark stands for may be said right under the names.
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

const PLACE =
  /universit|institut|department|laborator|school|college|cent(?:er|re)\b|academy|faculty|hospital|division|\binc\b|\bltd\b|gmbh|corporation|research|street|avenue|p\.o\.|abstract|received|accepted|published|draft|version|preprint|correspond|e-?mail|@|https?:|doi|conference|journal|licen[sc]e|copyright/i;
const NAME =
  /^(?:(?:\p{Lu}[\p{L}’'.-]*|de|van|von|der|den|di|da|del|la|le|el|al|bin|ter|dos|y)\s+){1,5}\p{Lu}[\p{L}’'-]+(?:\s(?:Jr\.?|Sr\.?|I{2,3}))?$/u;

/** The names among the lines under a title. */
export function findAuthors(lines: readonly string[]): string[] {
  const names: string[] = [];
  for (const line of lines) {
    if (PLACE.test(line)) continue;
    const parts = line
      .replace(/[\p{N}∗*†‡§¶‖#⋆✉^_{}[\]]+/gu, ',')
      .replace(/(?:^|\s|,)(?:and|und|et|&|by)\s+/giu, ',')
      .split(/[,;·•|]/u)
      .map((part) => part.replace(/\s+/gu, ' ').trim());
    for (const part of parts) if (NAME.test(part) && part.length < 60 && !names.includes(part)) names.push(part);
  }
  return names;
}

const TYPE_WORDS =
  /^(?:research|original|review|reviews|systematic|short|brief|rapid|case|data|technical|clinical|basic|full|regular|invited|topical|mini|special|research|open|access|free|article|articles|paper|papers|report|reports|communication|communications|descriptor|letter|letters|editorial|commentary|comment|perspective|perspectives|viewpoint|opinion|protocol|study|trial|experimental|observational|method|methods|note|notes|news|guideline|guidelines|correspondence|registered|meta|analysis|science|investigation|contribution|contributions|software|resource|focus|section|feature|features|and|of|the|in|to|series|policy|practice|forum|essay|hypothesis|education|brief|book|overview|update|insight|highlights|spotlight|primer|preprint|manuscript|accepted|author|peer|reviewed|version|early|view|online|first)$/iu;

/** The kind of article or a banner ("Research Article", "OPEN ACCESS", "Study Protocol Clinical Trial"), not what it is about. */
export function isArticleType(text: string): boolean {
  const words = text.split(/[^\p{L}]+/u).filter((word) => word !== '');
  return words.length > 0 && words.length <= 6 && words.every((word) => TYPE_WORDS.test(word));
}
