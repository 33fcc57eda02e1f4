import type { Font } from '../layout/page/page-content.ts';
import type { Library } from './pdfium-library.ts';

const FIXED_PITCH = 1;
const ITALIC = 1 << 6;
const SMALL_CAPS = 1 << 17;
const FORCE_BOLD = 1 << 18;

const BOLD =
  /bold|black|heavy|semibold|demi(?!lig)|-bd|medi(?!um|eval)|^cmb|^sfb|^ecb|^lmroman.*bold|[a-z]b(?:i|it)?$|bx\d|\.bi?$/i;
const ITALIC_NAME = /ital|obli|slant|^cmti|^cmsl|^sfti|^ecti|-it\b|[a-z]-?bi$|\.b?i$/i;
const MONO = /mono|courier|typewriter|^cmtt|^sftt|^ectt|consol|menlo|inconsolata|^lmtt|fixed|code\b|-tt\b/i;
const SMALL_CAPS_NAME = /smallcaps|^cmcsc|csc\d|-sc\b|caps\d*(?:-|$)|sc\d+$/i;
const MATH =
  /^cmmi|^cmsy|^cmex|^cmbsy|^cmmib|^msam|^msbm|^eufm|^eusm|^eurm|^rsfs|^stmary|^wasy|^esint|math|symbol|^txsy|^txex|^rtxmi|^ntxmi|^mtmi|^mtsy|^mtex|^lasy|^bbm|^dsrom|^zplm|^euex|^rmtmi|^newtxmi|^txmia|^stixsize/i;

/** What the file says about a font; the name comes first, because weights and flags are often wrong. */
export function readFont(library: Library, pointer: number): Font {
  const { call } = library;
  const raw = library.readString('utf-8', (buffer, length) => call.FPDFFont_GetBaseFontName(pointer, buffer, length));
  const name = raw.replace(/^[A-Z]{6}\+/, '');
  const flags = Math.max(0, call.FPDFFont_GetFlags(pointer));
  const weight = call.FPDFFont_GetWeight(pointer);
  return describeFont(name, flags, weight);
}

/** The same from name, descriptor flags and weight. */
export function describeFont(name: string, flags: number, weight: number): Font {
  // "AdvOT0186.I+fb" is the part of "AdvOT0186.I" that holds the ligatures from U+FB00 on.
  const face = name.replace(/\+[\da-f]{2}$/iu, '');
  const math = MATH.test(name);
  return {
    name,
    bold:
      BOLD.test(face) ||
      (flags & FORCE_BOLD) !== 0 ||
      (weight >= 700 && weight <= 1000 && !/regu|roman|book/i.test(name)),
    italic: ITALIC_NAME.test(face) || (!math && (flags & ITALIC) !== 0),
    monospaced: MONO.test(name) || (flags & FIXED_PITCH) !== 0,
    smallCaps: SMALL_CAPS_NAME.test(name) || (flags & SMALL_CAPS) !== 0,
    math,
  };
}
