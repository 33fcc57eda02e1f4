import type { BlockLine, DocumentPart } from '../data.ts';
import { html, svg } from './element.ts';

/** Calls back when a block is pointed at or chosen in the sheet. */
export interface SheetEvents {
  readonly point: (block: number | undefined) => void;
  readonly choose: (block: number) => void;
}

type Region = BlockLine['regions'][number];

/** The class that gives a kind of block its colour. */
export function toneOf(tag: string): string {
  return `block-${tag.split(' ')[0]}`;
}

/**
 * A page with the recognised blocks drawn on it: on its image, or on the recognised text where there is none. The image is
 * at `address`, else inside the part.
 */
export function pageSheet(part: DocumentPart, page: number, events: SheetEvents, address?: string): SVGSVGElement {
  const [, width = 612, height = 792] = part.pages.find(([number]) => number === page) ?? [];
  const inside = part.images[page];
  const image = address ?? (inside === undefined ? undefined : `data:image/png;base64,${inside}`);
  const boxes = part.blocks.flatMap((block, at) =>
    block.regions.filter(([on]) => on === page).map((region) => box(block, at, region, image === undefined, events)),
  );
  return svg(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      class: 'sheet',
      role: 'img',
      'aria-label': `Page ${page} with ${boxes.length} recognised blocks`,
    },
    svg('rect', { class: 'paper', width, height }),
    ...(image === undefined ? [] : [svg('image', { href: image, width, height, preserveAspectRatio: 'none' })]),
    ...boxes,
  );
}

function box(block: BlockLine, at: number, region: Region, withText: boolean, events: SheetEvents): SVGGElement {
  const [, left, top, right, bottom] = region;
  const [width, height] = [Math.max(2, right - left), Math.max(2, bottom - top)];
  const label = `${at} ${block.tag}`;
  return svg(
    'g',
    {
      class: `box ${toneOf(block.tag)}`,
      'data-block': at,
      mouseenter: () => events.point(at),
      mouseleave: () => events.point(undefined),
      click: () => events.choose(at),
    },
    svg('rect', { x: left, y: top, width, height, rx: 1.5 }),
    withText && printed(block.text, [left, top, width, height]),
    svg('rect', { class: 'flag', x: left, y: Math.max(0, top - 9), width: label.length * 4.3 + 5, height: 9, rx: 1.5 }),
    svg('text', { x: left + 2.5, y: Math.max(0, top - 9) + 6.8 }, label),
  );
}

/** Text set into its box, as large as fits. */
function printed(text: string, [x, y, width, height]: readonly [number, number, number, number]): Node {
  const fit = Math.sqrt((width * height) / Math.max(1, text.length * 0.62));
  const content = html('div', { class: 'printed' }, text);
  content.style.fontSize = `${Math.min(13, Math.max(3.5, fit * 0.95))}px`;
  return svg('foreignObject', { x, y, width, height }, content);
}

/** A document without pages, as flowing text. */
export function flowSheet(part: DocumentPart, events: SheetEvents): HTMLElement {
  return html('div', { class: 'sheet flow' }, ...part.blocks.map((block, at) => flowBlock(block, at, events)));
}

function flowBlock(block: BlockLine, at: number, events: SheetEvents): HTMLElement {
  const attributes = {
    class: `box ${toneOf(block.tag)}`,
    'data-block': at,
    mouseenter: () => events.point(at),
    mouseleave: () => events.point(undefined),
    click: () => events.choose(at),
  };
  if (block.rows)
    return html(
      'table',
      attributes,
      html('tbody', {}, ...block.rows.map((row) => html('tr', {}, ...row.map((cell) => html('td', {}, cell))))),
    );
  if (block.tag === 'title') return html('h3', attributes, block.text);
  if (block.tag.startsWith('heading')) return html('h4', attributes, block.text);
  return html('p', attributes, block.text);
}
