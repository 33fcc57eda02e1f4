import { foldCase } from '../../base/text/index.ts';

/** Words that say nothing about what a paper is about. */
const EMPTY = new Set(
  'a across after among an and are as at before between by during case for from how in into is its more new no not of on or over the their through to toward towards two under using use used via what when where which with within without study studies analysis approach based effect effects evaluation review results role trial paper research investigation comparison comparative'.split(
    ' ',
  ),
);
const [FEWEST_WORDS, MOST_WORDS] = [2, 3];
const EXAMPLES = 4;

/** Groups of words that several titles share, most often first; a longer one stands for those in it. */
export function topicsOf(titles: readonly string[]): string[] {
  const papers = new Map<string, Set<number>>();
  const shown = new Map<string, string>();
  for (const [paper, title] of titles.entries())
    for (const run of runsOf(title))
      for (let length = FEWEST_WORDS; length <= MOST_WORDS; length += 1)
        for (let at = 0; at + length <= run.length; at += 1) {
          const words = run.slice(at, at + length);
          const key = foldCase(words.join(' '));
          if (!shown.has(key)) shown.set(key, words.join(' '));
          papers.set(key, (papers.get(key) ?? new Set()).add(paper));
        }
  const weight = (key: string): number => (papers.get(key)?.size ?? 0) * Math.sqrt(key.split(' ').length);
  const common = [...papers.keys()]
    .filter((key) => (papers.get(key)?.size ?? 0) > 1)
    .toSorted((a, b) => weight(b) - weight(a) || (a < b ? -1 : 1));
  const chosen: string[] = [];
  for (const key of common)
    if (chosen.length < EXAMPLES && !chosen.some((other) => sharesWords(other, key))) chosen.push(key);
  return chosen.map((key) => lowered(shown.get(key) ?? key));
}

/** Questions that one might ask of papers with these titles. */
export function exampleQuestions(titles: readonly string[]): string[] {
  const asked = [
    'What is known about %?',
    'How was % measured?',
    'Which results on % are reported?',
    'What are the limits of studies of %?',
  ];
  return topicsOf(titles).map((topic, at) => (asked[at % asked.length] ?? '%').replace('%', topic));
}

/** Words of a title between those that say nothing and the signs that part it. */
function runsOf(title: string): string[][] {
  return title.split(/[^\p{L}\p{N}\s'’-]+/u).flatMap((part) => {
    const runs: string[][] = [[]];
    for (const word of part.split(/\s+/))
      if (word.length < 2 || /^\d+$/.test(word) || EMPTY.has(foldCase(word))) runs.push([]);
      else runs.at(-1)?.push(word);
    return runs.filter((run) => run.length >= FEWEST_WORDS);
  });
}

function sharesWords(one: string, other: string): boolean {
  const words = new Set(one.split(' '));
  return other.split(' ').some((word) => words.has(word));
}

/** Title case and capitals are taken back; names such as DNA or lithium-ion keep theirs. */
function lowered(words: string): string {
  const isShouted = words === words.toUpperCase();
  return words
    .split(' ')
    .map((word) => (isShouted || /^\p{Lu}[\p{Ll}-]+$/u.test(word) ? word.toLowerCase() : word))
    .join(' ');
}
