import type { Line } from '../page/line.ts';

const LABEL =
  /^(?<kind>supplementary\s+(?:table|fig(?:ure|\.)?)|extended\s+data\s+(?:table|fig(?:ure|\.)?)|table|tab\.?|figure|figures|fig\.?|algorithm|listing|scheme|chart|graph|map|exhibit|diagram|plate|box|quadro|cuadro|gráfico|tableau|tabelle|tabla|tabela|tabella|tabel|таблица|таблиця|abbildung|abb\.|figura|figur|рисунок|рис\.|obrázek|rysunek)\s*(?<number>[A-Z]{0,2}[.-]?\d{1,3}(?:[.-]\d{1,3})*[A-Z]?|[IVX]{1,5}|[A-Z])(?<end>\s?[.:|│\u2013\u2014-](?=\s|$)|[.:|)\u2013\u2014-]|\s|$)/iu;

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

/** What a caption describes. */
type FloatKind = 'table' | 'figure' | 'other';

/** The kind of float a line begins to describe, when it begins a caption. */
export function captionStart(line: Line): FloatKind | undefined {
  const text = withoutLetterspacing(line.text);
  const eastAsian = EAST_ASIAN.exec(text)?.[1];
  if (eastAsian !== undefined) return /[표表]/u.test(eastAsian) ? 'table' : 'figure';
  const match = LABEL.exec(text);
  const { kind = '', number = '', end = '' } = match?.groups ?? {};
  // "Figure." holds "Figur" and the letter "e": letters that count are capitals.
  if (!match || /\p{Ll}/u.test(number)) {
    const plain = /^\p{Lu}/u.test(text) ? WITHOUT_NUMBER.exec(text) : null;
    return plain ? (plain[1] === undefined ? 'figure' : 'table') : undefined;
  }
  const [letter = ''] = text;
  if (letter !== letter.toUpperCase()) return undefined;
  // "Table 1 shows …" is a sentence; a caption has a mark after its number, a label set apart, or begins a sentence.
  const rest = text.slice(match[0].length).trim();
  const labelled = /[.:|│)\u2013\u2014-]/u.test(end);
  const apart = labelIsApart(line, match[0].trim().replace(/\s/g, '').length);
  // A journal may print its mentions of figures in bold as well: only a capital marks a caption then.
  if ((/^\p{Ll}/u.test(rest) || (!labelled && !isBoldLabel(line))) && SAYS.test(rest)) return undefined;
  if (!labelled && !apart && !/^[\p{Lu}\p{N}(“"]/u.test(rest) && rest !== '') return undefined;
  if (end === ')') return undefined;
  if (/tab|табл|[qc]uadro/iu.test(kind)) return 'table';
  return /fig|abb|рис|obr|rys|scheme|chart|graph|gráf|map|diagram|plate/iu.test(kind) ? 'figure' : 'other';
}

/** "Figure 6 shows …" is a sentence about the figure. */
const SAYS =
  /^(?:shows?|showed|illustrates?|presents?|depicts?|displays?|summari[sz]es?|compares?|gives?|lists?|reports?|demonstrates?|represents?|plots?|provides?|contains?|describes?|indicates?|reveals?|outlines?|details?|explains?|suggests?|confirms?|highlights?|includes?|and|or|is|are|was|were|has|have|can|in|of|for|to|we|that|which|with|as|below|above)\b/iu;

/** The label is bold, and what follows it is not. */
export function isBoldLabel(line: Line): boolean {
  return line.bold < 0.9 && line.glyphs.slice(0, 4).every((glyph) => glyph.font.bold);
}

/** "F I G U R E 1" is "FIGURE 1"; spaces may be lost between some of its letters ("TA B LE 2"). */
export function withoutLetterspacing(text: string): string {
  const spaced = /^(?:\p{L}\s){3,12}\p{L}(?=\s|\d|$)/u.exec(text)?.[0] ?? SPACED_LABEL.exec(text)?.[0];
  return spaced === undefined ? text : spaced.replace(/\s/gu, '') + text.slice(spaced.length);
}

const SPACED_LABEL = /^(?:T ?A ?B ?L ?E|F ?I ?G ?U ?R ?E|S ?C ?H ?E ?M ?E|B ?O ?X)(?=\s)/u;

/** The label is bold, small capitals or otherwise unlike the words after it. */
function labelIsApart(line: Line, length: number): boolean {
  const label = line.glyphs.slice(0, length);
  const rest = line.glyphs.slice(length);
  const [first] = label;
  if (!first || rest.length === 0) return false;
  const boldLabel =
    label.every((glyph) => glyph.font.bold) && rest.filter((glyph) => glyph.font.bold).length < 0.5 * rest.length;
  const gap = (rest[0]?.left ?? 0) - (label.at(-1)?.right ?? 0);
  // In justified lines all spaces are wide.
  const gaps = rest.slice(1).map((glyph, index) => glyph.left - (rest[index]?.right ?? glyph.left));
  const widest = Math.max(0, ...gaps.filter((each) => each < 3 * line.size));
  const capsLabel = label.every((glyph) => glyph.font.smallCaps) && !rest.every((glyph) => glyph.font.smallCaps);
  return boldLabel || capsLabel || (gap > 0.7 * line.size && gap > 1.3 * widest);
}
