import type { Block, Box, ParsedDocument } from '../../document.ts';
import { encodePng } from '../layout/png.ts';
import { BLOCK_COLOURS, blockLabel } from './overlay.ts';
import { CHARACTER_DOTS, drawText } from './pixel-font.ts';

/** A rendered page: four bytes (red, green, blue, alpha) per pixel. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** Pixels per point where no page image says otherwise. */
const SCALE = 2;
/** Pixels per dot of the letters, on a page that is drawn large and on a small one. */
const LARGE_DOT = 2;
const SMALL_DOT = 1;
const LARGE_WIDTH = 900;
const PADDING = 3;
const LEGEND_DOTS = 13;
const TINT = 0.13;

/** What is usually set solid: its number alone stands in the margin, so that no text is covered. */
const SOLID = new Set<Block['kind']>(['text', 'list_item', 'reference', 'footnote', 'page_header', 'page_footer']);

/**
 * A page with the blocks that were recognised on it as a PNG: boxes in the colour of their kind, numbered in reading
 * order, and a legend of the kinds below the page.
 */
export function writeOverlayPng(document: ParsedDocument, pageNumber: number, image?: Raster): Uint8Array {
  return encodePng(drawOverlay(document, pageNumber, image));
}

/** The same as pixels. */
export function drawOverlay(document: ParsedDocument, pageNumber: number, image?: Raster): Raster {
  const page = document.pages.find((candidate) => candidate.number === pageNumber);
  const pageWidth = page?.width ?? 612;
  const width = image?.width ?? Math.round(pageWidth * SCALE);
  const height = image?.height ?? Math.round((page?.height ?? 792) * SCALE);
  const scale = width / pageWidth;
  const drawn = document.blocks.flatMap((block) =>
    block.regions.filter((region) => region.page === pageNumber).map((region) => ({ block, box: region.box })),
  );
  const kinds = [...new Set(drawn.map(({ block }) => block.kind))];
  const canvas = new Canvas(width, height + legendHeight(kinds, width), image);
  for (const { block, box } of drawn) canvas.box(scaled(box, scale), colourOf(block.kind));
  // Labels come last: no box of a neighbour lies over them.
  for (const { block, box } of drawn) {
    const solid = SOLID.has(block.kind);
    const text = solid ? String(block.order) : `${block.order} ${blockLabel(block)}`;
    const { left, top } = scaled(box, scale);
    const size = canvas.chipSize(text);
    canvas.chip(text, solid ? left - size.width - 2 : left, solid ? top : top - size.height, colourOf(block.kind));
  }
  placeLegend(kinds, width, (kind, x, y) => canvas.chip(kind, x, height + y, colourOf(kind)));
  return canvas;
}

function dotOf(width: number): number {
  return width < LARGE_WIDTH ? SMALL_DOT : LARGE_DOT;
}

type Colour = readonly [number, number, number];
const WHITE: Colour = [255, 255, 255];

function colourOf(kind: Block['kind']): Colour {
  const value = Number.parseInt(BLOCK_COLOURS[kind].slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function scaled(box: Box, scale: number): Box {
  return {
    left: Math.round(box.left * scale),
    top: Math.round(box.top * scale),
    right: Math.round(box.right * scale),
    bottom: Math.round(box.bottom * scale),
  };
}

function legendHeight(kinds: readonly Block['kind'][], width: number): number {
  let lowest = 0;
  placeLegend(kinds, width, (_kind, _x, y) => (lowest = y));
  return kinds.length === 0 ? 0 : lowest + LEGEND_DOTS * dotOf(width);
}

function placeLegend(
  kinds: readonly Block['kind'][],
  width: number,
  put: (kind: Block['kind'], x: number, y: number) => void,
): void {
  let x = 8;
  let y = 4;
  for (const kind of kinds) {
    const wide = kind.length * CHARACTER_DOTS.width * dotOf(width) + 2 * PADDING;
    if (x + wide > width - 8 && x > 8) {
      x = 8;
      y += LEGEND_DOTS * dotOf(width);
    }
    put(kind, x, y);
    x += wide + 10;
  }
}

class Canvas implements Raster {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
  readonly #dot: number;

  constructor(width: number, height: number, image: Raster | undefined) {
    this.width = width;
    this.height = height;
    this.#dot = dotOf(width);
    this.rgba = new Uint8Array(width * height * 4).fill(255);
    if (image) this.rgba.set(image.rgba.subarray(0, width * image.height * 4));
  }

  box({ left, top, right, bottom }: Box, colour: Colour): void {
    this.#fill({ left, top, right, bottom }, colour, TINT);
    this.#fill({ left: left - 1, top: top - 1, right: right + 1, bottom: top + 1 }, colour);
    this.#fill({ left: left - 1, top: bottom - 1, right: right + 1, bottom: bottom + 1 }, colour);
    this.#fill({ left: left - 1, top: top - 1, right: left + 1, bottom: bottom + 1 }, colour);
    this.#fill({ left: right - 1, top: top - 1, right: right + 1, bottom: bottom + 1 }, colour);
  }

  chipSize(text: string): { width: number; height: number } {
    return {
      width: (text.length * CHARACTER_DOTS.width - 1) * this.#dot + 2 * PADDING,
      height: CHARACTER_DOTS.height * this.#dot + 2 * PADDING,
    };
  }

  /** White letters on the colour, moved into the image where they would stick out. */
  chip(text: string, x: number, y: number, colour: Colour): void {
    const size = this.chipSize(text);
    const left = Math.max(0, Math.min(x, this.width - size.width));
    const top = Math.max(0, Math.min(y, this.height - size.height));
    this.#fill({ left: left, top: top, right: left + size.width, bottom: top + size.height }, colour);
    drawText(text, (column, row) => {
      const [dotX, dotY] = [left + PADDING + column * this.#dot, top + PADDING + row * this.#dot];
      this.#fill({ left: dotX, top: dotY, right: dotX + this.#dot, bottom: dotY + this.#dot }, WHITE);
    });
  }

  #fill({ left, top, right, bottom }: Box, colour: Colour, share = 1): void {
    const x1 = Math.min(this.width, right);
    const y1 = Math.min(this.height, bottom);
    for (let y = Math.max(0, top); y < y1; y += 1)
      for (let x = Math.max(0, left); x < x1; x += 1) {
        const at = (y * this.width + x) * 4;
        for (let part = 0; part < 3; part += 1)
          this.rgba[at + part] = Math.round((this.rgba[at + part] ?? 0) * (1 - share) + (colour[part] ?? 0) * share);
      }
  }
}
