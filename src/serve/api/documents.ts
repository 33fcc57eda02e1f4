import { extname } from 'node:path';
import * as z from 'zod';

import { Problem } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import { pageQuery, words } from './context.ts';
import * as shapes from './shapes.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.xml': 'application/xml',
  '.html': 'text/html',
};
const PICTURE_WIDTH = 1_000;
const MOST_CHARACTERS = 4_000_000;

function missing(id: string): Problem {
  return new Problem(404, 'NO_DOCUMENT', `document not found in this run: ${id.slice(0, 100)}`);
}

export const documentRoutes: readonly Route[] = [
  route({
    path: '/runs/{run}/documents',
    summary: 'Documents and their processing state.',
    query: { ...pageQuery, q: words.optional().describe('Words of the title or authors.') },
    schema: shapes.page(shapes.documentLine),
    value: ({ run, query }) => run.view.documents(query),
  }),
  route({
    path: '/runs/{run}/documents/{document}',
    summary: 'One document: its pages and its blocks in reading order, with tables, figures and positions.',
    query: {
      from: z.int().min(0).max(1_000_000_000).optional().describe('`next` of the previous part.'),
    },
    schema: shapes.wholeDocument,
    value: async ({ run: { view }, path, query }) => {
      const shown = await view.document(path.document, query.from ?? 0);
      if (!shown) throw missing(path.document);
      const work = view.works.ofDocument(path.document);
      const cited = work && view.record(work.id)?.cited;
      const { title, ...document } = shown;
      return {
        id: path.document,
        work: work?.id ?? null,
        title: work?.title ?? title,
        authors: work?.authors ?? null,
        year: work?.year ?? null,
        apa: cited?.apa ?? null,
        bibtex: cited?.bibtex ?? null,
        ...view.besideDocument(path.document),
        ...document,
      };
    },
  }),
  route({
    path: '/runs/{run}/documents/{document}/passages',
    summary: 'The passages of a document, in reading order.',
    schema: shapes.passages,
    value: async ({ run: { view }, path: { document } }) => {
      if (!view.hasDocument(document)) throw missing(document);
      const items: unknown[] = [];
      let room = MOST_CHARACTERS;
      for await (const { id, headings, regions, text, context: around, tokens, blocks } of view.passages(document)) {
        room -= text.length + around.length;
        if (room < 0) break;
        items.push({ id, headings, page: regions[0]?.page ?? 0, text, context: around, tokens, blocks });
      }
      return { items };
    },
  }),
  route({
    path: '/runs/{run}/documents/{document}/citations',
    summary: 'Where a document cites the entries of its list of references, in reading order.',
    schema: shapes.citations,
    value: async ({ run: { view }, path: { document } }) => {
      const items = await view.citations(document);
      if (!items) throw missing(document);
      return { items };
    },
  }),
  route({
    path: '/runs/{run}/documents/{document}/pages/{page}.png',
    summary: 'A page as an image.',
    query: {
      width: z.int().min(100).max(2_000).optional().describe('Width in pixels; default 1000.'),
    },
    gives: { types: ['image/png'] },
    handle: async ({ run, path, query }) => {
      const png = await run.view.picture(path.document, path.page, query.width ?? PICTURE_WIDTH);
      if (png === null) throw new Problem(404, 'NO_PICTURE', 'the page does not exist or cannot be drawn');
      if (png === undefined)
        throw new Problem(503, 'TOO_BUSY', 'too many pages are being drawn', { headers: { 'retry-after': '2' } });
      return { kind: 'bytes', type: 'image/png', bytes: png };
    },
  }),
  route({
    path: '/runs/{run}/documents/{document}/pages/{page}/text',
    summary: 'The text of a page as it is printed, line by line, and its links, in points from its upper left corner.',
    schema: shapes.pageText,
    value: async ({ run, path }) => {
      const text = await run.view.pageText(path.document, path.page);
      if (text === null) throw new Problem(404, 'NO_PAGE', 'the page does not exist or cannot be read');
      if (text === undefined)
        throw new Problem(503, 'TOO_BUSY', 'too many pages are being read', { headers: { 'retry-after': '2' } });
      return text;
    },
  }),
  route({
    path: '/runs/{run}/documents/{document}/file',
    summary: 'The file of a document, as it was downloaded or parsed.',
    gives: { types: ['application/pdf', 'application/xml', 'text/html', 'application/octet-stream'] },
    handle: async ({ run, path }) => {
      const file = await run.view.file(path.document);
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
