import { citeText, noteMark } from '../inline.ts';
import type { Inline } from '../paper.ts';
import { setPieces } from './typeface.ts';
import type { PageVariant, FamilyName, Piece } from './typeface.ts';
import type { Style } from './style.ts';

export interface Word {
  readonly pieces: readonly Piece[];
  readonly width: number;
}

/** Drawing operations. `y` is measured from the top; text is placed on its baseline. Grey is 0 (black) to 1 (white). */
export type Op =
  | {
      readonly kind: 'text';
      readonly x: number;
      readonly y: number;
      readonly words: readonly Word[];
      readonly gap: number;
      /** Invisible text: no ink, white on white, or outside the page. */
      readonly hidden?: 'no-ink' | 'white' | 'clipped';
    }
  | {
      readonly kind: 'path';
      readonly points: readonly (readonly [number, number])[];
      readonly width: number;
      readonly grey: number;
    }
  | ({ readonly kind: 'area'; readonly grey: number } & Rectangle)
  /** `pixels` are grey values by row. */
  | ({ readonly kind: 'picture'; readonly pixels: Uint8Array; readonly columns: number } & Rectangle);

export type Rectangle = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

export function rule(x1: number, y1: number, x2: number, y2: number, width = 0.5): Op {
  const points = [
    [x1, y1],
    [x2, y2],
  ] as const;
  return { kind: 'path', points, width, grey: 0 };
}

export interface Setting {
  readonly family: FamilyName;
  readonly face: PageVariant;
  readonly size: number;
}

/** A line; `notes` are the footnotes it refers to. */
export interface Line {
  readonly words: readonly Word[];
  readonly width: number;
  readonly last: boolean;
  readonly notes: readonly number[];
}

interface Token extends Word {
  readonly notes: readonly number[];
  /** The text of the word, if it can be hyphenated. */
  readonly divisible?: string;
}

const ITALIC: Readonly<Record<PageVariant, PageVariant>> = {
  roman: 'italic',
  bold: 'boldItalic',
  italic: 'roman',
  boldItalic: 'bold',
};

/** Splits inline text into words. Adjacent pieces without a space form one word, even across fonts. */
export function setWords(inlines: readonly Inline[], setting: Setting, style: Style): Token[] {
  const tokens: Token[] = [];
  let pieces: Piece[] = [];
  let notes: number[] = [];
  let letters = '';
  const finish = (): void => {
    if (pieces.length === 0) return;
    const width = pieces.reduce((sum, piece) => sum + piece.width, 0);
    const divisible = pieces.length === 1 && style.hyphenate && notes.length === 0 ? letters : '';
    tokens.push({ pieces, width, notes, ...(divisible && { divisible }) });
    pieces = [];
    notes = [];
    letters = '';
  };
  const add = (text: string, face: PageVariant, scale = 1, rise = 0): void => {
    text.split(/[ \n]+/).forEach((part, index) => {
      if (index > 0) finish();
      if (part === '') return;
      pieces.push(...setPieces(part, setting.family, face, setting.size * scale, setting.size * rise));
      letters += part;
    });
  };
  for (const inline of inlines) {
    switch (inline.kind) {
      case 'text':
      case 'pointer':
        add(inline.text, setting.face);
        break;
      case 'italic':
        add(inline.text, ITALIC[setting.face]);
        break;
      case 'sub':
        add(inline.text, setting.face, 0.7, -0.18);
        break;
      case 'sup':
        add(inline.text, setting.face, 0.7, 0.34);
        break;
      case 'cite':
        if (style.cites === 'superscript') add(citeText(inline.references, style.cites), setting.face, 0.68, 0.36);
        else add(citeText(inline.references, style.cites), setting.face);
        break;
      case 'note':
        if (!style.notes) break;
        notes.push(inline.note);
        add(noteMark(inline.note), setting.face, 0.68, 0.36);
        break;
    }
  }
  finish();
  return tokens;
}

function spaceWidth(setting: Setting): number {
  return setPieces(' ', setting.family, setting.face, setting.size)[0]?.width ?? setting.size / 4;
}

/** Breaks words into lines greedily; `indent` shortens the first line. */
export function breakLines(tokens: readonly Token[], setting: Setting, width: number, indent = 0): Line[] {
  const space = spaceWidth(setting);
  const lines: Line[] = [];
  let words: Word[] = [];
  let notes: number[] = [];
  let used = 0;
  const room = (): number => width - (lines.length === 0 ? indent : 0);
  const finish = (last: boolean): void => {
    lines.push({ words, width: used, last, notes });
    words = [];
    notes = [];
    used = 0;
  };
  const queue = tokens.toReversed();
  for (let token = queue.pop(); token; token = queue.pop()) {
    const before = words.length > 0 ? space : 0;
    if (words.length > 0 && used + before + token.width > room()) {
      const parts = token.divisible ? divide(token, token.divisible, setting, room() - used - before) : undefined;
      if (parts) {
        words.push(parts[0]);
        used += before + parts[0].width;
        queue.push(parts[1]);
      } else {
        queue.push(token);
      }
      finish(false);
      continue;
    }
    if (words.length === 0 && token.width > room()) {
      const [head, tail] = chop(token, room());
      queue.push(tail);
      words.push(head);
      used += head.width;
      finish(false);
      continue;
    }
    words.push(token);
    notes.push(...token.notes);
    used += before + token.width;
  }
  if (words.length > 0) finish(true);
  return lines;
}

