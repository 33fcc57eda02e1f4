import { z } from 'zod';

import { AppError } from '../../base/index.ts';
import type { JsonObject } from '../answer.ts';
import { scalarText } from '../answer.ts';
import { ANSWER, CUTS, PAGING, RUN, tool, workNamed } from '../tool.ts';

export const figuresTool = tool({
  name: 'figures',
  title: 'Figures and tables',
  description: 'Lists the figures and tables of a work with their captions and pages, tables with their cells.',
  input: z.strictObject({
    work: z.string().min(1).max(500).describe('Id of the work, or its DOI.'),
    ...RUN,
    kind: z.enum(['figure', 'table']).optional(),
    ...PAGING,
  }),
  output: z.object({
    ...ANSWER,
    run: z.string(),
    work: z.string(),
    title: z.string().nullable(),
    figures: z.array(
      z.object({
        kind: z.string(),
        page: z.number().nullable(),
        caption: z.string(),
        cells: z.string().nullable().describe('Rows of a table, with cells separated by |; null for a figure.'),
        ...CUTS,
      }),
    ),
  }),
  async ask({ work: name, run: from, kind }, runs) {
    const { run, work } = await workNamed(name, from, runs);
    if (!work.hasText)
      throw new AppError('CORPUS_NO_TEXT', `no text available for ${work.id}: ${work.reason || work.outcome}`, {
        hint: 'the tool account shows why works are missing',
      });
    const figures = await run.corpus.library.figures(work.document, kind);
    return {
      head: { run: run.id, work: work.id, title: work.title },
      list: 'figures',
      summary: `${figures.length} ${kind ?? 'figure'}s${kind ? '' : ' and tables'} in ${work.title ?? work.id}.`,
      items: figures.map(({ kind: is, page, caption, rows }) => {
        const cells =
          rows?.map((row) => row.map((cell) => cell.replaceAll(/\s+/g, ' ')).join(' | ')).join('\n') ?? null;
        return { data: { kind: is, page, caption, cells }, ...(cells !== null && { text: 'cells' }), line };
      }),
    };
  },
});

function line({ kind, page, caption, cells }: JsonObject): string {
  const where = page === null ? '' : `, p. ${scalarText(page)}`;
  return `${scalarText(kind)}${where}: ${scalarText(caption) || 'without a caption'}${cells === null ? '' : `\n${scalarText(cells)}`}`;
}
