import type { Block, Box, Region } from '../../../src/parse/index.ts';
import { drawLine, rule } from './lines.ts';
import type { Line, Op, Setting } from './lines.ts';
import type { Style } from './style.ts';

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A block of the expected result, before its position is known. */
export type Draft = Without<Block, 'order' | 'regions' | 'parent'>;

export interface Placed {
  readonly draft: Draft;
  readonly regions: Region[];
  readonly parent?: Placed;
}

/** Lines that can break across columns and pages. */
export interface TextItem {
  readonly draft: Draft;
  readonly runIn?: Draft;
  readonly lines: readonly Line[];
  readonly setting: Setting;
  readonly leading: number;
  readonly align: 'justify' | 'left' | 'centre';
  readonly before: number;
  readonly after: number;
  /** Left offset of the first and of the other lines. */
  readonly indent?: readonly [number, number];
  readonly keepWithNext?: boolean;
  /** Text after the first line in the column margin: the number of a formula. */
  readonly trailing?: (x: number, baseline: number, width: number) => readonly Op[];
  /** Text before the first line: a bullet or label. */
  readonly beside?: (x: number, baseline: number, width: number) => readonly Op[];
}

/** An unbreakable float: a table or figure with its caption. */
export interface FloatItem {
  readonly height: number;
  readonly draw: (x: number, y: number) => readonly Op[];
  /** Boxes relative to the float's corner; a caption refers to its table or figure by index in `owner`. */
  readonly blocks: readonly { readonly draft: Draft; readonly box: Box; readonly owner?: number }[];
  /** Spans all columns, at the top of a page. */
  readonly wide: boolean;
}

export interface FlowPage {
  readonly ops: Op[];
  readonly blocks: Placed[];
  readonly footnotes: Placed[];
}

export interface NoteItem {
  readonly draft: Draft;
  readonly lines: readonly Line[];
  readonly setting: Setting;
  readonly leading: number;
}

const FLOAT_SPACE = 12;

/** Fills columns and pages from top to bottom and records the position of every block. */
export class Flow {
  readonly pages: FlowPage[] = [];
  readonly #style: Style;
  readonly #notes: readonly NoteItem[];
  #column = 0;
  #top: number;
  #y: number;
  #called: number[] = [];
  #waiting: FloatItem[] = [];

  constructor(style: Style, notes: readonly NoteItem[]) {
    this.#style = style;
    this.#notes = notes;
    this.#top = style.margin.top;
    this.#y = this.#top;
    this.pages.push({ ops: [], blocks: [], footnotes: [] });
  }

  /** Width of the page, or of one column. */
  width(wide: boolean): number {
    const { page, margin, columns, gutter } = this.#style;
    const whole = page[0] - 2 * margin.side;
    return wide ? whole : (whole - gutter * (columns - 1)) / columns;
  }

  /** Places lines across all columns; only before the columns start. */
  heading(item: TextItem): void {
    this.#put(item, this.#style.margin.side, this.width(true));
    this.#top = this.#y;
  }

