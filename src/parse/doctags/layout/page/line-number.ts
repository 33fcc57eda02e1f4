import type { PageSegments } from './furniture.ts';
import { isDigit } from '../text/letter.ts';
import type { Segment } from './segment.ts';

/** The numbers of lines on all pages: where most have them, those of a page with few lines are in the same place. */
export function numberedLines(pages: readonly PageSegments[]): Set<Segment> {
  const byPage = pages.map((page) => lineNumbers(page));
  const counted = new Set(byPage.flat());
  if (byPage.filter((numbers) => numbers.length > 0).length < Math.max(2, 0.5 * pages.length)) return counted;
  const edges = new Set([...counted].map((segment) => Math.round(segment.right)));
  const sizes = new Set([...counted].map((segment) => Math.round(segment.size)));
  pages.forEach((page, index) => {
    if ((byPage[index]?.length ?? 0) > 0) return;
    for (const segment of page.segments)
      if (
        edges.has(Math.round(segment.right)) &&
        sizes.has(Math.round(segment.size)) &&
        segment.glyphs.length <= 4 &&
        segment.glyphs.every((glyph) => isDigit(glyph.text))
      )
        counted.add(segment);
  });
  return counted;
}

/** Manuscripts number their lines in the margin: a column of integers that grow steadily, outside of the text. */
function lineNumbers(page: PageSegments): Segment[] {
  const numbers = page.segments
    .filter((segment) => segment.glyphs.length <= 4)
    .map((segment) => ({ segment, text: segment.glyphs.map((glyph) => glyph.text).join('') }))
    .filter(({ text }) => /^\d{1,4}$/u.test(text))
    .map(({ segment, text }) => ({ segment, value: Number(text) }))
    .sort((a, b) => a.segment.baseline - b.segment.baseline);
  const result: Segment[] = [];
  for (const column of numberColumns(numbers.map(({ segment }) => segment))) {
    const own: typeof numbers = [];
    for (const number of numbers) {
      const last = own.at(-1);
      if (column.has(number.segment) && (!last || (number.value > last.value && number.value <= last.value + 20)))
        own.push(number);
    }
    // Where a line is not numbered, or its number could not be read, the count continues.
    const steps = own.slice(1).map(({ value }, index) => value - (own[index]?.value ?? 0));
    const step = [1, 2, 5, 10].find((each) => steps.filter((value) => value === each).length >= 0.75 * steps.length);
    if (own.length < 5 || step === undefined) continue;
    if (!isEvenlySet(own.map(({ segment }) => segment.baseline)) || countsEntries(own, page)) continue;
    const left = Math.min(...own.map(({ segment }) => segment.left));
    const right = Math.max(...own.map(({ segment }) => segment.right));
    const text = page.segments.filter((segment) => segment.glyphs.length > 4);
    const beside = text.filter((segment) => segment.right > left && segment.left < right).length;
    const outside =
      text.every((segment) => segment.left > right - 1) || text.every((segment) => segment.right < left + 1);
    if (outside || beside <= 0.02 * text.length) result.push(...own.map(({ segment }) => segment));
  }
  return result;
}

/** Beside the numbers are clearly more lines than they count: these are the labels of a list. */
function countsEntries(own: readonly { segment: Segment; value: number }[], page: PageSegments): boolean {
  const [first] = own;
  const last = own.at(-1);
  if (!first || !last) return false;
  const right = Math.max(...own.map(({ segment }) => segment.right));
  const lines = page.segments.filter(
    ({ glyphs, left, baseline }) =>
      glyphs.length > 4 &&
      left > right - 1 &&
      left < right + 60 &&
      baseline > first.segment.baseline - 1 &&
      baseline < last.segment.baseline - 1,
  );
  return new Set(lines.map(({ baseline }) => Math.round(baseline / 3))).size > 1.6 * (last.value - first.value);
}

/** Lines are evenly set; the entries of a list have one line or several. */
function isEvenlySet(baselines: readonly number[]): boolean {
  const gaps = baselines.slice(1).map((y, index) => y - (baselines[index] ?? 0));
  const usual = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0;
  return gaps.filter((gap) => Math.abs(gap - usual) < 0.12 * usual).length >= 0.65 * gaps.length;
}

/** Numbers whose left or right ends are below each other. */
function numberColumns(numbers: readonly Segment[]): Set<Segment>[] {
  const byEdge = (edge: 'left' | 'right'): Set<Segment>[] => {
    const groups: { at: number; own: Set<Segment> }[] = [];
    for (const number of numbers) {
      const group = groups.find(({ at }) => Math.abs(at - number[edge]) < 2);
      if (group) group.own.add(number);
      else groups.push({ at: number[edge], own: new Set([number]) });
    }
    return groups.map(({ own }) => own);
  };
  return [...byEdge('right'), ...byEdge('left')];
}
