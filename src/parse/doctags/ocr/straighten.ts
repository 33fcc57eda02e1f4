import type { PageImage } from '../engines/pdfium.ts';

/** What pages are drawn at for OCR, in dots per inch. */
export const OCR_DPI = 216;

/** One byte per pixel, 255 is white. */
export interface GreyImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

export interface Slant {
  /** Lines run up or down the page rather than across. */
  readonly isSideways: boolean;
  /** Degrees by which lines fall to the right, after the quarter turn. */
  readonly degrees: number;
}

/** Width to which pages are reduced before their slant is measured: about ten pixels from line to line. */
const SAMPLE_WIDTH = 500;
/** Lighter than this is paper. */
const PAPER = 190;
const MOST_DEGREES = 6;
/** How much clearer the lines must be sideways than across: frames and tables have sideways edges as well. */
const SIDEWAYS_FACTOR = 1.5;

export function toGrey({ width, height, rgba }: PageImage): GreyImage {
  const pixels = new Uint8Array(width * height);
  for (let at = 0; at < pixels.length; at += 1)
    pixels[at] = ((rgba[4 * at] ?? 0) * 77 + (rgba[4 * at + 1] ?? 0) * 150 + (rgba[4 * at + 2] ?? 0) * 29) >> 8;
  return { width, height, pixels };
}

/** Side of the squares in which the shade of the paper is measured: more than a line of small print. */
const TILE = 32;
/** Share of a square that is paper at least; the rest may be ink. */
const PAPER_SHARE = 0.4;
/** Darker than this is no paper but a picture, or a box with light text. */
const DARKEST_PAPER = 130;

/** Makes tinted boxes and shadows white: OCR takes text on a tint for a picture. */
export function whiten({ width, height, pixels }: GreyImage): GreyImage {
  const columns = Math.ceil(width / TILE);
  const shades = new Uint8Array(columns * Math.ceil(height / TILE));
  for (let tile = 0; tile < shades.length; tile += 1) {
    const [left, top] = [(tile % columns) * TILE, Math.floor(tile / columns) * TILE];
    const levels = new Uint32Array(256);
    for (let y = top; y < Math.min(height, top + TILE); y += 1)
      for (const level of pixels.subarray(y * width + left, y * width + Math.min(width, left + TILE)))
        levels[level] = (levels[level] ?? 0) + 1;
    const count = levels.reduce((sum, each) => sum + each, 0);
    let shade = 255;
    for (let seen = levels[255] ?? 0; seen < PAPER_SHARE * count; seen += levels[shade] ?? 0) shade -= 1;
    shades[tile] = shade < DARKEST_PAPER ? 255 : shade;
  }
  const white = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const shade = shades[Math.floor(y / TILE) * columns + Math.floor(x / TILE)] ?? 255;
      white[y * width + x] = Math.min(255, ((pixels[y * width + x] ?? 255) * 255) / shade);
    }
  return { width, height, pixels: white };
}

/** Measures the slant: seen along the lines of text, rows of ink and rows of paper alternate most sharply. */
export function measureSlant(image: GreyImage): Slant {
  const ink = inkPoints(image);
  const across = bestAngle(ink.x, ink.y, ink.height);
  const sideways = bestAngle(ink.y, ink.x, ink.width);
  const isSideways = sideways.sharpness > SIDEWAYS_FACTOR * across.sharpness;
  // Swapping the axes is a mirror image, in which an angle has the other sign.
  return { isSideways, degrees: isSideways ? -sideways.degrees : across.degrees };
}

function inkPoints({ width, height, pixels }: GreyImage) {
  const step = Math.max(1, Math.round(Math.min(width, height) / SAMPLE_WIDTH));
  const [columns, rows] = [Math.floor(width / step), Math.floor(height / step)];
  const ink: { readonly x: number[]; readonly y: number[] } = { x: [], y: [] };
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      let sum = 0;
      for (let dy = 0; dy < step; dy += 1)
        for (let dx = 0; dx < step; dx += 1) sum += pixels[(row * step + dy) * width + column * step + dx] ?? 255;
      if (sum >= PAPER * step * step) continue;
      ink.x.push(column);
      ink.y.push(row);
    }
  return { width: columns, height: rows, ...ink };
}

