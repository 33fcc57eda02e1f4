import type { Contour, GlyphShape } from '../layout/text/glyph-shape.ts';
import { likeness, shapeOf } from '../layout/text/glyph-shape.ts';
import { symbolAt } from '../layout/text/symbol-font.ts';
import type { Library } from './pdfium-library.ts';

/** FPDFPathSegment_GetType. */
const LINE_TO = 0;
const MOVE_TO = 2;
/** With this size the engine gives outlines in ems. */
const EM = 100;
/** Straight pieces of a curve. */
const PIECES = 5;
/** Ornaments have longer outlines. */
const MOST_SEGMENTS = 400;

/** The outline of a glyph, given by the engine's pointer to its font and its Unicode value. */
function readOutline({ call, floats, scratch }: Library, font: number, code: number): Contour[] {
  const path = call.FPDFFont_GetGlyphPath(font, code, EM);
  const count = path === 0 ? 0 : call.FPDFGlyphPath_CountGlyphSegments(path);
  if (count <= 0 || count > MOST_SEGMENTS) return [];
  const contours: [number, number][][] = [];
  let controls: [number, number][] = [];
  for (let index = 0; index < count; index += 1) {
    const segment = call.FPDFGlyphPath_GetGlyphPathSegment(path, index);
    const type = call.FPDFPathSegment_GetType(segment);
    call.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4);
    const point: [number, number] = [floats[scratch >> 2] ?? 0, floats[(scratch >> 2) + 1] ?? 0];
    if (type === MOVE_TO) contours.push([point]);
    else if (type === LINE_TO) contours.at(-1)?.push(point);
    else controls.push(point);
    if (controls.length < 3) continue;
    const contour = contours.at(-1);
    const from = contour?.at(-1);
    if (from) contour?.push(...curve([from, ...controls]));
    controls = [];
  }
  return contours;
}

/** Points of a cubic curve after its first. */
function curve(points: readonly (readonly [number, number])[]): [number, number][] {
  return Array.from({ length: PIECES }, (_, at) => {
    const t = (at + 1) / PIECES;
    const weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3];
    const mix = (axis: 0 | 1): number =>
      weights.reduce((sum, weight, index) => sum + weight * (points[index]?.[axis] ?? 0), 0);
    return [mix(0), mix(1)];
  });
}

/** Signs that fonts without an encoding show under the names of letters and digits. */
const SIGNS = '±≤≥×−÷=≠≈∼<>+°µαβγδεζηθικλνξπρστυφχψω∆ΓΛΣΦΨΘΞΠ∂∇∞√∑∏∫∈∉∩∪⊂⊃∀∃∧∨¬→←↑↓↔⇒⇔•⋅∗′″';
/** Letters and marks that come from additional fonts of a face. */
const RARE = 'øØßæœÆŒþð†‡§¶';
const LETTERS = Array.from({ length: 94 }, (_, at) => String.fromCodePoint(33 + at)).join('');
/** Faces that every PDF reader has; letters of other faces for text look like those of one of them. */
const TEXT_FACES = ['Times-Roman', 'Times-Bold', 'Times-Italic', 'Helvetica', 'Helvetica-Bold', 'Courier'];

/** What signs and letters look like. */
export interface KnownShapes {
  readonly signs: ReadonlyMap<string, GlyphShape>;
  readonly letters: ReadonlyMap<string, readonly GlyphShape[]>;
}

const known = new WeakMap<Library, KnownShapes>();

/**
 * What signs and letters look like, drawn once per engine with its fonts; the engine needs an open document for that.
 */
export function knownShapes(library: Library, document: number): KnownShapes {
  const shapes = known.get(library) ?? readKnownShapes(library, document);
  known.set(library, shapes);
  return shapes;
}

function readKnownShapes(library: Library, document: number): KnownShapes {
  const faces = TEXT_FACES.map((face) => shapesOfFace(library, document, face, LETTERS));
  return {
    signs: new Map([
      ...shapesOfFace(library, document, 'Times-Roman', RARE),
      ...shapesOfFace(library, document, 'Symbol', SIGNS),
    ]),
    letters: new Map(
      Array.from(LETTERS, (letter) => [letter, faces.flatMap((face) => face.get(letter) ?? [])] as const),
    ),
  };
}

function shapesOfFace(library: Library, document: number, face: string, characters: string): Map<string, GlyphShape> {
  const { call } = library;
  const name = library.copyIn(new TextEncoder().encode(`${face}\0`));
  const font = call.FPDFText_LoadStandardFont(document, name);
  call.free(name);
  if (font === 0) return new Map();
  try {
    return new Map(
      Array.from(characters).flatMap((character) => {
        const shape = shapeOf(readOutline(library, font, character.codePointAt(0) ?? 0));
        return shape ? [[character, shape] as const] : [];
      }),
    );
  } finally {
    call.FPDFFont_Close(font);
  }
}

/** From this likeness on a glyph is a sign, if it is clearly less like the letter that the file names. */
const SIGN = 0.78;
const CLEARLY = 0.15;
/** Two that are as alike as this may be the same: × and x. */
const SAME = 0.03;
/** How much more alike the sign counts that Symbol has at the same code. */
const USUAL = 0.03;
/** A glyph that is less like its letter is another sign. */
const STRANGER = 0.5;

/**
 * What a glyph shows that the file names by an ASCII character: a sign, U+FFFD if it is neither that character nor a
 * known sign, or undefined if it may be the character.
 */
export function shownSign(
  library: Library,
  known: KnownShapes,
  glyph: { readonly font: number; readonly code: number },
): string | undefined {
  // Raised figures and small capitals are the same characters at another place.
  const name = String.fromCodePoint(glyph.code);
  const faces = [name, name.toUpperCase()].flatMap((each) => known.letters.get(each) ?? []);
  const shape = faces.length > 0 ? shapeOf(readOutline(library, glyph.font, glyph.code)) : undefined;
  if (!shape) return undefined;
  const own = Math.max(0, ...faces.map((face) => likeness(shape, face, 'anywhere')));
  if (own > 1 - CLEARLY) return undefined;
  const usual = symbolAt('symbol', glyph.code);
  let [best, sign] = [0, ''];
  for (const [character, template] of known.signs) {
    const common = COMMON.get(character) ?? character;
    // Δ and Λ look alike: fonts of signs are mostly numbered as Symbol is.
    const alike = likeness(shape, template, 'in place') + (common === usual ? USUAL : 0);
    if (alike > best) [best, sign] = [alike, common];
  }
  // A letter that is none of ASCII (ł) is most like another letter.
  let [letter, nearest] = [0, ''];
  for (const [character, templates] of known.letters)
    for (const template of templates) {
      const alike = likeness(shape, template, 'in place');
      if (alike > letter) [letter, nearest] = [alike, character];
    }
  if (Math.max(best, letter) >= SIGN && Math.max(best, letter) > own + CLEARLY) {
    if (best >= SIGN && best > letter - SAME) return sign;
    return /[<=>+~]/.test(nearest) ? nearest : '\ufffd';
  }
  return own < STRANGER ? '\ufffd' : undefined;
}

/** Symbol's names of letters, and the letters. */
const COMMON: ReadonlyMap<string, string> = new Map([
  ['µ', 'μ'],
  ['∆', 'Δ'],
  ['⋅', '·'],
]);
