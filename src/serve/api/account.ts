import { outcomesOf, sentenceOf } from '../../ask/index.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { noQuery, runPath } from './parameters.ts';
import * as shapes from './shapes/corpus.ts';

export function accountRoutes(context: Context): Route[] {
  return [
    route({
      path: '/runs/{run}/account',
      summary: 'The query, its results as a PRISMA flow, and what is missing and why.',
      pathSchema: runPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.account },
      version: ({ path }) => `${runOf(context, path.run).version} ${runOf(context, path.run).file?.state ?? ''}`,
      handle: ({ path }) => {
        const run = runOf(context, path.run);
        const account = run.view.account();
        const { prisma, by_resolver, by_reason, listed_by_file, unreadable_by_file, ...counts } = account;
        const { mailto: _mailto, ...asked } = run.file?.asked ?? {};
        return {
          kind: 'json',
          value: {
            asked: run.file ? asked : null,
            counts,
            prisma,
            outcomes: outcomesOf(account),
            by_resolver,
            listed_by_file,
            unreadable_by_file,
            reasons: Object.entries(by_reason).map(([value, works]) => ({
              value,
              works,
              sentence: sentenceOf(value),
            })),
            licences: run.view.works.facets({ outcome: 'saved,own' }).licence,
            stages: run.figures().stages,
            run: run.file?.account ?? null,
          },
        };
      },
    }),
  ];
}
