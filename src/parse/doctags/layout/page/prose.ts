import type { Box } from '../../../document.ts';
import { shareInside } from './box.ts';
import { mostFrequent } from '../text/glyph-type.ts';
import type { Segment } from './segment.ts';
import { sameRow } from './segment.ts';

/** Ems from which a line may be one of running text. */
const WIDE = 15;
/** Lines in a row that make a paragraph and not a long cell. */
const RUN = 4;

/**
 * The segments of running text: lines below each other, wide, at the pitch of one paragraph, whose left and right ends
 * agree. Cells of tables are short, or ragged, or rows apart.
 */
export function proseSegments(segments: readonly Segment[]): Set<Segment> {
  const wide = segments
    .filter((segment) => segment.right - segment.left > WIDE * segment.size)
    .sort((a, b) => a.baseline - b.baseline);
  const prose = new Set<Segment>();
  const seen = new Set<Segment>();
  for (const start of wide) {
    if (seen.has(start)) continue;
    const run = [start];
    for (const next of wide) {
      const last = run.at(-1);
      if (!last || next.baseline <= last.baseline) continue;
      if (next.baseline - last.baseline > 2.2 * last.size) break;
      if (follows(last, next)) run.push(next);
    }
    for (const each of run) seen.add(each);
    if (run.length >= RUN && isText(run)) for (const each of run) prose.add(each);
  }
  return prose;
}

function follows(above: Segment, below: Segment): boolean {
  const em = above.size;
  return (
    Math.abs(above.size - below.size) < 0.15 * em &&
    below.baseline - above.baseline < 1.8 * em &&
    Math.abs(above.left - below.left) < 2.5 * em &&
    Math.abs(above.right - below.right) < 6 * em
  );
}

/** Most lines end at one edge; or they nearly fill the width and continue in the middle of a sentence, as cells do not. */
function isText(run: readonly Segment[]): boolean {
  const right = Math.max(...run.map((segment) => segment.right));
  const left = Math.min(...run.map((segment) => segment.left));
  const within = (share: number): number =>
    run.filter((segment) => segment.right > right - share * (right - left)).length / run.length;
  const small = run.filter((segment) => /^\p{Ll}/u.test(segment.glyphs[0]?.text ?? '')).length / run.length;
  return within(0.03) >= 0.7 || (within(0.08) >= 0.6 && small >= 0.4);
}

/** The share of the letters in a box that are running text; a long text beside short cells is a cell too. */
export function proseShare(box: Box, segments: readonly Segment[], prose: ReadonlySet<Segment>): number {
  let all = 0;
  let running = 0;
  const inside = segments.filter((segment) => shareInside(segment, box) >= 0.5);
  const short = inside.filter((segment) => !prose.has(segment));
  for (const segment of inside) {
    all += segment.glyphs.length;
    if (prose.has(segment) && !short.some((other) => sameRow(other, segment))) running += segment.glyphs.length;
  }
  return all === 0 ? 0 : running / all;
}

/** The font and size that most letters of some segments are set in. */
export function mainType(segments: Iterable<Segment>): string | undefined {
  const counts = new Map<string, number>();
  for (const segment of segments)
    counts.set(typeKey(segment), (counts.get(typeKey(segment)) ?? 0) + segment.glyphs.length);
  return mostFrequent(counts);
}

/** A segment's font and size, to be compared. */
export function typeKey({ font, size }: Segment): string {
  return `${font.name} ${Math.round(size * 2)}`;
}
