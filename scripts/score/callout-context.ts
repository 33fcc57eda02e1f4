import type { Callout } from '../../src/graph/extract/callouts-author-year.ts';
import type { Block } from '../../src/parse/index.ts';

/**
 * A citation range that is one link counts as one callout per work, all at its dash. This writes the range out number
 * by number, as publishers do in their XML, so that each callout has its own position.
 */
export function writeOutRanges(
  blocks: readonly Block[],
  callouts: readonly Callout[],
  labelOf: (position: number) => string | number,
): { readonly blocks: readonly Block[]; readonly callouts: readonly Callout[] } {
  const texts = new Map(blocks.map(({ order, text }) => [order, text]));
  const isMember = ({ block, start, end }: Callout): boolean =>
    /^\s?[-–—−‐‑]\s?$/u.test((texts.get(block) ?? '').slice(start, end));
  const places = callouts.map(({ start, end }) => ({ start, end }));
  const members = [...callouts.keys()].filter((at) => callouts[at] && isMember(callouts[at]));
  // From the last dash of a block to the first, so that earlier offsets stay valid.
  for (const range of [
    ...Map.groupBy(members, (at) => `${callouts[at]?.block}:${callouts[at]?.start}`).values(),
  ].toReversed()) {
    const { block, start, end } = callouts[range[0] ?? 0] ?? { block: 0, start: 0, end: 0 };
    const text = texts.get(block) ?? '';
    let written = '';
    for (const at of range) {
      const label = (callouts[at]?.references ?? []).map(labelOf).join();
      written += `–${label}`;
      places[at] = { start: start + written.length - label.length, end: start + written.length };
    }
    written += '–';
    texts.set(block, text.slice(0, start) + written + text.slice(end));
    const grown = written.length - (end - start);
    for (const [at, place] of places.entries()) {
      const callout = callouts[at];
      if (callout?.block === block && callout.start >= end)
        places[at] = { start: place.start + grown, end: place.end + grown };
    }
  }
  const moved = callouts.map((callout, at) => ({ ...callout, ...places[at] }));
  return { blocks: blocks.map((block) => ({ ...block, text: texts.get(block.order) ?? '' })), callouts: moved };
}

/** The text around a callout; includes the other part of a paragraph that was split inside a sentence. */
export function around(
  blocks: readonly Block[],
  at: number,
  start: number,
  end: number,
): { readonly before: string; readonly after: string } {
  const text = blocks[at]?.text ?? '';
  const lead = start < 80 ? neighbour(blocks, at, -1) : undefined;
  const tail = text.length - end < 60 ? neighbour(blocks, at, 1) : undefined;
  return {
    before: `${lead && isUnfinished(lead) ? `${lead} ` : ''}${text.slice(0, start)}`.slice(-80),
    after: `${text.slice(end)}${tail && isUnfinished(text) ? ` ${tail}` : ''}`.slice(0, 60),
  };
}

/** The next paragraph in a direction, skipping figures and page headers, but not a heading. */
function neighbour(blocks: readonly Block[], at: number, step: -1 | 1): string | undefined {
  if (blocks[at]?.kind !== 'text') return undefined;
  for (let other = at + step; other >= 0 && other < blocks.length && Math.abs(other - at) < 12; other += step) {
    const block = blocks[other];
    if (!block || block.kind === 'heading') return undefined;
    if (block.kind === 'text' && isProse(block.text)) return block.text;
  }
  return undefined;
}

/** Whether a text is prose rather than an address, a journal name or a footnote mark. */
function isProse(text: string): boolean {
  const words = text.match(/\p{L}[\p{L}'’-]*/gu) ?? [];
  return (
    words.length > 2 &&
    words.filter((word) => /^\p{Ll}/u.test(word)).length * 2 >= words.length &&
    !/^https?:\S+$/u.test(text.trim())
  );
}

/** Whether a text ends inside a sentence. */
function isUnfinished(text: string): boolean {
  return !/[.!?:]["”’')\]]*(?:\s?\[[\d,\s–-]+\]|[\d,\s–−-]+)?$/u.test(text.trim());
}
