import { z } from 'zod';

import { relatedWorks } from '../../corpus/index.ts';
import { scalarText } from '../answer.ts';
import { ANSWER, PAGING, RUN, tool, workNamed } from '../tool.ts';

export const relatedTool = tool({
  name: 'related',
  title: 'Related works',
  description:
    'Finds works related to a work: by co-citation and shared references if there is a knowledge graph, then by similar content.',
  input: z.strictObject({
    work: z.string().min(1).max(500).describe('Id of the work, or its DOI.'),
    ...RUN,
    limit: z.int().min(1).max(50).default(10),
    ...PAGING,
  }),
  output: z.object({
    ...ANSWER,
    run: z.string(),
    work: z.string(),
    title: z.string().nullable(),
    related: z.array(
      z.object({
        work: z.string(),
        title: z.string().nullable(),
        year: z.number().nullable(),
        in_corpus: z.boolean(),
        cited_together: z.number(),
        shared_references: z.number(),
        fit: z.number().nullable().describe('Similarity of content; null if related by citations.'),
      }),
    ),
  }),
  async ask({ work: name, run: from, limit }, runs, signal) {
    const { run, work } = await workNamed(name, from, runs);
    const { library, graph } = run.corpus;
    const found = await relatedWorks(work, { library, graph, search: run.search }, limit, signal);
    return {
      head: { run: run.id, work: work.id, title: work.title },
      list: 'related',
      summary: `${found.length} works are related to ${work.title ?? work.id}.`,
      items: found.map(({ id, title, year, inCorpus, citedTogether, sharedReferences, fit }) => ({
        data: {
          work: id,
          title,
          year,
          in_corpus: inCorpus,
          cited_together: citedTogether,
          shared_references: sharedReferences,
          fit: fit === null ? null : Math.round(fit * 100) / 100,
        },
        line: (data) =>
          `${scalarText(data['title'] ?? data['work'])}${data['year'] === null ? '' : ` (${scalarText(data['year'])})`} · ${scalarText(data['work'])} · ${
            data['fit'] === null
              ? `cited together ${scalarText(data['cited_together'])} times, ${scalarText(data['shared_references'])} references shared`
              : `fit ${scalarText(data['fit'])}`
          }${data['in_corpus'] === true ? '' : ' · not in the corpus'}`,
      })),
    };
  },
});
