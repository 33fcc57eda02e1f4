import * as z from 'zod';

import { passage, passageFilter } from '../library/shapes/index.ts';
import type { CitedHit } from '../corpus/index.ts';
import { SEARCHED_BY, SECTIONS } from '../search/index.ts';
import { counted, question, workLine, worksChoice } from './question.ts';

export const FILTERS = {
  works: worksChoice.optional(),
  ...passageFilter.shape,
  section: passageFilter.shape.section.describe(`Only these sections, comma-separated: ${SECTIONS.join(', ')}.`),
  exclude_retracted: z.boolean().optional().describe('Exclude retracted works.'),
};

type Passage = z.output<typeof passage>;

/** How `search` and `ask` list passages. */
export const PASSAGES = {
  list: 'passages',
  item: passage.shape,
  text: 'text',
  omitted: ['found_by', 'venue', 'bibtex', 'id', 'document', 'boxes', 'link'],
  line: ({ rank, title, by, year, page, headings, work, run, text, retracted }: Passage): string => {
    const where = [
      ...(page === null ? [] : [`p. ${page}`]),
      ...(headings.length > 0 ? [headings.join(' › ')] : []),
      `work ${work} of ${run}`,
    ];
    const name = workLine({ title, authors: by === '' ? [] : [by], year });
    return `${rank}. ${retracted ? 'RETRACTED: ' : ''}${name}\n${where.join(' · ')}\n${text}`;
  },
} as const;

export function shownPassage(run: string, { fit, by, passage: from, work, link }: CitedHit, rank: number): Passage {
  const authors = work?.authors.map(({ name }) => name) ?? [];
  return {
    rank,
    fit: Math.round(fit * 100) / 100,
    found_by: by,
    run,
    work: work?.id ?? from.document,
    title: work?.title ?? from.title,
    by: authors.length > 3 ? `${authors[0] ?? ''} et al.` : authors.join(', '),
    year: work?.year ?? null,
    venue: work?.venue ?? null,
    doi: work?.doi ?? null,
    license: work?.license ?? null,
    retracted: work !== null && work.retraction !== null,
    headings: from.headings.slice(-4),
    part: from.section,
    page: from.page ?? null,
    text: from.text,
    citation: work?.apa ?? null,
    bibtex: work?.bibtex ?? null,
    id: from.id,
    document: from.document,
    boxes: from.boxes.map(({ page, box }) => ({ page, ...box })),
    link,
  };
}

export const searchQuestion = question({
  name: 'search',
  title: 'Search the papers',
  description:
    'Finds passages that answer a question, by words and meaning, best first, each with its work, page and citation. Use the tool read to read more of a work.',
  input: {
    question: z.string().min(1).max(2_000).describe('A question or words to search for.'),
    top: z.int().min(1).max(100).default(10).describe('Number of passages.'),
    mode: z
      .enum(['hybrid', 'dense', 'lexical'])
      .optional()
      .describe(
        'hybrid: by words and meaning; dense: by meaning; lexical: by words. Default: the best the corpus supports.',
      ),
    ...FILTERS,
    min_fit: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Minimum fit of a passage, 0 to 1; 0 always returns the nearest passages.'),
  },
  head: {
    question: z.string(),
    searched_by: z.string().describe('Words, meaning, or both.'),
    passages_searched: z.number(),
    works_screened_out: z
      .int()
      .describe('Works that screening excluded: they are searched only if `works` is given, such as excluded.'),
  },
  ...PASSAGES,
  async ask(asked, runs, signal) {
    const { question: words, works, exclude_retracted: excludeRetracted, min_fit: minFit, mode, ...filters } = asked;
    const { top } = filters;
    const request = { ...filters, excludeRetracted, ...(mode && { mode }), ...(minFit !== undefined && { minFit }) };
    const found: { readonly run: string; readonly hit: CitedHit }[] = [];
    const ways = new Set<string>();
    let [passages, screenedOut] = [0, 0];
    for (const { id, corpus, search } of runs)
      await search.use(async (session) => {
        const chosen = { ...request, works: corpus.chooseWorks(works) };
        for (const hit of await session.search(words, chosen, signal)) found.push({ run: id, hit });
        ways.add(SEARCHED_BY[mode ?? session.mode]);
        passages += session.passages;
        if (works === undefined) screenedOut += session.worksScreenedOut;
      });
    // Scores of different indexes are not comparable; ranks and fits are.
    const best = found.sort((a, b) => a.hit.rank - b.hit.rank || b.hit.fit - a.hit.fit).slice(0, top);
    const searchedBy = [...ways].join('; ');
    const without = screenedOut === 0 ? '' : ` Without ${counted(screenedOut, 'work')} that screening excluded.`;
    return {
      head: { question: words, searched_by: searchedBy, passages_searched: passages, works_screened_out: screenedOut },
      summary:
        best.length === 0
          ? `No results for "${words}" among ${counted(passages, 'passage')}, searched by ${searchedBy}.${without}`
          : `Passages for "${words}", ${best.length} of ${passages}, searched by ${searchedBy}.${without}`,
      items: best.map(({ run, hit }, at) => shownPassage(run, hit, at + 1)),
    };
  },
});
