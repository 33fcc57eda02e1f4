import { analyse } from '../../../parse/terms/index.ts';
import type { PrintedPage } from '../answers.ts';
import type { View } from '../scene.ts';
import { html } from '../scene.ts';
import { findQuote } from './quote.ts';

type PrintedLine = PrintedPage['lines'][number];

/** A rectangle in points. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Fonts of the page are not known here: a line of this one is stretched to the length it is printed in. */
const FONT = 'Arial, Helvetica, "Liberation Sans", sans-serif';
const MEASURED_PIXELS = 100;
const WORD = /[\p{L}\p{N}]+/gu;

let measuring: CanvasRenderingContext2D | null | undefined;

/** Width of a text whose letters are one unit tall. */
function widthOf(text: string): number {
  measuring ??= document.createElement('canvas').getContext('2d');
  if (!measuring) return text.length / 2;
  measuring.font = `${MEASURED_PIXELS}px ${FONT}`;
  return measuring.measureText(text).width / MEASURED_PIXELS;
}

/** The text of a page over its image: invisible, but it can be selected, copied, found and marked. */
export function TextLayer(props: {
  readonly printed: PrintedPage;
  /** A sentence to mark where it is printed. */
  readonly quote: string;
  /** Words of notes, marked too. */
  readonly noted: readonly string[];
  /** Words of a question, marked inside the areas. */
  readonly words: string;
  readonly areas: readonly Area[];
}): View {
  const { printed, quote, noted, words, areas } = props;
  const { width, height, lines } = printed;
  const texts = lines.map(({ text }) => text);
  const quoted = findQuote(texts, quote);
  const byLine = Map.groupBy(quoted, ({ line }) => line);
  const notedByLine = Map.groupBy(
    noted.flatMap((each) => findQuote(texts, each)),
    ({ line }) => line,
  );
  const terms = new Set(quoted.length > 0 ? [] : analyse(words));
  return html`<div class="printed-text" style=${{ fontFamily: FONT }}>
    ${lines.map((line, at) => {
      const { text, left, right, baseline, size } = line;
      const natural = widthOf(text) * size;
      const parts = byLine.get(at) ?? withoutOverlaps(notedByLine.get(at)) ?? wordsIn(line, terms, areas);
      return html`<span
        key=${at}
        style=${{
          left: `${(left / width) * 100}%`,
          top: `${((baseline - size * 0.85) / height) * 100}%`,
          fontSize: `${(size / width) * 100}cqw`,
          transform: natural > 0 ? `scaleX(${(right - left) / natural})` : '',
        }}
        >${markedText(text, parts)}${'\n'}</span
      >`;
    })}
  </div>`;
}

/** The parts of a text that notes are about. */
export function notedIn(text: string, noted: readonly string[]): readonly Part[] {
  return withoutOverlaps(noted.flatMap((quote) => findQuote([text], quote))) ?? [];
}

function withoutOverlaps(parts: readonly Part[] | undefined): readonly Part[] | undefined {
  let last = 0;
  return parts
    ?.toSorted((a, b) => a.start - b.start)
    .flatMap((part) => {
      if (part.start < last) return [];
      last = part.end;
      return [{ ...part, isNoted: true }];
    });
}

type Part = { readonly start: number; readonly end: number; readonly isNoted?: boolean };

/** A text with marked parts, which do not overlap. */
export function markedText(text: string, parts: readonly Part[]): View {
  if (parts.length === 0) return text;
  let after = 0;
  const pieces: View[] = [];
  for (const { start, end, isNoted } of parts) {
    pieces.push(text.slice(after, start), html`<mark class=${isNoted ? 'noted' : ''}>${text.slice(start, end)}</mark>`);
    after = end;
  }
  return [...pieces, text.slice(after)];
}

function wordsIn(
  { text, left, right, baseline, size }: PrintedLine,
  terms: ReadonlySet<string>,
  areas: readonly Area[],
) {
  const [x, y] = [(left + right) / 2, baseline - size / 3];
  const isInside = areas.some((area) => x > area.left && x < area.right && y > area.top && y < area.bottom);
  if (!isInside || terms.size === 0) return [];
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) =>
    analyse(word).some((term) => terms.has(term)) ? [{ start: index, end: index + word.length }] : [],
  );
}
