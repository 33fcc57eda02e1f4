import { extname } from 'node:path';
import { z } from 'zod';

import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { Context } from './context.ts';
import { runOf } from './context.ts';
import { documentPath, noQuery, pageQuery, runPath, wholeNumber, words } from './parameters.ts';
import { page } from './shapes/basics.ts';
import * as shapes from './shapes/corpus.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.xml': 'application/xml',
  '.html': 'text/html',
};
const PICTURE_WIDTH = 1_000;

/** Routes for documents, page images and files. */
export function documentRoutes(context: Context): Route[] {
  const missing = (id: string): Problem =>
    new Problem(404, 'NO_DOCUMENT', `document not found in this run: ${id.slice(0, 100)}`);
  return [
    route({
      path: '/runs/{run}/documents',
      summary: 'Documents and their processing state.',
      pathSchema: runPath,
      querySchema: z.strictObject({ ...pageQuery, q: words.optional().describe('Words of the title or authors.') }),
      gives: { kind: 'json', schema: page(shapes.documentLine) },
      version: ({ path }) => runOf(context, path.run).version,
      handle: ({ path, query }) => ({ kind: 'json', value: runOf(context, path.run).view.documents.page(query) }),
    }),
    route({
      path: '/runs/{run}/documents/{document}',
      summary: 'One document: its pages and its blocks in reading order, with tables, figures and positions.',
      pathSchema: documentPath,
      querySchema: z.strictObject({
        from: wholeNumber(0, 1_000_000_000).optional().describe('`next` of the previous part.'),
      }),
      gives: { kind: 'json', schema: shapes.wholeDocument },
      handle: async ({ path, query }) => {
        const { view } = runOf(context, path.run);
        const shown = await view.document(path.document, query.from ?? 0);
        if (!shown) throw missing(path.document);
        const work = view.works.ofDocument(path.document);
        const cited = work && view.record(work.id)?.cited;
        const { kind, title, pages, blocks, next } = shown;
        return {
          kind: 'json',
          value: {
            id: path.document,
            work: work?.id ?? null,
            title: work?.title ?? title,
            authors: work?.authors ?? null,
            year: work?.year ?? null,
            kind,
            apa: cited?.apa ?? null,
            bibtex: cited?.bibtex ?? null,
            pages,
            blocks,
            next,
          },
        };
      },
    }),
    route({
      path: '/runs/{run}/documents/{document}/pages/{page}.png',
      summary: 'A page as an image.',
      pathSchema: documentPath.extend({ page: wholeNumber(1, 100_000).describe('Page number, starting at 1.') }),
      querySchema: z.strictObject({
        width: wholeNumber(100, 2_000).optional().describe('Width in pixels; default 1000.'),
      }),
      gives: { kind: 'bytes', types: ['image/png'] },
      handle: async ({ path, query }) => {
        const { view } = runOf(context, path.run);
        const png = await view.picture(path.document, path.page, query.width ?? PICTURE_WIDTH);
        if (png === null) throw new Problem(404, 'NO_PICTURE', 'the page does not exist or cannot be drawn');
        if (png === undefined)
          throw new Problem(503, 'TOO_BUSY', 'too many pages are being drawn', { headers: { 'retry-after': '2' } });
        return { kind: 'bytes', type: 'image/png', bytes: png };
      },
    }),
    route({
      path: '/runs/{run}/documents/{document}/file',
      summary: 'The downloaded file of a document.',
      pathSchema: documentPath,
      querySchema: noQuery,
      gives: { kind: 'bytes', types: ['application/pdf', 'application/xml', 'text/html', 'application/octet-stream'] },
      handle: ({ path }) => {
        const file = runOf(context, path.run).view.file(path.document);
        if (file === undefined) throw missing(path.document);
        const ending = extname(file).toLowerCase();
        return {
          kind: 'file',
          type: TYPES[ending] ?? 'application/octet-stream',
          name: `${path.document}${ending}`,
          path: file,
        };
      },
    }),
  ];
}
