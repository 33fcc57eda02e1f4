import * as z from 'zod';

import { AppError } from '../base/index.ts';
import type { LibraryWork, TextPiece } from '../corpus/index.ts';
import { CITATION_STYLES, figuresOf, textOf } from '../corpus/index.ts';
import type { AskedRun } from './question.ts';
import { counted, question, workNamed } from './question.ts';

/** Adjacent blocks of a page are joined up to this many characters. */
const TOGETHER = 2_000;
const MOST_HEADINGS = 60;
const PASSAGES_PER_WORK = 6;
const WORK = z.string().min(1).max(500).describe('Id of the work, as returned by search and works, or its DOI.');
const ABOUT = { run: z.string(), work: z.string(), title: z.string().nullable() };

function requireText(work: LibraryWork): void {
  if (!work.hasText)
    throw new AppError('CORPUS_NO_TEXT', `no text available for ${work.id}: ${work.reason || work.outcome}`, {
      hint: 'the tool account shows why works are missing',
    });
}

export const readQuestion = question({
  name: 'read',
  title: 'Read a work',
  description: 'Reads a section or pages of a work as Markdown, or the whole text, with an outline of its headings.',
  input: {
    work: WORK,
    section: z
      .string()
      .max(300)
      .optional()
      .describe('A section type (abstract, introduction, methods, results, discussion, …) or words of a heading.'),
    pages: z.string().max(30).optional().describe('Pages: 3, 3-5 or 3-.'),
  },
  head: {
    ...ABOUT,
    retracted: z.boolean(),
    pages: z.number().describe('Number of pages; 0 for a document without pages.'),
    outline: z.array(z.object({ heading: z.string(), level: z.number(), page: z.number().nullable() })),
  },
  list: 'text',
  item: { page: z.number().nullable(), text: z.string() },
  text: 'text',
  line: ({ page, text }) => `${page === null ? '' : `[p. ${page}] `}${text}`,
  async ask({ work: name, section, pages, cursor }, runs) {
    const { run, work } = await workNamed(name, runs);
    requireText(work);
    const document = await run.corpus.library.document(work.document);
    const pieces = joined(textOf(document, { section, pages }));
    const title = work.title ?? document.title ?? work.document;
    const outline = document.outline.map(({ heading, level, page }) => ({ heading, level, page }));
    const names = outline.map(({ heading }) => heading);
    if (pieces.length === 0)
      throw new AppError('USAGE_PART', `${work.id} has no ${section === undefined ? 'such pages' : 'such section'}`, {
        hint: `it has ${counted(document.pages.length, 'page')} and these headings: ${names
          .slice(0, 30)
          .map((heading) => heading.slice(0, 60))
          .join('; ')}`,
      });
    // Later parts of the text come without the outline.
    const most = cursor === undefined ? MOST_HEADINGS : 0;
    const { length: pageCount } = document.pages;
    const about = `${work.isRetracted ? 'RETRACTED: ' : ''}${title} (work ${work.id} of ${run.id})`;
    const headings = names.slice(0, most).join(' · ');
    return {
      head: {
        run: run.id,
        work: work.id,
        title,
        retracted: work.isRetracted,
        pages: pageCount,
        outline: outline.slice(0, most),
      },
      summary: headings === '' ? about : `${about}\nHeadings: ${headings}`,
      items: pieces,
    };
  },
});

function joined(pieces: readonly TextPiece[]): { readonly page: number | null; readonly text: string }[] {
  const parts: { page: number | null; text: string }[] = [];
  for (const { page, text } of pieces) {
    const last = parts.at(-1);
    if (last && last.page === page && last.text.length + text.length < TOGETHER) last.text += `\n\n${text}`;
    else parts.push({ page, text });
  }
  return parts;
}

export const figuresQuestion = question({
  name: 'figures',
  title: 'Figures and tables',
  description: 'Lists the figures and tables of a work with their captions and pages, tables with their cells.',
  input: { work: WORK, kind: z.enum(['figure', 'table']).optional() },
  head: ABOUT,
  list: 'figures',
  item: {
    kind: z.string(),
    page: z.number().nullable(),
    caption: z.string(),
    cells: z.string().nullable().describe('Rows of a table, with cells separated by |; null for a figure.'),
  },
  text: 'cells',
  line: ({ kind, page, caption, cells }) =>
    `${kind}${page === null ? '' : `, p. ${page}`}: ${caption || 'without a caption'}${cells === null ? '' : `\n${cells}`}`,
  async ask({ work: name, kind }, runs) {
    const { run, work } = await workNamed(name, runs);
    requireText(work);
    const figures = figuresOf(await run.corpus.library.document(work.document), kind);
    return {
      head: { run: run.id, work: work.id, title: work.title },
      summary: `${kind ? counted(figures.length, kind) : `${figures.length} figures and tables`} in ${work.title ?? work.id}.`,
      items: figures.map(({ rows, kind: is, page, caption }) => {
        const cells = rows?.map((row) => row.map((cell) => cell.replaceAll(/\s+/g, ' ')).join(' | ')).join('\n');
        return { kind: is, page, caption, cells: cells ?? null };
      }),
    };
  },
});

