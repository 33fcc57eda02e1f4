import type { Cell, Table, Box } from '../../../document.ts';
import { withoutLetterspacing } from '../text/glyph-text.ts';
import type { Line } from '../page/segment.ts';
import { heightOf, unionBox, overlapX, widthOf } from '../page/box.ts';
import type { Draft } from '../draft.ts';
import type { Setting } from '../page/segment.ts';

const LABEL =
  /^(?<kind>supplementary\s+(?:table|fig(?:ure|\.)?)|extended\s+data\s+(?:table|fig(?:ure|\.)?)|table|tab\.?|figure|figures|fig\.?|algorithm|listing|scheme|chart|graph|map|exhibit|diagram|plate|box|quadro|cuadro|gráfico|tableau|tabelle|tabla|tabela|tabella|tabel|таблица|таблиця|abbildung|abb\.|figura|figur|рисунок|рис\.|obrázek|rysunek)\s*(?<number>[A-Z]{0,2}[.-]?\d{1,3}(?:[.-]\d{1,3})*[A-Z]?|[IVX]{1,5}|[A-Z])(?<end>\s{0,8}[.:|│\u2013\u2014-](?=\s|$)|\s?[|│]|[.:|)\u2013\u2014-]|\s|$)/iu;

const EAST_ASIAN = /^[[(<〈【［]?\s*(표|그림|表|図|图|圖)\s*\d{1,3}(?:[-.]\d+)?\s*[\])>〉】］.:：\s]/u;

/** How the names in the pattern below begin, or the space before them. */
const LABEL_INITIAL = /^[fastрт\s]/iu;

/** What the glyphs at the start of a segment name: "Fig. 2" or "Table 3", however the letters are spaced. */
export function segmentLabel(segment: {
  readonly glyphs: readonly { readonly text: string }[];
}): FloatKind | undefined {
  // Most segments begin with a letter that no label begins with.
  if (!LABEL_INITIAL.test(segment.glyphs[0]?.text ?? '')) return undefined;
  const match =
    /^(?:(fig(?:ure|ura|\.)?|abb(?:ildung|\.)?|scheme|рис(?:унок|\.)?)|(tab(?:le|elle|leau|la|ela|ella|\.)?|таблица))s?\.?(?:[A-Z]{0,2}[.-]?\d|[IVX]{1,5}(?:[.:|]|$))/iu.exec(
      segment.glyphs
        .slice(0, 20)
        .map((glyph) => glyph.text)
        .join('')
        .replace(/\s+/gu, ''),
    );
  if (!match) return undefined;
  return match[1] === undefined ? 'table' : 'figure';
}

