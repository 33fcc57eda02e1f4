import type { TruthBlock } from './jats-truth.ts';

/** The words of a text, as they are compared between a page and the publisher's file. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}+/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** A word that is in more blocks than this says nothing about the block that a line belongs to. */
const COMMON = 12;
/** Blocks that are looked at for a line. */
const CANDIDATES = 4;
/** The share of a line's words that its block must have. */
const LEAST = 0.5;
/** What going on with a block, or with the block behind it, is worth beside the share of words. */
const STAYS = 0.3;
const NEXT = 0.15;

/** The block of the truth that each line of a paper belongs to, -1 for lines that are in none. */
export function alignLines(lines: readonly string[], truth: readonly TruthBlock[]): number[] {
  const blocks = truth.map(({ text }) => countWords(wordsOf(text)));
  const holders = new Map<string, number[]>();
  blocks.forEach((words, block) => {
    for (const word of words.keys()) {
      const own = holders.get(word);
      if (own) own.push(block);
      else holders.set(word, [block]);
    }
  });
  const all = lines.map(wordsOf);
  const likely = all.map((words) => likelyBlocks(words, holders));
  const states = lines.map((_, at) => [
    ...new Set([-1, ...[at - 1, at, at + 1].flatMap((near) => likely[near] ?? [])]),
  ]);
  return bestPath(states, (at, block) => coverage(all[at] ?? [], blocks[block]));
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function likelyBlocks(words: readonly string[], holders: ReadonlyMap<string, readonly number[]>): number[] {
  const votes = new Map<number, number>();
  for (const word of new Set(words)) {
    const own = holders.get(word) ?? [];
    if (own.length > COMMON && words.length > 2) continue;
    for (const block of own) votes.set(block, (votes.get(block) ?? 0) + word.length / own.length);
  }
  return [...votes]
    .sort(([a, one], [b, other]) => other - one || a - b)
    .slice(0, CANDIDATES)
    .map(([block]) => block);
}

/** The share of a line's letters that are in words of a block. */
function coverage(words: readonly string[], block: ReadonlyMap<string, number> | undefined): number {
  if (!block) return LEAST;
  let [found, all] = [0, 0];
  for (const word of words) {
    all += word.length;
    if (block.has(word)) found += word.length;
  }
  return all === 0 ? LEAST : found / all;
}

/** The most likely block of every line, where blocks come in order more often than not. */
function bestPath(states: readonly (readonly number[])[], score: (at: number, block: number) => number): number[] {
  let best = new Map<number, { readonly value: number; readonly path: Path | undefined }>();
  states.forEach((own, at) => {
    const next = new Map<number, { readonly value: number; readonly path: Path | undefined }>();
    for (const block of own) {
      let [value, path] = [at === 0 ? 0 : -Infinity, undefined as Path | undefined];
      for (const [before, state] of best) {
        const bonus = block < 0 || before < 0 ? 0 : before === block ? STAYS : before + 1 === block ? NEXT : 0;
        if (state.value + bonus > value) [value, path] = [state.value + bonus, { block: before, before: state.path }];
      }
      next.set(block, { value: value + score(at, block), path });
    }
    best = next;
  });
  const [end] = [...best].sort(([, one], [, other]) => other.value - one.value);
  const found: number[] = [];
  for (let path: Path | undefined = end && { block: end[0], before: end[1].path }; path; path = path.before)
    found.push(path.block);
  return found.toReversed();
}

interface Path {
  readonly block: number;
  readonly before: Path | undefined;
}