const relatedFields = z.object({
  work: z.string().describe('Its id in the corpus, or in the graph if it is not in the corpus.'),
  title: z.string().nullable(),
  year: z.number().nullable(),
  in_corpus: z.boolean(),
  cited_together: z.number().describe('Works of the corpus that cite both.'),
  shared_references: z.number().describe('Works that both cite.'),
  fit: z.number().nullable().describe('Similarity of content; null if related by citations.'),
});
type Related = z.output<typeof relatedFields>;

export const relatedQuestion = question({
  name: 'related',
  title: 'Related works',
  description:
    'Finds works related to a work: by co-citation and shared references if there is a knowledge graph, then by similar content.',
  input: { work: WORK, limit: z.int().min(1).max(50).default(10) },
  head: ABOUT,
  list: 'related',
  item: relatedFields.shape,
  line: ({ work, title, year, in_corpus: isIn, cited_together: together, shared_references: shared, fit }) => {
    const how = fit === null ? `cited together ${together} times, ${shared} references shared` : `fit ${fit}`;
    return `${title ?? work}${year === null ? '' : ` (${year})`} · ${work} · ${how}${isIn ? '' : ' · not in the corpus'}`;
  },
  async ask({ work: name, limit }, runs, signal) {
    const { run, work } = await workNamed(name, runs);
    const items = run.corpus.graph.exists ? relatedByCitations(run, work, limit) : [];
    if (items.length < limit && work.title !== null) await addByContent(items, run, work, limit, signal);
    return {
      head: { run: run.id, work: work.id, title: work.title },
      summary: `${counted(items.length, 'work is', 'works are')} related to ${work.title ?? work.id}.`,
      items,
    };
  },
});

function relatedByCitations({ corpus }: AskedRun, work: LibraryWork, limit: number): Related[] {
  using graph = corpus.graph.open();
  for (const name of [work.document, ...(work.doi === null ? [] : [work.doi]), work.id]) {
    try {
      return graph.related(name, limit).map(({ node: { id, label, year, data }, cocited, coupled }) => ({
        work: id,
        title: label,
        year,
        in_corpus: data['inCorpus'] === true || data['inCorpus'] === 1,
        cited_together: cocited,
        shared_references: coupled,
        fit: null,
      }));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'GRAPH_NO_NODE')) throw error;
    }
  }
  return [];
}

/** Adds works whose passages are nearest to the title of a work, until there are `limit`. */
async function addByContent(
  items: Related[],
  { search }: AskedRun,
  { id: own, title }: LibraryWork,
  limit: number,
  signal: AbortSignal,
): Promise<void> {
  const known = new Set([own, ...items.map(({ work }) => work)]);
  const request = { top: limit * PASSAGES_PER_WORK, minFit: 0 };
  const hits = await search.use((session) => session.search(title ?? '', request, signal));
  for (const { passage, work, fit } of hits) {
    const id = work?.id ?? passage.document;
    if (known.has(id) || items.length >= limit) continue;
    known.add(id);
    items.push({
      work: id,
      title: work?.title ?? passage.title,
      year: work?.year ?? null,
      in_corpus: true,
      cited_together: 0,
      shared_references: 0,
      fit: Math.round(fit * 100) / 100,
    });
  }
}

export const citeQuestion = question({
  name: 'cite',
  title: 'Cite works',
  description: 'Returns citations of works as APA, BibTeX, RIS or CSL-JSON, and marks retracted works.',
  input: {
    works: z.array(z.string().min(1).max(500)).min(1).max(100).describe('Ids or DOIs of works.'),
    style: z.enum(CITATION_STYLES).default('apa'),
  },
  head: { style: z.string(), unknown: z.array(z.string()).describe('Works that are in none of the corpora.') },
  list: 'citations',
  item: { run: z.string(), work: z.string(), retracted: z.boolean(), citation: z.string() },
  text: 'citation',
  line: ({ citation, retracted }) => `${retracted ? 'RETRACTED: ' : ''}${citation}`,
  async ask({ works, style }, runs) {
    const cited = new Map<string, { run: string; work: string; retracted: boolean; citation: string }>();
    for (const { id, corpus } of runs) {
      const wanted = works.filter((name) => !cited.has(name));
      for (const { name, work, citation } of await corpus.library.cite(wanted, style))
        if (work && citation !== null)
          cited.set(name, { run: id, work: work.id, retracted: work.isRetracted, citation });
    }
    const unknown = works.filter((name) => !cited.has(name));
    return {
      head: { style, unknown },
      summary: unknown.length > 0 ? `Not in the corpora: ${unknown.join(', ')}` : '',
      items: works.flatMap((name) => cited.get(name) ?? []),
    };
  },
});