function bestAngle(
  along: readonly number[],
  over: readonly number[],
  length: number,
): { degrees: number; sharpness: number } {
  const sharpnessAt = (degrees: number): number => sharpness(along, over, length, Math.tan((degrees * Math.PI) / 180));
  let best = { degrees: 0, sharpness: sharpnessAt(0) };
  const look = (from: number, to: number, step: number): void => {
    for (let degrees = from; degrees <= to; degrees += step) {
      const found = sharpnessAt(degrees);
      if (found > best.sharpness) best = { degrees, sharpness: found };
    }
  };
  look(-MOST_DEGREES, MOST_DEGREES, 0.5);
  look(best.degrees - 0.4, best.degrees + 0.4, 0.1);
  return best;
}

function sharpness(along: readonly number[], over: readonly number[], length: number, slope: number): number {
  const margin = Math.ceil(2 * length * Math.abs(slope)) + 2;
  const rows = new Float64Array(length + 2 * margin);
  for (let at = 0; at < along.length; at += 1) {
    const row = Math.round((over[at] ?? 0) - (along[at] ?? 0) * slope) + margin;
    rows[row] = (rows[row] ?? 0) + 1;
  }
  let sum = 0;
  for (let row = 1; row < rows.length; row += 1) sum += ((rows[row] ?? 0) - (rows[row - 1] ?? 0)) ** 2;
  return sum;
}

/** The image turned back by quarter turns: text that runs `turn` quarters clockwise becomes upright. */
export function turnUpright(image: GreyImage, turn: number): GreyImage {
  if (turn === 0) return image;
  const { width, height, pixels } = image;
  const [columns, rows] = turn % 2 === 1 ? [height, width] : [width, height];
  const turned = new Uint8Array(pixels.length);
  for (let y = 0; y < rows; y += 1)
    for (let x = 0; x < columns; x += 1) {
      const [fromX, fromY] =
        turn === 1 ? [width - 1 - y, x] : turn === 3 ? [y, height - 1 - x] : [width - 1 - x, height - 1 - y];
      turned[y * columns + x] = pixels[fromY * width + fromX] ?? 255;
    }
  return { width: columns, height: rows, pixels: turned };
}

/** The image rotated about its centre so that lines that fall by `degrees` are level. */
export function level(image: GreyImage, degrees: number): GreyImage {
  const { width, height, pixels } = image;
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  const [centreX, centreY] = [width / 2, height / 2];
  const levelled = new Uint8Array(pixels.length).fill(255);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const fromX = centreX + (x - centreX) * cos - (y - centreY) * sin;
      const fromY = centreY + (x - centreX) * sin + (y - centreY) * cos;
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)];
      if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) continue;
      const [right, down] = [fromX - left, fromY - top];
      const at = top * width + left;
      const upper = (pixels[at] ?? 255) * (1 - right) + (pixels[at + 1] ?? 255) * right;
      const lower = (pixels[at + width] ?? 255) * (1 - right) + (pixels[at + width + 1] ?? 255) * right;
      levelled[y * width + x] = upper * (1 - down) + lower * down;
    }
  return { width, height, pixels: levelled };
}

/** The part of a page with the most ink, an eighth of its height: enough to judge a reading by. */
export function densestBand(image: GreyImage): GreyImage {
  const { width, height, pixels } = image;
  const rows = Math.min(height, Math.max(200, Math.round(height / 8)));
  const ink = new Float64Array(height + 1);
  for (let y = 0; y < height; y += 1) {
    let dark = 0;
    for (let x = 0; x < width; x += 4) if ((pixels[y * width + x] ?? 255) < PAPER) dark += 1;
    // A row that is mostly dark is a rule or a picture, not text.
    ink[y + 1] = (ink[y] ?? 0) + (dark > width / 8 ? 0 : dark);
  }
  let best = 0;
  for (let y = 1; y + rows <= height; y += 1)
    if ((ink[y + rows] ?? 0) - (ink[y] ?? 0) > (ink[best + rows] ?? 0) - (ink[best] ?? 0)) best = y;
  return { width, height: rows, pixels: pixels.subarray(best * width, (best + rows) * width) };
}

/** The image as a PGM file, which both engines read. */
export function toPgm({ width, height, pixels }: GreyImage): Uint8Array {
  return Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), pixels]);
}
