import { useEffect, useRef, useState } from 'preact/hooks';

import type { PrintedPage, WholeDocument } from '../answers.ts';
import type { View } from '../scene.ts';
import { html, useScene } from '../scene.ts';
import type { Block } from './entries.ts';
import { tagName } from './entries.ts';
import { markedText, notedIn, TextLayer } from './text-layer.ts';

/** Pictures are drawn in few widths, so that the server can keep them. */
const [WIDTH_STEP, MOST_WIDTH] = [250, 2_000];
/** A server that draws too many pages at once is asked again. */
const [AGAIN_MS, MOST_TRIES] = [1_500, 3];

/** Words that a note is about, and the page they are on where there are pages. */
export interface Noted {
  readonly quote: string;
  readonly page: number | null;
}

/** A page: its picture with its text over it, or, without a picture, the recognised text in its boxes. */
export function PageSheet(props: {
  readonly found: WholeDocument;
  readonly page: number;
  /** Pixels of the screen that its width takes. */
  readonly pixels: number;
  readonly lit: ReadonlySet<number>;
  readonly quote: string;
  /** Words of notes, marked where they are printed. */
  readonly noted: readonly Noted[];
  readonly boxProps: (block: Block) => object;
  readonly turn: (page: number) => void;
}): View {
  const { found, page, pixels, lit, quote, noted, boxProps, turn } = props;
  const { source, runPath, query } = useScene();
  const [tries, setTries] = useState(0);
  const [isDrawn, setDrawn] = useState(false);
  const printed = usePrinted(found, page);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const { width = 612, height = 792 } = found.pages.find(({ number }) => number === page) ?? {};
  const wide = Math.min(MOST_WIDTH, Math.max(WIDTH_STEP, Math.ceil(pixels / WIDTH_STEP) * WIDTH_STEP));
  const isPdf = found.kind === 'pdf' && tries < MOST_TRIES;
  const picture = isPdf
    ? source.file(runPath('documents', found.id, 'pages', `${page}.png`), { width: wide })
    : undefined;
  const fail = (): void => {
    // Nothing to wait for in a file; a busy server answers later.
    if (source.report) setTries(MOST_TRIES);
    else timer.current = setTimeout(() => setTries((before) => before + 1), AGAIN_MS);
  };
  const boxes = found.blocks.flatMap((block) =>
    block.regions.filter((region) => region.page === page).map((region) => ({ block, region })),
  );
  const notedHere = noted.flatMap((each) => (each.page === null || each.page === page ? [each.quote] : []));
  const areas = boxes.flatMap(({ block, region }) => (lit.has(block.order) ? [region] : []));
  return [
    picture &&
      html`<img
        key=${`${wide} ${tries}`}
        class=${isDrawn ? '' : 'waiting'}
        src=${picture}
        alt=""
        onLoad=${() => setDrawn(true)}
        onError=${fail}
      />`,
    html`<svg
      viewBox=${`0 0 ${width} ${height}`}
      class=${`boxes ${picture ? '' : 'recognised'}`}
      role="img"
      aria-label=${`Page ${page} with ${boxes.length} recognised blocks`}
    >
      ${boxes.map(({ block, region: { left: x, top: y, right, bottom } }) => {
        const [across, tall] = [Math.max(2, right - x), Math.max(2, bottom - y)];
        const label = `${block.order} ${tagName(block)}`;
        return html`<g ...${boxProps(block)}>
          <rect x=${x} y=${y} width=${across} height=${tall} rx="1.5" />
          ${!picture && html`<foreignObject x=${x} y=${y} width=${across} height=${tall}><div class="printed" style=${{ fontSize: `${fontSize(block.text, across * tall)}px` }}>${block.text}</div></foreignObject>`}
          <rect class="flag" x=${x} y=${Math.max(0, y - 9)} width=${label.length * 4.3 + 5} height="9" rx="1.5" />
          <text x=${x + 2.5} y=${Math.max(0, y - 9) + 6.8}>${label}</text>
        </g>`;
      })}
    </svg>`,
    picture &&
      printed &&
      html`<${TextLayer}
        printed=${printed}
        quote=${quote}
        noted=${notedHere}
        words=${query.get('words') ?? ''}
        areas=${areas}
      />`,
    picture && printed && linksOf(printed, found, turn),
  ];
}

/** The text of a page; undefined while it is fetched, and where there is none. */
function usePrinted(found: WholeDocument, page: number): PrintedPage | undefined {
  const { source, runPath } = useScene();
  const [printed, setPrinted] = useState<PrintedPage>();
  useEffect(() => {
    if (found.kind !== 'pdf' || source.report) return undefined;
    const leave = new AbortController();
    const path = runPath('documents', found.id, 'pages', String(page), 'text');
    let tries = 0;
    const ask = (): void => {
      source.get<PrintedPage>(path, {}, leave.signal).then(setPrinted, () => {
        // Without it the page is still shown.
        tries += 1;
        if (!leave.signal.aborted && tries < MOST_TRIES) timer = setTimeout(ask, AGAIN_MS);
      });
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    ask();
    return () => {
      leave.abort();
      clearTimeout(timer);
    };
  }, [found.id, page]);
  return printed;
}

/** Links of the file: to the web in a new tab, to other pages of it in the reader. */
function linksOf({ width, height, links }: PrintedPage, found: WholeDocument, turn: (page: number) => void): View {
  const last = found.pages.length;
  return html`<div class="page-links">
    ${links.map(({ left, top, right, bottom, url, page }, at) => {
      const style = {
        left: `${(left / width) * 100}%`,
        top: `${(top / height) * 100}%`,
        width: `${((right - left) / width) * 100}%`,
        height: `${((bottom - top) / height) * 100}%`,
      };
      if (page !== null && page <= last)
        return html`<button
          key=${at}
          type="button"
          tabindex="-1"
          style=${style}
          aria-label=${`Go to page ${page}`}
          title=${`page ${page}`}
          onClick=${() => turn(page)}
        ></button>`;
      if (url === null || !/^https?:\/\//i.test(url)) return undefined;
      return html`<a
        key=${at}
        tabindex="-1"
        style=${style}
        href=${url}
        target="_blank"
        rel="noreferrer"
        aria-label=${url}
        title=${url}
      ></a>`;
    })}
  </div>`;
}

/** Font size at which the text fills its box. */
function fontSize(text: string, area: number): number {
  return Math.min(13, Math.max(3.5, Math.sqrt(area / Math.max(1, text.length * 0.62)) * 0.95));
}

/** A document without pages, as HTML and JATS are: its blocks in order. */
export function flowSheet(
  found: WholeDocument,
  quote: readonly [block: string, View],
  boxProps: (block: Block) => object,
  noted: readonly Noted[],
): View {
  const quotes = noted.map((each) => each.quote);
  return html`<article class="flowing">
    ${found.blocks.map((block) => {
      const props = boxProps(block);
      if (block.rows)
        return html`<div class="wide" tabindex="0" role="group" aria-label=${block.caption ?? 'Table'}>
          <table ...${props}>
            <tbody>
              ${block.rows.map(
                (row) =>
                  html`<tr>
                    ${row.map((text) => html`<td>${text}</td>`)}
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`;
      const tag = block.tag === 'title' ? 'h3' : block.tag === 'heading' ? 'h4' : 'p';
      const text = quote[0] === String(block.order) ? quote[1] : markedText(block.text, notedIn(block.text, quotes));
      return html`<${tag} ...${props}>${text}<//>`;
    })}
  </article>`;
}
