import type { Matrix } from '../engines/pdfium-geometry.ts';
import { multiply } from '../engines/pdfium-geometry.ts';
import type { Area } from './clip-path.ts';
import { ClipPath, cut, mapArea, numberAt } from './clip-path.ts';
import type { FirstPage } from './first-page.ts';
import type { FontText } from './font-text.ts';
import { FontTexts } from './font-text.ts';
import type { ColourKind } from './ink.ts';
import { colourKind, isSeen } from './ink.ts';
import type { PdfDictionary, PdfValue } from './object-reader.ts';
import { ObjectReader } from './object-reader.ts';
import type { PdfObjects } from './pdf-objects.ts';

/** The operators of a page, those of its forms as often as they are drawn included; drawings beyond are left to the engine. */
const MAX_BYTES = 1_000_000;
const MAX_FORMS = 4;
const MAX_OPERANDS = 64;
/** A letter is about half as wide as its font is high: near enough to see whether a line leaves the page. */
const LETTER = 0.5;

const UPRIGHT: Matrix = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };

/** What `q` keeps and `Q` brings back. */
interface State {
  readonly map: Matrix;
  readonly area: Area;
  readonly colours: ColourKind;
  readonly isColourSeen: boolean;
  readonly isOpaque: boolean;
  readonly mode: number;
  readonly font: FontText | undefined;
  readonly size: number;
  readonly leading: number;
}

/**
 * The text of a page as its operators show it, in their order and without layout. Only what is plainly seen is told: drawn
 * with ink, on the page, inside what is clipped; whatever is unclear is left out. Undefined where the page cannot be read.
 */
export function readPageText(objects: PdfObjects, { page, resources, box }: FirstPage): string | undefined {
  const contents = page.get('/Contents');
  const parts = (objects.list(contents) ?? [contents ?? []].flat()).map((part) => objects.stream(part));
  if (parts.includes(undefined)) return undefined;
  const [left = 0, bottom = 0, right = 0, top = 0] = box;
  const text = new PageText(objects, mapArea(UPRIGHT, { left, bottom, right, top }));
  const bytes = Buffer.concat(parts.flatMap((part) => (part ? [part, Buffer.from('\n')] : [])));
  return text.run(bytes, resources, 0) ? text.text() : undefined;
}

class PageText {
  readonly #objects: PdfObjects;
  readonly #fonts: FontTexts;
  readonly #pieces: string[] = [];
  #state: State;
  #kept: State[] = [];
  #text = UPRIGHT;
  #line = UPRIGHT;
  readonly #path = new ClipPath();
  /** Of the marked content that is open, how much was optional, which may be switched off, when each began. */
  #marks: number[] = [];
  #optional = 0;
  #bytes = 0;

