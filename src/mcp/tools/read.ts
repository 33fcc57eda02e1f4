import { z } from 'zod';

import type { TextPiece } from '../../corpus/index.ts';
import { AppError } from '../../base/index.ts';
import type { JsonObject } from '../answer.ts';
import { scalarText } from '../answer.ts';
import { ANSWER, CUTS, PAGING, RUN, tool, workNamed } from '../tool.ts';

/** Adjacent blocks of a page are joined up to this many characters. */
const TOGETHER = 2_000;
const MOST_HEADINGS = 60;

export const readTool = tool({
  name: 'read',
  title: 'Read a work',
  description: 'Reads a section or pages of a work as Markdown, or the whole text, with an outline of its headings.',
  input: z.strictObject({
    work: z.string().min(1).max(500).describe('Id of the work, as returned by search and works, or its DOI.'),
    ...RUN,
    section: z
      .string()
      .max(300)
      .optional()
      .describe('A section type (abstract, introduction, methods, results, discussion, …) or words of a heading.'),
    pages: z.string().max(30).optional().describe('Pages: 3, 3-5 or 3-.'),
    ...PAGING,
  }),
  output: z.object({
    ...ANSWER,
    run: z.string(),
    work: z.string(),
    title: z.string(),
    retracted: z.boolean(),
    pages: z.number().describe('Number of pages; 0 for a document without pages.'),
    outline: z.array(z.object({ heading: z.string(), level: z.number(), page: z.number().nullable() })),
    text: z.array(z.object({ page: z.number().nullable(), text: z.string(), ...CUTS })),
  }),
  async ask({ work: name, run: from, section, pages, cursor }, runs) {
    const { run, work } = await workNamed(name, from, runs);
    if (!work.hasText)
      throw new AppError('CORPUS_NO_TEXT', `no text available for ${work.id}: ${work.reason || work.outcome}`, {
        hint: 'the tool account shows why works are missing',
      });
    const document = await run.corpus.library.document(work.document);
    const pieces = joined(await run.corpus.library.text(work.document, { section, pages }));
    const title = work.title ?? document.title ?? work.document;
    const isFirst = cursor === undefined;
    const headings = document.outline.map(({ heading, level, page }) => ({ heading, level, page }));
    if (pieces.length === 0)
      throw new AppError('USAGE_PART', `${work.id} has no ${section === undefined ? 'such pages' : 'such section'}`, {
        hint: `it has ${document.pages.length} pages and these headings: ${headings
          .slice(0, 30)
          .map(({ heading }) => heading.slice(0, 60))
          .join('; ')}`,
      });
    return {
      head: {
        run: run.id,
        work: work.id,
        title,
        retracted: work.isRetracted,
        pages: document.pages.length,
        outline: isFirst ? headings.slice(0, MOST_HEADINGS) : [],
      },
      list: 'text',
      summary: `${work.isRetracted ? 'RETRACTED: ' : ''}${title} (work ${work.id} of ${run.id})${
        isFirst && headings.length > 0
          ? `\nHeadings: ${headings
              .slice(0, MOST_HEADINGS)
              .map(({ heading }) => heading)
              .join(' · ')}`
          : ''
      }`,
      items: pieces.map(({ page, text }) => ({ data: { page, text }, text: 'text', line })),
    };
  },
});

function line({ page, text }: JsonObject): string {
  return `${page === null || page === undefined ? '' : `[p. ${scalarText(page)}] `}${scalarText(text)}`;
}

function joined(pieces: readonly TextPiece[]): { readonly page: number | null; readonly text: string }[] {
  const parts: { page: number | null; text: string }[] = [];
  for (const { page, text } of pieces) {
    const last = parts.at(-1);
    if (last && last.page === page && last.text.length + text.length < TOGETHER) last.text += `\n\n${text}`;
    else parts.push({ page, text });
  }
  return parts;
}
