import type { Block } from '../../src/parse/index.ts';

/** The text around a callout; where a paragraph was cut in two inside a sentence, that of the other part goes along. */
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

/** The next paragraph in a direction, past figures and furniture, not past a heading. */
function neighbour(blocks: readonly Block[], at: number, step: -1 | 1): string | undefined {
  if (blocks[at]?.kind !== 'text') return undefined;
  for (let other = at + step; other >= 0 && other < blocks.length && Math.abs(other - at) < 12; other += step) {
    const block = blocks[other];
    if (!block || block.kind === 'heading') return undefined;
    if (block.kind === 'text' && isProse(block.text)) return block.text;
  }
  return undefined;
}

/** Sentences or a piece of one, and not an address, a journal's name or a mark at the page's foot. */
function isProse(text: string): boolean {
  const words = text.match(/\p{L}[\p{L}'’-]*/gu) ?? [];
  return (
    words.length > 2 &&
    words.filter((word) => /^\p{Ll}/u.test(word)).length * 2 >= words.length &&
    !/^https?:\S+$/u.test(text.trim())
  );
}

/** Whether a text stops inside a sentence. */
function isUnfinished(text: string): boolean {
  return !/[.!?:]["”’')\]]*(?:\s?\[[\d,\s–-]+\]|[\d,\s–−-]+)?$/u.test(text.trim());
}