/** Splits a word longer than a line, such as a URL. */
function chop(token: Token, room: number): [Word, Token] {
  const head: Piece[] = [];
  const tail: Piece[] = [];
  let used = 0;
  for (const piece of token.pieces) {
    let fits = tail.length > 0 ? 0 : piece.text.length;
    const cut = (length: number): Piece => {
      const text = piece.text.slice(0, length);
      return { ...piece, text, width: (piece.font.shape(text).width * piece.size) / 1000 };
    };
    while (fits > 0 && used + cut(fits).width > room) fits--;
    // At least one letter, or a too narrow line would loop forever.
    if (head.length === 0 && fits === 0) fits = 1;
    if (fits > 0) {
      head.push(cut(fits));
      used += head.at(-1)?.width ?? 0;
    }
    const rest = piece.text.slice(fits);
    if (rest !== '') tail.push({ ...piece, text: rest, width: (piece.font.shape(rest).width * piece.size) / 1000 });
  }
  const width = tail.reduce((sum, piece) => sum + piece.width, 0);
  return [
    { pieces: head, width: used },
    { pieces: tail, width, notes: token.notes },
  ];
}

function divide(token: Token, letters: string, setting: Setting, room: number): [Word, Token] | undefined {
  for (const point of hyphenPoints(letters).toReversed()) {
    const face = setting.face;
    const head = setPieces(`${letters.slice(0, point)}-`, setting.family, face, setting.size);
    const width = head.reduce((sum, piece) => sum + piece.width, 0);
    if (width > room) continue;
    const tail = setPieces(letters.slice(point), setting.family, face, setting.size);
    return [
      { pieces: head, width },
      { pieces: tail, width: tail.reduce((sum, piece) => sum + piece.width, 0), notes: token.notes },
    ];
  }
  return undefined;
}

/** Draws a line: justified if the gaps stay acceptable, otherwise ragged. */
export function drawLine(
  line: Pick<Line, 'words' | 'width' | 'last'>,
  at: { readonly x: number; readonly y: number; readonly width: number },
  setting: Setting,
  align: 'justify' | 'left' | 'centre' | 'right' = 'left',
): Op {
  const space = spaceWidth(setting);
  const slack = at.width - line.width;
  let { x } = at;
  let gap = space;
  if (align === 'justify' && !line.last && line.words.length > 1) {
    const stretched = space + slack / (line.words.length - 1);
    if (stretched < space * 7) gap = stretched;
  }
  if (align === 'centre') x += slack / 2;
  if (align === 'right') x += slack;
  return { kind: 'text', x, y: at.y, words: line.words, gap };
}

/** Sets a single line that is known to fit. */
export function setLine(text: string, setting: Setting, style: Style): Line {
  const words = setWords([{ kind: 'text', text }], setting, style);
  const width = words.reduce((sum, word) => sum + word.width, 0) + spaceWidth(setting) * Math.max(0, words.length - 1);
  return { words, width, last: true, notes: [] };
}

const VOWELS = /[aeiouyäöüáéíóúàèùâêîôû]/;
// Do not split letters that spell one sound.
const TOGETHER = /^(?:ch|sh|th|ph|ck|gh|wh|qu|st|tr|pr|br|cr|dr|fr|gr|pl|bl|cl|fl|gl)$/;

/** Hyphenation points of a word: before a consonant-vowel pair, at least three letters from either end. */
function hyphenPoints(word: string): number[] {
  const letters = /^\p{Ll}+(?=[.,;:]?$)/u.exec(word)?.[0];
  if (!letters || letters.length < 7) return [];
  const points: number[] = [];
  for (let index = 3; index <= letters.length - 3; index++) {
    const before = letters.charAt(index - 1);
    const at = letters.charAt(index);
    const after = letters.charAt(index + 1);
    const isOnset = !VOWELS.test(at) && VOWELS.test(after);
    // A silent ending such as "-ned" in "remained" is not a syllable.
    if (/^.e[ds]?$/.test(letters.slice(index))) break;
    if (isOnset && VOWELS.test(letters.slice(0, index)) && !TOGETHER.test(before + at)) points.push(index);
  }
  return points;
}
