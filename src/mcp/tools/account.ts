import { z } from 'zod';

import type { JsonObject } from '../answer.ts';
import { scalarText } from '../answer.ts';
import { ANSWER, PAGING, RUN, runsNamed, tool } from '../tool.ts';

const MOST_FAILURES = 20;

export const accountTool = tool({
  name: 'account',
  title: 'Corpus summary',
  description:
    'Shows the query of each corpus, how many works were found, how many have a text, and why the others are missing. Use the tool works to list the works of a reason.',
  input: z.strictObject({ ...RUN, ...PAGING }),
  output: z.object({
    ...ANSWER,
    corpora: z.array(
      z.object({
        run: z.string(),
        asked: z.string(),
        state: z.string(),
        works: z.number(),
        texts: z.number(),
        missing: z.number(),
        waiting: z.number(),
        excluded: z.number(),
        retracted: z.number(),
        documents: z.number(),
        failed_documents: z.array(z.string()),
      }),
    ),
    reasons: z.array(
      z.object({
        run: z.string(),
        reason: z.string(),
        works: z.number(),
        sentence: z.string(),
        later: z.boolean().describe('A later run may succeed.'),
      }),
    ),
  }),
  async ask({ run: name }, runs) {
    const corpora: JsonObject[] = [];
    const reasons: JsonObject[] = [];
    for (const { id, corpus } of runsNamed(name, runs)) {
      const account = await corpus.library.account();
      const { run, works, saved, missing, waiting, excluded, retracted, documents } = account;
      const failures = run?.account?.failures.slice(0, MOST_FAILURES) ?? [];
      corpora.push({
        run: id,
        asked: run ? askedFor(run.asked) : '',
        state: run?.state ?? 'unknown',
        works,
        texts: saved,
        missing,
        waiting,
        excluded,
        retracted,
        documents,
        failed_documents: failures.map(
          ({ document, stage, message }) => `${document}: ${stage}: ${message.slice(0, 200)}`,
        ),
      });
      for (const { reason, sentence, later, works: count } of account.reasons)
        reasons.push({ run: id, reason, works: count, sentence, later });
    }
    return {
      head: { corpora },
      list: 'reasons',
      summary: corpora
        .map(
          (each) =>
            `${scalarText(each['run'])}: ${scalarText(each['works'])} works, ${scalarText(each['texts'])} with a text, ${scalarText(each['missing'])} missing, ${scalarText(each['waiting'])} waiting (${scalarText(each['state'])}). Query: ${scalarText(each['asked'])}`,
        )
        .join('\n'),
      items: reasons.map((data) => ({
        data,
        line: ({ run, reason, works, sentence, later }) =>
          `${scalarText(run)}: ${scalarText(works)} × ${scalarText(reason)}: ${scalarText(sentence)}${later === true ? ' A later run may succeed.' : ''}`,
      })),
    };
  },
});

function askedFor(asked: object): string {
  return Object.entries(asked)
    .filter(([name, value]) => value !== undefined && value !== null && name !== 'mailto')
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.slice(0, 5).join(', ') : scalarText(value)}`)
    .join('; ')
    .slice(0, 1_000);
}
