import { openPdf } from './engines/pdfium.ts';
import type { Glyph, PageContent } from './layout/page/page-content.ts';

/** A line of text as it is printed, in points from the upper left corner of the page. */
interface PrintedLine {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
  /** Of most of its letters. */
  readonly size: number;
}

/** An area of a page that leads to an address, or to another page of the same file. */
interface PrintedLink {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly url: string | null;
  readonly page: number | null;
}

/** What can be selected and followed on a page. */
export interface PageText {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly PrintedLine[];
  readonly links: readonly PrintedLink[];
}

const MOST_LINES = 5_000;
const MOST_LINKS = 1_000;

/** The text of a page, counted from 1, with its places. The engine cannot be stopped: run it in a process that can be killed. */
export async function readPageText(path: string, page: number): Promise<PageText | undefined> {
  using file = await openPdf(path);
  const content = page < 1 || page > file.pageCount ? undefined : file.readPage(page);
  return content && textOfPage(content);
}

function textOfPage({ width, height, glyphs, links, jumps }: PageContent): PageText {
  return {
    width,
    height,
    lines: printedLines(glyphs).slice(0, MOST_LINES),
    links: [
      ...links.map(({ box, url }) => ({ ...box, url, page: null })),
      ...jumps.map(({ box, page }) => ({ ...box, url: null, page })),
    ].slice(0, MOST_LINKS),
  };
}

/** Upright glyphs in file order; a new line begins where the pen goes down, back, or over the gap between columns. */
function printedLines(glyphs: readonly Glyph[]): PrintedLine[] {
  const lines: PrintedLine[] = [];
  let line: Glyph[] = [];
  const end = (): void => {
    if (line.length > 0) lines.push(lineOf(line));
    line = [];
  };
  for (const glyph of glyphs) {
    if (glyph.turn !== 0 || glyph.text === '') continue;
    const last = line.at(-1);
    if (last && !isNext(last, glyph)) end();
    line.push(glyph);
  }
  end();
  return lines;
}

function isNext(last: Glyph, { baseline, left, size }: Glyph): boolean {
  const em = Math.max(last.size, size);
  return Math.abs(baseline - last.baseline) < 0.5 * em && left > last.right - 0.6 * em && left < last.right + 1.6 * em;
}

function lineOf(glyphs: readonly Glyph[]): PrintedLine {
  const sizes = glyphs.map(({ size }) => size).toSorted((a, b) => a - b);
  const size = sizes[sizes.length >> 1] ?? 0;
  const main = glyphs.find((glyph) => glyph.size === size);
  return {
    text: glyphs.map(({ text, spaced }, at) => (spaced !== false && at > 0 ? ` ${text}` : text)).join(''),
    left: glyphs.reduce((least, glyph) => Math.min(least, glyph.left), Infinity),
    right: glyphs.reduce((most, glyph) => Math.max(most, glyph.right), -Infinity),
    baseline: main?.baseline ?? 0,
    size,
  };
}
