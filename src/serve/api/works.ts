import { Readable } from 'node:stream';

import * as z from 'zod';

import type { AttemptRow, ManifestRow } from '../../download/index.ts';
import type { ExportFormat, WorkFacet } from '../../corpus/index.ts';
import { sentenceOf, WORK_FACETS } from '../../corpus/index.ts';
import type { Account } from '../../library/index.ts';
import { prismaSvg } from '../../library/index.ts';
import { workFilter } from '../../library/shapes/index.ts';
import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import * as shapes from './shapes.ts';

const DOWNLOADS: readonly (readonly [name: string, format: ExportFormat, type: string])[] = [
  ['works.csv', 'csv', 'text/csv; charset=utf-8'],
  ['works.bib', 'bibtex', 'application/x-bibtex; charset=utf-8'],
  ['works.ris', 'ris', 'application/x-research-info-systems; charset=utf-8'],
  ['works.csl.json', 'csl', 'application/vnd.citationstyles.csl+json; charset=utf-8'],
  ['notes.md', 'notes', 'text/markdown; charset=utf-8'],
];

export const workRoutes: readonly Route[] = [
  route({
    path: '/runs/{run}/facets',
    summary: 'Values of each filter, with the number of works under the other filters.',
    query: workFilter.shape,
    schema: shapes.facets,
    value: ({ run, query }) => {
      const facets = run.view.works.facets(query);
      const explained = WORK_FACETS.map((facet): [WorkFacet, unknown] => [
        facet,
        facets[facet].map((line) => ({ ...line, sentence: facet === 'reason' ? sentenceOf(line.value) : null })),
      ]);
      return Object.fromEntries(explained);
    },
  }),
  route({
    path: '/runs/{run}/works/{work}',
    summary: 'One work: its abstract, citation and attempts.',
    schema: shapes.wholeWork,
    value: async ({ run: { corpus, view, id }, path }) => {
      const line = await corpus.library.line(path.work);
      if (!line) throw new Problem(404, 'NO_WORK', `work not found in this run: ${path.work.slice(0, 100)}`);
      const known = view.record(line.id);
      return {
        ...line,
        abstract: known?.record.abstract ?? null,
        url: known?.record.url ?? null,
        apa: known?.cited.apa ?? null,
        bibtex: known?.cited.bibtex ?? null,
        file: line.document !== null && (await view.file(line.document)) !== undefined,
        history: view.history(path.work).map((row) => triedOf(id, row)),
      };
    },
  }),
  ...DOWNLOADS.map(([name, format, type]) =>
    route({
      path: `/runs/{run}/${name}`,
      summary: `${format === 'notes' ? 'Notes of all' : 'All'} works, or of those with some properties, as a file: ${name}.`,
      query: {
        ...workFilter.partial().shape,
        saved: z.boolean().optional().describe('Only works with a downloaded file.'),
      },
      gives: { types: [type] },
      handle: ({ run: { corpus, view, id }, query: { saved, ...filter } }) => {
        const isFiltered = Object.values(filter).some((value) => value !== undefined && value !== '');
        const works = isFiltered ? view.works.ids(filter) : undefined;
        const pieces = corpus.export({ format, saved, works, asItIs: true });
        return { kind: 'pieces', type, name: `${id}-${name}`, pieces };
      },
    }),
  ),
];

const PRISMA: readonly (readonly [name: string, type: string, text: (counts: Account['prisma']) => string])[] = [
  ['prisma.svg', 'image/svg+xml', prismaSvg],
  ['prisma.json', 'application/json; charset=utf-8', (counts) => `${JSON.stringify(counts, undefined, 2)}\n`],
];

/** The flow of records for a manuscript: the diagram, and its numbers. */
export const prismaRoutes: readonly Route[] = PRISMA.map(([name, type, text]) =>
  route({
    path: `/runs/{run}/${name}`,
    summary: `The PRISMA 2020 flow of the corpus as a file: ${name}.`,
    gives: { types: [type] },
    handle: ({ run: { view, id } }) => ({
      kind: 'pieces',
      type,
      name: `${id}-${name}`,
      pieces: Readable.from([text(view.account().prisma)]),
    }),
  }),
);

export function triedOf(run: string, row: ManifestRow) {
  const { at, outcome, reason, detail, resolver, path: file } = row;
  const url = row.final_url ?? row.url;
  const attempts = row.attempts.map(attemptLine);
  return { run, at, outcome, reason, sentence: sentenceOf(reason), detail, resolver, url, file, attempts };
}

function attemptLine({ resolver, url, status, reason, bytes, duration_ms, started_at }: AttemptRow) {
  const [host, sentence] = [URL.parse(url)?.host ?? '', sentenceOf(reason)];
  return { resolver, host, url, status, reason, sentence, bytes, duration_ms, started_at };
}
