import type { Block, Jump } from '../../parse/index.ts';
import type { Callout } from './callouts.ts';
import { isNumbered, isRangeJoint, labelsOf, meantBetween, readNumbers } from './callouts-numbers.ts';
import type { ListedReference } from './reference-list.ts';

/** What stands around a number or a name inside a link. */
const EDGE_BEFORE = /^[\s[(,;]+/u;
const EDGE_BEHIND = /[\s\]),;.]/u;
const NUMBERS = /^\d{1,3}[a-z]?(?:\s?[,;–—−‐-]\s?\d{1,3}[a-z]?|\s\d{1,3}[a-z]?)*$/u;
const LAST_YEAR = /(?:1[6-9]|20)\d\d[a-z]?\)?$/u;
const RANGE = /^\d{1,3}\s?[–—−‐-]\s?\d{1,3}$/u;

/** A link of a block to a page that has references, without what stands around it. */
interface LinkedSpan {
  readonly block: Block;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Callouts by number that a PDF's own links mark: where publishers have linked them, that is where they are. */
export function linkedNumbers(
  blocks: readonly Block[],
  references: readonly ListedReference[],
  pages: ReadonlySet<number>,
): Callout[] {
  const byLabel = labelsOf(references);
  const spans = spansOf(blocks, pages).filter(
    ({ block, start, text }) => NUMBERS.test(text) && !isNumbered(block.text, start),
  );
  // One link over "12 13" or "3, 5–7" means all of it; where lists are linked number by number, one over a range means each.
  const wholes = spans.some(({ text }) => !/^\d+[a-z]?$/u.test(text) && !RANGE.test(text));
  const callouts = spans.flatMap(({ block, start, end, text }) => {
    const found = readNumbers(block, start, text, byLabel) ?? [];
    const [first, ...others] = found.flatMap(({ references: each, further }) => [...further, ...each]);
    if (first === undefined || found.length < 2) return found;
    const place = { block: block.order, start, end };
    if (wholes) return [{ ...place, references: [first], further: others }];
    // The ends of the range stand where they are printed, what lies between at the dash.
    const [from, to] = [found[0], found.at(-1)];
    return found.flatMap((each) => [
      ...each.further.map((position) => ({
        ...place,
        start: from?.end ?? start,
        end: to?.start ?? end,
        references: [position],
        further: [],
      })),
      { ...each, further: [] },
    ]);
  });
  return withRanges(callouts, blocks, byLabel);
}

/** "3–6" whose ends are linked one by one means 4 and 5 as well: they go with the second end. */
function withRanges(
  callouts: readonly Callout[],
  blocks: readonly Block[],
  byLabel: ReadonlyMap<string, number>,
): Callout[] {
  const texts = new Map(blocks.map(({ order, text }) => [order, text]));
  return callouts.map((last, at) => {
    const first = callouts[at - 1];
    const text = texts.get(last.block) ?? '';
    if (first?.block !== last.block || !isRangeJoint(text.slice(first.end, last.start))) return last;
    const [from, to] = [first, last].map(({ start, end }) => Number(text.slice(start, end)));
    if (from === undefined || to === undefined) return last;
    return { ...last, further: meantBetween(from, to, byLabel) };
  });
}

/**
 * Callouts by author and year, each as far as it is linked: some publishers link the names as well, some the year alone.
 * A publisher links all in one way: where most links begin at the year, those that are lost or that run together with the
 * link of the names in front do so too.
 */
export function withLinkedSpans(
  printed: readonly Callout[],
  blocks: readonly Block[],
  pages: ReadonlySet<number>,
): Callout[] {
  const spans = Map.groupBy(spansOf(blocks, pages), ({ block }) => block.order);
  const texts = new Map(blocks.map(({ order, text }) => [order, text]));
  const linked = printed.map((callout) => {
    const [span] = (spans.get(callout.block) ?? [])
      .filter(({ start, end }) => start < callout.end && start >= callout.start && end >= callout.end - 1)
      .toSorted((a, b) => a.end - a.start - (b.end - b.start));
    const text = texts.get(callout.block)?.slice(callout.start, callout.end) ?? '';
    const year = callout.start + (LAST_YEAR.exec(text)?.index ?? 0);
    return { callout, year, start: span?.start };
  });
  const named = linked.filter(({ callout, year }) => callout.start < year);
  const years = named.filter(({ year, start }) => start === year).length;
  const wholes = named.filter(({ callout, start }) => start === callout.start).length;
  return linked.map(({ callout, year, start }) => ({
    ...callout,
    start: years > wholes ? year : (start ?? callout.start),
  }));
}

function spansOf(blocks: readonly Block[], pages: ReadonlySet<number>): LinkedSpan[] {
  return blocks.flatMap((block) => {
    const spans = (block.jumps ?? []).filter(({ page }) => pages.has(page)).map((jump) => trimmed(block, jump));
    // Some files draw a link several times in one place.
    return [...new Map(spans.map((span) => [`${span.start}:${span.end}`, span])).values()];
  });
}

function trimmed(block: Block, jump: Jump): LinkedSpan {
  const text = block.text.slice(jump.start, jump.end);
  const before = EDGE_BEFORE.exec(text)?.[0].length ?? 0;
  let behind = 0;
  while (behind < text.length - before && EDGE_BEHIND.test(text.charAt(text.length - behind - 1))) behind += 1;
  const [start, end] = [jump.start + before, jump.end - behind];
  return { block, start, end, text: block.text.slice(start, end) };
}
