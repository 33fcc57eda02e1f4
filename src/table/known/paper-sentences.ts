import type { CitedHit } from '../../corpus/index.ts';
import { PROSE, quoteAt } from '../../ask/index.ts';
import { sentencesOf } from '../../graph/index.ts';
import type { CellQuote } from '../cell.ts';
import { cellQuote } from '../fill-cells.ts';

/** A sentence of a paper, where it stands. */
export interface PaperSentence {
  readonly text: string;
  readonly section: CitedHit['passage']['section'];
  /** The heading right above it; empty if there is none. */
  readonly heading: string;
  readonly quote: CellQuote;
}

/** Shorter sentences are labels, such as "Financial support.", and stand with the next one. */
const LEAST_WORDS = 4;

/** Words of a heading inside a passage. */
const LONGEST_HEADING = 6;

/** Text before the introduction that is longer is not only an abstract. */
const LONGEST_ABSTRACT = 6_000;
/** Without an introduction, so much text before the first heading may be the abstract. */
const LONGEST_OPENING = 2_500;

/** Stands between the cells of a table row, which is no sentence. */
const BETWEEN_CELLS = ' | ';

/** The sentences of a paper without their headings, in order, each once. */
export function paperSentences(passages: readonly CitedHit[]): PaperSentence[] {
  const seen = new Set<string>();
  const opening = openingOf(passages);
  return passages
    .flatMap((hit) =>
      sentencesIn(hit).map((each): PaperSentence =>
        opening.has(hit) && PROSE.test(each.text) ? { ...each, section: 'abstract' } : each,
      ),
    )
    .filter(({ text }) => {
      const isNew = !seen.has(text) && !text.includes(BETWEEN_CELLS);
      seen.add(text);
      return isNew;
    });
}

/** The passages that stand where an abstract stands: before the introduction, or before the first heading. */
function openingOf(passages: readonly CitedHit[]): ReadonlySet<CitedHit> {
  const text = passages.filter(({ passage: { section } }) => !['front', 'back', 'references'].includes(section));
  const before = text.slice(0, Math.max(0, introductionOf(text)));
  if (before.length > 0 && lengthOf(before) <= LONGEST_ABSTRACT) return new Set(before);
  if (text.some(({ passage }) => passage.section === 'abstract')) return new Set();
  const headed = text.findIndex(({ passage }) => passage.headings.length > 0);
  const bare = headed === -1 ? text : text.slice(0, headed);
  return new Set(bare.filter((_, at) => lengthOf(bare.slice(0, at + 1)) <= LONGEST_OPENING));
}

/** Where the introduction begins; the parts of an abstract may have headings too, "Background" among them. */
function introductionOf(text: readonly CitedHit[]): number {
  const named = text.findIndex(({ passage }) => /\bintroduction\b/i.test(passage.headings.at(-1) ?? ''));
  return named >= 0 ? named : text.findIndex(({ passage }) => passage.section === 'introduction');
}

function lengthOf(hits: readonly CitedHit[]): number {
  return hits.reduce((sum, { passage }) => sum + passage.text.length, 0);
}

/** A heading inside a passage of several short sections: a short line with a capital letter below it. */
function headingBefore(sentence: string): string {
  const line = /^([^\n.;:]{2,60})\n\s*\n(?=\p{Lu})/u.exec(sentence)?.[1] ?? '';
  return line.split(/\s+/).length <= LONGEST_HEADING ? line : '';
}

function sentencesIn(hit: CitedHit): PaperSentence[] {
  const { text: whole, headings, section } = hit.passage;
  let heading = headings.at(-1) ?? '';
  const found: PaperSentence[] = [];
  /** Where a label begins that waits for the sentence after it. */
  let labelAt: number | undefined;
  for (const { start, end } of sentencesOf(whole)) {
    const own = whole.slice(start, end);
    const above = heading !== '' && own.startsWith(heading) ? heading : headingBefore(own);
    if (above !== '') heading = above;
    const bare = own.slice(above.length).trimStart();
    const from = labelAt ?? end - bare.length;
    const isLabel = labelAt === undefined && bare.split(/\s+/).length < LEAST_WORDS;
    labelAt = isLabel ? from : undefined;
    if (isLabel || bare === '') continue;
    const quote = cellQuote(quoteAt(hit, { start: from, end }));
    found.push({ text: quote.text.replaceAll(/\s+/g, ' '), section, heading, quote });
  }
  return found;
}
