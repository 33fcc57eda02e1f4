/** What a Type 3 font is asked to be: its size on the page, and how many of its units make a point. */
interface BitmapFont {
  readonly size: number;
  readonly unitsPerPoint: number;
}

interface BitmapLine {
  readonly text: string;
  readonly x: number;
  /** Of the baseline, from the foot of the page. */
  readonly y: number;
  readonly font: BitmapFont;
}

const WIDE = new Set('mwMW');
const NARROW = new Set('iljtf.,;:()1');
const DESCENDING = new Set('gjpqy,;');
const ALPHABET = Array.from({ length: 94 }, (_, at) => String.fromCodePoint(33 + at));

function advanceOf(character: string): number {
  if (WIDE.has(character)) return 0.78;
  return NARROW.has(character) ? 0.28 : 0.5;
}

/** Where the ink of a character begins and ends above the baseline, in ems, as in any Latin type. */
function inkOf(character: string): { readonly bottom: number; readonly top: number } {
  if ('.,'.includes(character)) return { bottom: character === ',' ? -0.14 : 0, top: 0.1 };
  const isTall = /[A-Zbdfhklit\d()]/.test(character);
  return { bottom: DESCENDING.has(character) ? -0.21 : 0, top: isTall ? 0.67 : 0.45 };
}

/**
 * A page of Letter in Type 3 fonts, as dvips and Ghostscript write TeX's bitmaps: one unit of the font is a dot of the
 * printer, so that the size in the file says nothing of the letters.
 */
export function bitmapPage(lines: readonly BitmapLine[]): Uint8Array {
  const fonts = [...new Set(lines.map(({ font }) => font))];
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const stream = (content: string): number => add(`<</Length ${content.length}>> stream\n${content}\nendstream`);
  const catalog = add('');
  const pages = add('');
  const page = add('');
  const resources = fonts.map((font, at) => `/F${at} ${addFont(font, add, stream)} 0 R`).join(' ');
  const content = lines.map(({ text, x, y, font }) => showLine(text, { x, y, font, name: `F${fonts.indexOf(font)}` }));
  const contents = stream(content.join('\n'));
  objects[catalog - 1] = `<</Type /Catalog /Pages ${pages} 0 R>>`;
  objects[pages - 1] = `<</Type /Pages /Kids [${page} 0 R] /Count 1>>`;
  objects[page - 1] =
    `<</Type /Page /Parent ${pages} 0 R /MediaBox [0 0 612 792] /Contents ${contents} 0 R` +
    ` /Resources <</Font <<${resources}>>>>>>`;
  const body = objects.map((object, at) => `${at + 1} 0 obj ${object} endobj`);
  return Buffer.from(['%PDF-1.4', ...body, `trailer <</Root ${catalog} 0 R>>`].join('\n'), 'latin1');
}

/** Words are moved to their place, without spaces: these fonts have none. */
function showLine(text: string, place: Omit<BitmapLine, 'text'> & { readonly name: string }): string {
  const { x, y, font, name } = place;
  let at = x;
  const words = text.split(' ').map((word) => {
    const left = at;
    for (const character of word) at += advanceOf(character) * font.size;
    at += 0.25 * font.size;
    return `1 0 0 1 ${left.toFixed(2)} ${y} Tm (${word.replaceAll(/[()\\]/g, String.raw`\$&`)}) Tj`;
  });
  return `BT /${name} ${1 / font.unitsPerPoint} Tf ${words.join(' ')} ET`;
}

function addFont(font: BitmapFont, add: (body: string) => number, stream: (content: string) => number): number {
  const em = font.size * font.unitsPerPoint;
  const units = (ems: number): string => (ems * em).toFixed(1);
  const glyphs = ALPHABET.map((character) => {
    const { bottom, top } = inkOf(character);
    const right = advanceOf(character) - 0.05;
    const box = [units(0.03), units(bottom), units(right), units(top)].join(' ');
    const ink = [units(0.03), units(bottom), units(right - 0.03), units(top - bottom)].join(' ');
    return stream(`${units(advanceOf(character))} 0 ${box} d1 ${ink} re f`);
  });
  const names = ALPHABET.map((_, at) => `/g${at}`);
  const map = stream(
    `begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <21> <7E> <0021> endbfrange endcmap`,
  );
  return add(
    `<</Type /Font /Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /FontBBox [0 ${units(-0.3)} ${units(1)} ${units(0.9)}]` +
      ` /FirstChar 33 /LastChar 126 /Widths [${ALPHABET.map((each) => units(advanceOf(each))).join(' ')}]` +
      ` /CharProcs <<${glyphs.map((glyph, at) => `${names[at]} ${glyph} 0 R`).join(' ')}>>` +
      ` /Encoding <</Type /Encoding /Differences [33 ${names.join(' ')}]>> /ToUnicode ${map} 0 R>>`,
  );
}
