import { z } from 'zod';

import { CITATION_STYLES } from '../../corpus/index.ts';
import { scalarText } from '../answer.ts';
import { ANSWER, CUTS, PAGING, RUN, runsNamed, tool } from '../tool.ts';

export const citeTool = tool({
  name: 'cite',
  title: 'Cite works',
  description: 'Returns citations of works as APA, BibTeX, RIS or CSL-JSON, and marks retracted works.',
  input: z.strictObject({
    works: z.array(z.string().min(1).max(500)).min(1).max(100).describe('Ids or DOIs of works.'),
    style: z.enum(CITATION_STYLES).default('apa'),
    ...RUN,
    ...PAGING,
  }),
  output: z.object({
    ...ANSWER,
    style: z.string(),
    unknown: z.array(z.string()).describe('Works that are in none of the corpora.'),
    citations: z.array(
      z.object({ run: z.string(), work: z.string(), retracted: z.boolean(), citation: z.string(), ...CUTS }),
    ),
  }),
  async ask({ works, style, run }, runs) {
    const named = runsNamed(run, runs);
    const cited = new Map<
      string,
      { readonly run: string; readonly work: string; readonly retracted: boolean; readonly citation: string }
    >();
    for (const { id, corpus } of named) {
      const wanted = works.filter((name) => !cited.has(name));
      for (const { name, work, citation } of await corpus.library.cite(wanted, style))
        if (work && citation !== null)
          cited.set(name, { run: id, work: work.id, retracted: work.isRetracted, citation });
    }
    const unknown = works.filter((name) => !cited.has(name));
    return {
      head: { style, unknown },
      list: 'citations',
      summary: unknown.length > 0 ? `Not in the corpora: ${unknown.join(', ')}` : '',
      items: works.flatMap((name) => {
        const found = cited.get(name);
        return found
          ? [
              {
                data: found,
                text: 'citation',
                line: ({ citation, retracted }) => `${retracted === true ? 'RETRACTED: ' : ''}${scalarText(citation)}`,
              },
            ]
          : [];
      }),
    };
  },
});