/** The only figure or table of a paper has no number: "Figure. Trial profile"; photographs hardly ever have one. */
const WITHOUT_NUMBER =
  /^(?:(table|tabla|tabela|tabelle)|figure|fig|figura|abbildung|photo(?:graph)?|image)(?:\.|:)\s+[\p{L}“"]/iu;

/** So it may be alone on its line, in bold: the words of the caption are below it. */
const NAME_ALONE = /^(?:(table|tabla|tabela|tabelle)|figure|figura|abbildung)$/iu;

type FloatKind = 'table' | 'figure' | 'other';

export function captionStart(line: Line): FloatKind | undefined {
  const text = withoutLetterspacing(line.text);
  const eastAsian = EAST_ASIAN.exec(text)?.[1];
  if (eastAsian !== undefined) return /[표表]/u.test(eastAsian) ? 'table' : 'figure';
  const match = LABEL.exec(text);
  const { kind = '', number = '', end = '' } = match?.groups ?? {};
  // "Figure." holds "Figur" and the letter "e": letters that count are capitals.
  if (!match || /\p{Ll}/u.test(number)) {
    const plain = /^\p{Lu}/u.test(text)
      ? (WITHOUT_NUMBER.exec(text) ?? (line.bold > 0.9 ? NAME_ALONE.exec(text) : null))
      : null;
    return plain ? (plain[1] === undefined ? 'figure' : 'table') : undefined;
  }
  const [letter = ''] = text;
  if (letter !== letter.toUpperCase()) return undefined;
  // "Table 1 shows …" is a sentence; a caption has a mark after its number, or begins a sentence.
  const rest = text.slice(match[0].length).trim();
  const labelled = /[.:|│)\u2013\u2014-]/u.test(end);
  // A journal may print its mentions of figures in bold as well: only a capital marks a caption then.
  if ((/^\p{Ll}/u.test(rest) || (!labelled && !isBoldLabel(line))) && SAYS.test(rest)) return undefined;
  if (!labelled && !/^[\p{Lu}\p{N}(“"]/u.test(rest) && rest !== '') return undefined;
  if (end === ')') return undefined;
  if (/tab|табл|[qc]uadro/iu.test(kind)) return 'table';
  return /fig|abb|рис|obr|rys|scheme|chart|graph|gráf|map|diagram|plate/iu.test(kind) ? 'figure' : 'other';
}

const SAYS =
  /^(?:shows?|showed|illustrates?|presents?|depicts?|displays?|summari[sz]es?|compares?|gives?|lists?|reports?|demonstrates?|represents?|plots?|provides?|contains?|describes?|indicates?|reveals?|outlines?|details?|explains?|suggests?|confirms?|highlights?|includes?|and|or|is|are|was|were|has|have|can|in|of|for|to|we|that|which|with|as|below|above)\b/iu;

/** The label is bold, and what follows it is not. */
export function isBoldLabel(line: Line): boolean {
  return line.bold < 0.9 && line.glyphs.slice(0, 4).every((glyph) => glyph.font.bold);
}

const SUPPLEMENT = /^(?:supplementary\s|(?:fig(?:ure|\.)?|table)\s?S\d)/iu;

/** Marks captions and binds each to the nearest table or picture of its kind on the page. */
export function bindCaptions(drafts: Draft[], setting: Setting): Draft[] {
  joinLabels(drafts);
  const floats = drafts.filter((draft) => draft.kind === 'table' || draft.kind === 'picture');
  const taken = new Set<Draft>();
  const captions: Draft[] = [];
  for (const draft of drafts) {
    const [first] = draft.lines;
    if (!first || draft.kind !== 'text') continue;
    const kind = captionStart(first);
    if (!kind) continue;
    // The label of a table's next part repeats what is known, as a running head does.
    if (repeatsCaption(draft, captions)) {
      draft.kind = 'page_header';
      continue;
    }
    takeNextLines(draft, kind, drafts, setting);
    if (draft.lines.length === 1 && NAME_ALONE.test(first.text)) continue;
    draft.kind = 'caption';
    captions.push(draft);
    const wanted = kind === 'table' ? 'table' : 'picture';
    const distanceOf = (float: Draft): number => gapBetween(float.box, draft.box) + (float.kind === wanted ? 0 : 60);
    const [best] = floats
      .filter((float) => float.page === draft.page && !taken.has(float) && overlapX(float.box, draft.box) > 0)
      .filter((float) => distanceOf(float) < 90)
      .sort((a, b) => distanceOf(a) - distanceOf(b));
    if (!best) {
      // A list of the supplements, which are in other files.
      if (SUPPLEMENT.test(first.text)) draft.kind = 'text';
      continue;
    }
    taken.add(best);
    draft.owner = best;
    if (kind === 'figure') takeNotes(draft, best, drafts, setting);
  }
  return drafts.filter((draft) => draft.lines.length > 0 || draft.kind === 'table' || draft.kind === 'picture');
}

/** Adds lines cut off from their caption: after a lone label, last lines over two columns, small type. */
function takeNextLines(caption: Draft, kind: string, drafts: readonly Draft[], setting: Setting): void {
  for (;;) {
    const last = caption.lines.at(-1);
    if (!last) return;
    const pitch = setting.pitches.get(Math.round(last.size * 2) / 2) ?? 1.2 * last.size;
    const next = drafts.find((draft) => {
      if (draft.page !== caption.page || draft.kind !== 'text') return false;
      const [first] = draft.lines;
      if (!first) return false;
      const distance = first.baseline - last.baseline;
      if (distance <= 0 || distance > 1.15 * pitch || Math.abs(first.left - last.left) > last.size) return false;
      if (Math.abs(first.size - last.size) > 0.04 * last.size || captionStart(first)) return false;
      if (isLabelLine(last)) return !/^\p{Ll}/u.test(first.text);
      if (kind === 'figure' && first.size < 0.96 * setting.size && !NOTES.test(first.text)) return true;
      return draft.piece !== caption.piece && first.right < last.right;
    });
    if (!next) return;
    caption.lines = [...caption.lines, ...next.lines];
    caption.box = unionBox(caption.lines);
    next.lines = [];
  }
}

/** A label alone on its line ("TABLE I") may have its picture between itself and the words of the caption. */
function joinLabels(drafts: readonly Draft[]): void {
  drafts.forEach((draft, index) => {
    const [line, more] = draft.lines;
    if (draft.kind !== 'text' || !line || more || !isLabelLine(line)) return;
    const picture = drafts[index + 1]?.kind === 'picture' ? drafts[index + 1] : undefined;
    const words = drafts[picture ? index + 2 : index + 1];
    const [first] = words?.lines ?? [];
    if (words?.kind !== 'text' || !first || words.page !== draft.page || captionStart(first)) return;
    const above = picture ? picture.box.bottom : draft.box.bottom;
    if (first.top - above > 2.5 * first.size || first.top < above - first.size) return;
    // A sentence that goes on from another column has no label.
    if (/^\p{Ll}/u.test(first.text)) return;
    draft.lines = [line, ...words.lines];
    draft.box = unionBox(picture ? words.lines : draft.lines);
    words.lines = [];
  });
}

/** "Abbreviations: …" under a figure whose caption is above it. */
const NOTES = /^(?:abbreviations?|notes?|sources?)\s?:/iu;

function takeNotes(caption: Draft, figure: Draft, drafts: readonly Draft[], { size }: Setting): void {
  if (caption.box.top > figure.box.top) return;
  const notes = drafts.find(({ kind, page, box, lines: [first] }) => {
    if (!first || kind !== 'text' || page !== caption.page || !NOTES.test(first.text)) return false;
    const distance = first.top - figure.box.bottom;
    return (
      first.size < 0.96 * size && distance > -first.size && distance < 4 * first.size && box.left < figure.box.right
    );
  });
  if (!notes) return;
  caption.lines = [...caption.lines, ...notes.lines];
  notes.lines = [];
}

function isLabelLine(line: Line): boolean {
  const kind = captionStart(line);
  return (kind === 'table' || kind === 'figure') && isLabelAlone(line.text);
}

/** Nothing but the label: "Table 3", "TABLE IV". */
export function isLabelAlone(text: string): boolean {
  return (
    NAME_ALONE.test(text) || /^\p{L}+\.?\s*(?:[A-Z]?\d{1,3}|[IVX]{1,5})[.:|]?$/u.test(withoutLetterspacing(text).trim())
  );
}

function gapBetween(a: Box, b: Box): number {
  return Math.max(0, a.top - b.bottom, b.top - a.bottom);
}

/**
 * Joins a table with its continuation on the next page: its header repeats, a label says that it continues, or nothing
 * is between two tables of one shape.
 */
export function joinTables(drafts: readonly Draft[]): Draft[] {
  const result: Draft[] = [];
  let last: Draft | undefined;
  let between: Draft[] = [];
  for (const draft of drafts) {
    if (draft.kind === 'table') {
      const page = last?.regions?.at(-1)?.page ?? last?.page ?? 0;
      const isMarked = between.some(isContinuation);
      // A marked part may also be in the next column.
      const near = page === draft.page ? isMarked : page + 1 === draft.page && (isMarked || !between.some(endsTable));
      const isNext =
        page + 1 === draft.page && last !== undefined && areOfOneShape(last, draft) && between.every(isLogo);
      const joined = near ? joinTwo(last?.table, draft.table, isMarked || isNext) : undefined;
      between = [];
      if (last && joined) {
        last.table = joined;
        last.letters = sumOf(last.letters, draft.letters);
        last.regions = [
          ...(last.regions ?? [{ page: last.page, box: last.box }]),
          { page: draft.page, box: draft.box },
        ];
        continue;
      }
      last = draft;
    } else between.push(draft);
    result.push(draft);
  }
  return result;
}

/** How far, in points, the sides of two parts of a table may be apart. */
const SAME_SIDE = 3;

/** The greatest height, in points, of a logo in a running head. */
const LOGO_HEIGHT = 50;

function isLogo({ kind, box }: Draft): boolean {
  return kind === 'picture' && heightOf(box) < LOGO_HEIGHT;
}

function areOfOneShape(first: Draft, second: Draft): boolean {
  const { box } = first.regions?.at(-1) ?? first;
  return Math.abs(box.left - second.box.left) < SAME_SIDE && Math.abs(box.right - second.box.right) < SAME_SIDE;
}

function sumOf(first: Draft['letters'] = new Map(), second: Draft['letters'] = new Map()): Map<number, number> {
  const sums = new Map(first);
  for (const [page, letters] of second) sums.set(page, (sums.get(page) ?? 0) + letters);
  return sums;
}

/** Running text, or the caption of another table: what follows is a separate table. */
function endsTable({ lines }: Draft): boolean {
  const [first] = lines;
  if (!first) return false;
  if (captionStart(first) === 'table') return !isContinuation({ lines });
  return lines.length >= 3 && widthOf(first) > 20 * first.size;
}

const CONTINUED =
  /\b(?:continu(?:ed|es?|ation|ação|ación)|cont(?:[.’']d?|d)|fortsetzung|suite|продолжение)(?![\p{L}])/iu;

/** Letters of a label that says no more than that. */
const SHORT = 40;

/** Letters at its start by which a repeated caption is known. */
const REPEATED = 30;

/** "Table 2. Cont.", "Table 3 (continued)": the label of a part, not a separate caption. */
function isContinuation({ lines }: Pick<Draft, 'lines'>): boolean {
  const [first] = lines;
  return first !== undefined && captionStart(first) !== undefined && lines.some((line) => CONTINUED.test(line.text));
}

/** Such a label without the words of the caption, or with words that a caption before it had. */
function repeatsCaption({ lines }: Pick<Draft, 'lines'>, captions: readonly Draft[]): boolean {
  if (!isContinuation({ lines })) return false;
  const start = (all: readonly Line[]): string =>
    all
      .map(({ text }) => text)
      .join('')
      .replaceAll(/[^\p{L}\p{N}]/gu, '')
      .slice(0, REPEATED);
  const text = lines.reduce((sum, line) => sum + line.text.length, 0);
  return text < SHORT || captions.some((other) => start(other.lines) === start(lines));
}

function joinTwo(first: Table | undefined, second: Table | undefined, isPart: boolean): Table | undefined {
  if (!first || !second || first.columns !== second.columns) return undefined;
  const head = (table: Table): string =>
    table.cells
      .filter((cell) => cell.row === 0)
      .map((cell) => cell.text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ''))
      .join('\t');
  const repeats = head(first).trim() !== '' && head(first) === head(second);
  if (!repeats && !isPart) return undefined;
  const header = repeats
    ? Math.max(1, ...second.cells.filter((cell) => cell.kind === 'column-header').map((cell) => cell.row + 1))
    : 0;
  const moved = second.cells
    .filter((cell) => cell.row >= header)
    // A part that does not repeat the head has rows only.
    .map((cell): Cell => ({
      ...cell,
      row: cell.row - header + first.rows,
      kind: cell.kind === 'column-header' ? 'data' : cell.kind,
    }));
  return { rows: first.rows + second.rows - header, columns: first.columns, cells: [...first.cells, ...moved] };
}
