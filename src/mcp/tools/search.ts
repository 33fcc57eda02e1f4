import { z } from 'zod';

import type { CitedHit } from '../../corpus/index.ts';
import { SECTIONS } from '../../search/index.ts';
import type { McpRun } from '../tool.ts';
import { runsNamed, tool, workLine } from '../tool.ts';

const filter = (what: string): z.ZodOptional<z.ZodString> => z.string().max(300).optional().describe(what);

const WAYS: Readonly<Record<string, string>> = {
  hybrid: 'words and meaning',
  dense: 'meaning',
  lexical: 'words',
};

export const searchTool = tool({
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
  list: 'passages',
  item: {
    rank: z.number(),
    fit: z.number().describe('Score, 0 to 1.'),
    run: z.string(),
    work: z.string().describe('The id to pass to read or cite.'),
    title: z.string(),
    by: z.string(),
    year: z.number().nullable(),
    doi: z.string().nullable(),
    license: z.string().nullable(),
    retracted: z.boolean(),
    headings: z.array(z.string()),
    part: z.string(),
    page: z.number().nullable(),
    text: z.string(),
    citation: z.string().nullable(),
  },
  text: 'text',
  line: ({ rank, title, by, year, page, headings, work, run, text, retracted }) => {
    const where = [
      ...(page === null ? [] : [`p. ${page}`]),
      ...(headings.length > 0 ? [headings.join(' › ')] : []),
      `work ${work} of ${run}`,
    ];
    const name = workLine({ title, authors: by === '' ? [] : [by], year });
    return `${rank}. ${retracted ? 'RETRACTED: ' : ''}${name}\n${where.join(' · ')}\n${text}`;
  },
  async ask(asked, runs, signal) {
    const { question, run, top, mode, exclude_retracted: excludeRetracted, min_score: minFit } = asked;
    const { year, author, venue, type, license, section, has } = asked;
    const filters = { year, author, venue, type, license, section, has, excludeRetracted };
    const request = { top, ...filters, ...(mode && { mode }), ...(minFit !== undefined && { minFit }) };
    const found: { readonly run: McpRun; readonly hit: CitedHit }[] = [];
    const modes = new Set<string>();
    let passages = 0;
    for (const each of runsNamed(run, runs)) {
      for (const hit of await each.search.search(question, request, signal)) found.push({ run: each, hit });
      const about = await each.search.about();
      modes.add(mode ?? about.mode);
      passages += about.passages;
    }
    // Scores of different indexes are not comparable; ranks and fits are.
    const best = found.sort((a, b) => a.hit.rank - b.hit.rank || b.hit.fit - a.hit.fit).slice(0, top);
    const searchedBy = [...modes].map((each) => WAYS[each] ?? each).join('; ');
    return {
      head: { question, searched_by: searchedBy, passages_searched: passages },
      summary:
        best.length === 0
          ? `No results for "${question}" among ${passages} passages, searched by ${searchedBy}.`
          : `${best.length} passages for "${question}" among ${passages}, searched by ${searchedBy}.`,
      items: best.map(({ run: { id }, hit: { fit, passage, work } }, at) => {
        const authors = work?.authors.map(({ name }) => name) ?? [];
        return {
          rank: at + 1,
          fit: Math.round(fit * 100) / 100,
          run: id,
          work: work?.id ?? passage.document,
          title: work?.title ?? passage.title,
          by: authors.length > 3 ? `${authors[0] ?? ''} et al.` : authors.join(', '),
          year: work?.year ?? null,
          doi: work?.doi ?? null,
          license: work?.license ?? null,
          retracted: work !== null && work.retraction !== null,
          headings: passage.headings.slice(-4),
          part: passage.section,
          page: passage.page ?? null,
          text: passage.text,
          citation: work?.apa ?? null,
        };
      }),
    };
  },
});