  constructor(objects: PdfObjects, area: Area) {
    this.#objects = objects;
    this.#fonts = new FontTexts(objects);
    this.#state = {
      map: UPRIGHT,
      area,
      colours: 'light',
      isColourSeen: true,
      isOpaque: true,
      mode: 0,
      font: undefined,
      size: 0,
      leading: 0,
    };
  }

  text(): string {
    return this.#pieces.join('');
  }

  /** False when there is more than a plain look may cost. */
  run(bytes: Buffer, resources: PdfDictionary, forms: number): boolean {
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_BYTES) return false;
    const reader = new ObjectReader(bytes);
    let operands: PdfValue[] = [];
    for (let value = reader.read(); value !== undefined; value = reader.read()) {
      if (typeof value !== 'string' || value.startsWith('/')) {
        if (operands.length < MAX_OPERANDS) operands.push(value);
        continue;
      }
      if (value === 'ID') reader.skipPast('EI');
      else if (value === 'Do') {
        if (!this.#draw(operands[0], resources, forms)) return false;
      } else this.#obey(value, operands, resources);
      operands = [];
    }
    return true;
  }

  #draw(name: PdfValue | undefined, resources: PdfDictionary, forms: number): boolean {
    const objects = this.#objects;
    const reference = typeof name === 'string' ? objects.dictionary(resources.get('/XObject'))?.get(name) : undefined;
    const form = objects.dictionary(reference);
    if (form?.get('/Subtype') !== '/Form' || forms >= MAX_FORMS) return true;
    const bytes = objects.stream(reference);
    if (!bytes) return true;
    const before = { state: this.#state, kept: this.#kept, marks: this.#marks, optional: this.#optional };
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbers(objects.list(form.get('/Matrix')) ?? []);
    const map = multiply(before.state.map, { a, b, c, d, e, f });
    const [left = 0, bottom = 0, right = 0, top = 0] = numbers(objects.list(form.get('/BBox')) ?? []);
    this.#state = { ...before.state, map, area: cut(before.state.area, mapArea(map, { left, bottom, right, top })) };
    this.#kept = [];
    this.#marks = [];
    if (form.has('/OC')) this.#optional += 1;
    const isRead = this.run(bytes, objects.dictionary(form.get('/Resources')) ?? resources, forms + 1);
    this.#state = before.state;
    this.#kept = before.kept;
    this.#marks = before.marks;
    this.#optional = before.optional;
    return isRead;
  }

  #obey(operator: string, operands: readonly PdfValue[], resources: PdfDictionary): void {
    switch (operator) {
      case 'q':
        this.#kept.push(this.#state);
        break;
      case 'Q':
        this.#state = this.#kept.pop() ?? this.#state;
        break;
      case 'cm':
        this.#set({ map: multiply(this.#state.map, matrixOf(operands)) });
        break;
      case 'gs':
        this.#setGraphics(operands[0], resources);
        break;
      case 'BT':
        this.#moveTo(UPRIGHT);
        break;
      case 'Tm':
        this.#moveTo(matrixOf(operands));
        break;
      case 'TD':
        this.#set({ leading: -numberAt(operands, 1) });
        this.#move(numberAt(operands, 0), numberAt(operands, 1));
        break;
      case 'Td':
        this.#move(numberAt(operands, 0), numberAt(operands, 1));
        break;
      case 'T*':
        this.#move(0, -this.#state.leading);
        break;
      case 'TL':
        this.#set({ leading: numberAt(operands, 0) });
        break;
      case 'Tr':
        this.#set({ mode: numberAt(operands, 0) });
        break;
      case 'Tf':
        this.#setFont(operands, resources);
        break;
      case 'Tj':
        this.#show(operands[0]);
        break;
      case 'TJ':
        for (const piece of Array.isArray(operands[0]) ? (operands[0] as readonly PdfValue[]) : [])
          if (typeof piece === 'number') this.#advance((-piece / 1000) * this.#state.size);
          else this.#show(piece);
        break;
      case "'":
      case '"':
        this.#move(0, -this.#state.leading);
        this.#show(operands.at(-1));
        break;
      case 'BMC':
      case 'BDC':
        this.#marks.push(this.#optional);
        if (operands[0] === '/OC') this.#optional += 1;
        break;
      case 'EMC':
        this.#optional = this.#marks.pop() ?? this.#optional;
        break;
      default:
        if (!this.#colour(operator, operands, resources)) this.#trace(operator, operands);
    }
  }

  #set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
  }

  #setGraphics(name: PdfValue | undefined, resources: PdfDictionary): void {
    const states = this.#objects.dictionary(resources.get('/ExtGState'));
    const alpha = this.#objects.value(
      this.#objects.dictionary(typeof name === 'string' ? states?.get(name) : undefined)?.get('/ca'),
    );
    if (typeof alpha === 'number') this.#set({ isOpaque: alpha > 0 });
  }

  #setFont([name, size]: readonly PdfValue[], resources: PdfDictionary): void {
    const fonts = this.#objects.dictionary(resources.get('/Font'));
    const font = this.#objects.dictionary(typeof name === 'string' ? fonts?.get(name) : undefined);
    this.#set({ font: font && this.#fonts.get(font), size: typeof size === 'number' ? size : 0 });
  }

  #moveTo(map: Matrix): void {
    this.#text = map;
    this.#line = map;
    this.#pieces.push('\n');
  }

  #move(x: number, y: number): void {
    this.#moveTo(multiply(this.#line, { ...UPRIGHT, e: x, f: y }));
  }

  #advance(by: number): void {
    const { a, b, c, d, e, f } = this.#text;
    this.#text = { a, b, c, d, e: e + a * by, f: f + b * by };
  }

  #show(value: PdfValue | undefined): void {
    const { font, size, map, area, mode, isColourSeen, isOpaque } = this.#state;
    if (!Buffer.isBuffer(value) || !font) return;
    const codes = Math.floor(value.length / font.bytesPerCode);
    const isInked = (mode === 0 || mode === 2) && isColourSeen && isOpaque && this.#optional === 0;
    const from = multiply(map, this.#text);
    const step = LETTER * size;
    this.#advance(codes * step);
    if (!isInked) return;
    for (let at = 0; at < codes; at += 1) {
      const x = from.e + from.a * step * at;
      const y = from.f + from.b * step * at;
      const isInside = x >= area.left && x <= area.right && y >= area.bottom && y <= area.top;
      const code = font.bytesPerCode === 1 ? (value[at] as number) : value.readUInt16BE(2 * at);
      if (isInside) this.#pieces.push(font.textOf(code) ?? '\uFFFD');
    }
  }

  #trace(operator: string, operands: readonly PdfValue[]): void {
    const clip = this.#path.trace(operator, operands);
    if (clip) this.#set({ area: cut(this.#state.area, mapArea(this.#state.map, clip)) });
  }

  /** Obeys an operator that sets the colour of letters; false when it is none. */
  #colour(operator: string, operands: readonly PdfValue[], resources: PdfDictionary): boolean {
    switch (operator) {
      case 'g':
      case 'rg':
        this.#set({ colours: 'light', isColourSeen: isSeen('light', operands) });
        return true;
      case 'k':
        this.#set({ colours: 'ink', isColourSeen: isSeen('ink', operands) });
        return true;
      case 'cs': {
        const colours = colourKind(this.#objects, resources, operands[0]);
        // All begin with black, or with all the ink there is.
        this.#set({ colours, isColourSeen: colours !== 'unclear' });
        return true;
      }
      case 'sc':
      case 'scn':
        this.#set({ isColourSeen: isSeen(this.#state.colours, operands) });
        return true;
      default:
        return false;
    }
  }
}

function numbers(values: readonly PdfValue[]): number[] {
  return values.filter((value) => typeof value === 'number');
}

function matrixOf(operands: readonly PdfValue[]): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbers(operands);
  return { a, b, c, d, e, f };
}
