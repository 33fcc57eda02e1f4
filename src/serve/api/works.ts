import { z } from 'zod';

import type { ExportFormat, WorkFacet } from '../../corpus/index.ts';
import { sentenceOf, WORK_FACETS } from '../../corpus/index.ts';
import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { noQuery, runPath, workFilter, workPath, worksQuery, yesOrNo } from './parameters.ts';
import * as shapes from './shapes/corpus.ts';
import { triedOf } from './tried.ts';

const DOWNLOADS: readonly (readonly [name: string, format: ExportFormat, type: string])[] = [
  ['works.csv', 'csv', 'text/csv; charset=utf-8'],
  ['works.bib', 'bibtex', 'application/x-bibtex; charset=utf-8'],
  ['works.ris', 'ris', 'application/x-research-info-systems; charset=utf-8'],
  ['works.csl.json', 'csl', 'application/vnd.citationstyles.csl+json; charset=utf-8'],
];

/** Routes for works: list, filters, details and export. */
export function workRoutes(context: Context): Route[] {
  return [
    route({
      path: '/runs/{run}/works',
      summary: 'Works, filtered and sorted.',
      pathSchema: runPath,
      querySchema: worksQuery,
      gives: { kind: 'json', schema: shapes.works },
      version: ({ path }) => runOf(context, path.run).version,
      handle: ({ path, query }) => ({ kind: 'json', value: runOf(context, path.run).view.works.page(query) }),
    }),
    route({
      path: '/runs/{run}/facets',
      summary: 'Values of each filter, with the number of works under the other filters.',
      pathSchema: runPath,
      querySchema: z.strictObject(workFilter),
      gives: { kind: 'json', schema: shapes.facets },
      version: ({ path }) => runOf(context, path.run).version,
      handle: ({ path, query }) => {
        const facets = runOf(context, path.run).view.works.facets(query);
        const told = WORK_FACETS.map((facet): [WorkFacet, unknown] => [
          facet,
          facets[facet].map((line) => ({ ...line, sentence: facet === 'reason' ? sentenceOf(line.value) : null })),
        ]);
        return { kind: 'json', value: Object.fromEntries(told) };
      },
    }),
    route({
      path: '/runs/{run}/works/{work}',
      summary: 'One work: its abstract, citation and attempts.',
      pathSchema: workPath,
      querySchema: noQuery,
      gives: { kind: 'json', schema: shapes.wholeWork },
      version: ({ path }) => runOf(context, path.run).version,
      handle: ({ path }) => {
        const { view, id } = runOf(context, path.run);
        const line = view.works.get(path.work);
        if (!line) throw new Problem(404, 'NO_WORK', `work not found in this run: ${path.work.slice(0, 100)}`);
        const known = view.record(line.id);
        return {
          kind: 'json',
          value: {
            ...line,
            abstract: known?.record.abstract ?? null,
            url: known?.record.url ?? null,
            apa: known?.cited.apa ?? null,
            bibtex: known?.cited.bibtex ?? null,
            file: line.document !== null && view.file(line.document) !== undefined,
            history: view.history(path.work).map((row) => triedOf(id, row)),
          },
        };
      },
    }),
    ...DOWNLOADS.map(([name, format, type]) =>
      route({
        path: `/runs/{run}/${name}`,
        summary: `All works as a file: ${name}.`,
        pathSchema: runPath,
        querySchema: z.strictObject({ saved: yesOrNo.optional().describe('Only works with a downloaded file.') }),
        gives: { kind: 'bytes', types: [type] },
        handle: ({ path, query }) => {
          const { corpus, id } = runOf(context, path.run);
          const pieces = corpus.export({ format, saved: query.saved, asItIs: true });
          return { kind: 'pieces', type, name: `${id}-${name}`, pieces };
        },
      }),
    ),
  ];
}