  text(item: TextItem): void {
    if (this.#y > this.#top) this.#y += item.before;
    const ahead = item.keepWithNext ? item.lines.length + 2.5 : Math.min(2, item.lines.length);
    if (this.#y + ahead * item.leading > this.#bottom()) this.#nextColumn();
    this.#put(item, this.#left(), this.width(false));
  }

  float(item: FloatItem): void {
    const fits = this.#y + FLOAT_SPACE + item.height <= this.#bottom();
    if (item.wide || !fits || this.#waiting.length > 0) this.#waiting.push(item);
    else this.#putFloat(item, this.#left());
  }

  /** Places remaining floats and the last footnotes. */
  finish(): void {
    while (this.#waiting.length > 0) this.#nextColumn();
    this.#putNotes();
  }

  #page(): FlowPage {
    const page = this.pages.at(-1);
    if (!page) throw new RangeError('a flow has at least one page');
    return page;
  }

  #left(): number {
    return this.#style.margin.side + this.#column * (this.width(false) + this.#style.gutter);
  }

  #bottom(): number {
    const { page, margin } = this.#style;
    return page[1] - margin.bottom - this.#noteHeight(this.#called);
  }

  #noteHeight(notes: readonly number[]): number {
    if (notes.length === 0) return 0;
    return (
      10 +
      notes.reduce((sum, note) => sum + (this.#notes[note]?.lines.length ?? 0) * (this.#notes[note]?.leading ?? 0), 0)
    );
  }

  #nextColumn(): void {
    this.#column++;
    if (this.#column >= this.#style.columns) {
      this.#putNotes();
      this.#column = 0;
      this.#top = this.#style.margin.top;
      this.pages.push({ ops: [], blocks: [], footnotes: [] });
      this.#y = this.#top;
      this.#putWaiting((item) => item.wide);
      if (this.#y > this.#top) this.#top = this.#y + FLOAT_SPACE / 2;
    }
    this.#y = this.#top;
    this.#putWaiting((item) => !item.wide);
  }

  #putWaiting(chosen: (item: FloatItem) => boolean): void {
    for (const item of this.#waiting.filter(chosen)) {
      const fits = this.#y + item.height <= this.#bottom();
      if (!fits && this.#y > this.#top) break;
      this.#putFloat(item, item.wide ? this.#style.margin.side : this.#left());
      this.#waiting = this.#waiting.filter((other) => other !== item);
    }
  }

  #putFloat(item: FloatItem, x: number): void {
    const page = this.#page();
    if (this.#y > this.#top) this.#y += FLOAT_SPACE;
    const y = this.#y;
    page.ops.push(...item.draw(x, y));
    const placed: Placed[] = item.blocks.map(({ draft, box }) => ({
      draft,
      regions: [
        {
          page: this.pages.length,
          box: { left: x + box.left, top: y + box.top, right: x + box.right, bottom: y + box.bottom },
        },
      ],
    }));
    item.blocks.forEach(({ owner }, index) => {
      const block = placed[index];
      const parent = owner === undefined ? undefined : placed[owner];
      if (block) placed[index] = parent ? { ...block, parent } : block;
    });
    page.blocks.push(...placed);
    this.#y += item.height + FLOAT_SPACE;
  }

  #put(item: TextItem, left: number, width: number): void {
    const { lines, setting, leading, align, draft } = item;
    const placed: Placed = { draft, regions: [] };
    const start = this.#page();
    let [x, page, top] = [left, this.pages.length, this.#y];
    const close = (): void => {
      if (this.#y > top) placed.regions.push({ page, box: { left: x, top, right: x + width, bottom: this.#y } });
    };
    start.blocks.push(placed);
    lines.forEach((line, index) => {
      const notes = this.#noteHeight([...this.#called, ...line.notes]);
      const bottom = this.#style.page[1] - this.#style.margin.bottom - notes;
      if (this.#y + leading > bottom) {
        close();
        // A block whose first line did not fit starts on the next page.
        if (index === 0) start.blocks.splice(start.blocks.indexOf(placed), 1);
        this.#nextColumn();
        if (index === 0) this.#page().blocks.push(placed);
        [x, page, top] = [this.#left(), this.pages.length, this.#y];
      }
      const inset = item.indent?.[index === 0 ? 0 : 1] ?? 0;
      const baseline = this.#y + leading * 0.76;
      const ops = this.#page().ops;
      if (index === 0 && item.beside) ops.push(...item.beside(x, baseline, width));
      ops.push(drawLine(line, { x: x + inset, y: baseline, width: width - inset }, setting, align));
      if (index === 0 && item.trailing) ops.push(...item.trailing(x, baseline, width));
      this.#called.push(...line.notes);
      if (index === 0 && item.runIn) {
        const { blocks } = this.#page();
        const box = { left: x, top: this.#y, right: x + width, bottom: this.#y + leading };
        blocks.splice(blocks.indexOf(placed), 0, { draft: item.runIn, regions: [{ page, box }] });
      }
      this.#y += leading;
    });
    close();
    this.#y += item.after;
  }

  #putNotes(): void {
    if (this.#called.length === 0) return;
    const { margin, page: size } = this.#style;
    const page = this.#page();
    let y = size[1] - margin.bottom - this.#noteHeight(this.#called) + 5;
    page.ops.push(rule(margin.side, y, margin.side + 110, y));
    y += 4;
    for (const note of this.#called) {
      const item = this.#notes[note];
      if (!item) continue;
      const top = y;
      for (const line of item.lines) {
        page.ops.push(
          drawLine(line, { x: margin.side, y: y + item.leading * 0.76, width: this.width(true) }, item.setting),
        );
        y += item.leading;
      }
      const box = { left: margin.side, top, right: margin.side + this.width(true), bottom: y };
      page.footnotes.push({ draft: item.draft, regions: [{ page: this.pages.length, box }] });
    }
    this.#called = [];
  }
}
