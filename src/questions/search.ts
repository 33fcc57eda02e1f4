import { z } from 'zod';

import type { CitedHit } from '../corpus/index.ts';
import { SECTIONS } from '../search/index.ts';
import { question, workLine } from './question.ts';
import { passage } from './shapes/index.ts';

const filter = (what: string): z.ZodOptional<z.ZodString> => z.string().max(1_000).optional().describe(what);

const WAYS: Readonly<Record<string, string>> = {
  hybrid: 'words and meaning',
  dense: 'meaning',
  lexical: 'words',
};

type Passage = z.output<typeof passage>;

/** How `search` and `ask` list passages. */
export const PASSAGES = {
  list: 'passages',
  item: passage.shape,
  text: 'text',
  omitted: ['venue', 'bibtex', 'id', 'document', 'boxes', 'link'],
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

export function shownPassage(run: string, { fit, passage: from, work, link }: CitedHit, rank: number): Passage {
  const authors = work?.authors.map(({ name }) => name) ?? [];
  return {
    rank,
    fit: Math.round(fit * 100) / 100,
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
    year: filter('Only works from these years: 2020, 2018-2022, 2018-, -2022.'),
    author: filter('Only works by this author: part of a name, or an ORCID.'),
    venue: filter('Only works from this journal or repository: part of its name.'),
    type: filter('Only works of this type, such as article or preprint.'),
    license: filter('Only works under these licences, such as cc-by; comma-separated.'),
    section: filter(`Only these sections, comma-separated: ${SECTIONS.join(', ')}.`),
    has: z.enum(['table', 'figure']).optional().describe('Only passages that contain one.'),
    exclude_retracted: z.boolean().optional().describe('Exclude retracted works.'),
    min_score: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Minimum score of a passage, 0 to 1; 0 always returns the nearest passages.'),
  },
  head: {
    question: z.string(),
    searched_by: z.string().describe('Words, meaning, or both.'),
    passages_searched: z.number(),
  },
  ...PASSAGES,
  async ask(asked, runs, signal) {
    const { question: words, exclude_retracted: excludeRetracted, min_score: minFit, mode, ...filters } = asked;
    const { top, year, author, venue, type, license, section, has } = filters;
    const wanted = { top, year, author, venue, type, license, section, has, excludeRetracted };
    const request = { ...wanted, ...(mode && { mode }), ...(minFit !== undefined && { minFit }) };
    const found: { readonly run: string; readonly hit: CitedHit }[] = [];
    const modes = new Set<string>();
    let passages = 0;
    for (const { id, search } of runs)
      await search.use(async (session) => {
        for (const hit of await session.search(words, request, signal)) found.push({ run: id, hit });
        modes.add(mode ?? session.mode);
        passages += session.passages;
      });
    // Scores of different indexes are not comparable; ranks and fits are.
    const best = found.sort((a, b) => a.hit.rank - b.hit.rank || b.hit.fit - a.hit.fit).slice(0, top);
    const searchedBy = [...modes].map((each) => WAYS[each] ?? each).join('; ');
    return {
      head: { question: words, searched_by: searchedBy, passages_searched: passages },
      summary:
        best.length === 0
          ? `No results for "${words}" among ${passages} passages, searched by ${searchedBy}.`
          : `${best.length} passages for "${words}" among ${passages}, searched by ${searchedBy}.`,
      items: best.map(({ run, hit }, at) => shownPassage(run, hit, at + 1)),
    };
  },
});
