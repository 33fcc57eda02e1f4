import { z } from 'zod';

import { at, count, counts, number, page, stage, text, tried } from './basics.ts';

// Schemas for works, documents, passages, the graph and the summary.

const work = z
  .object({
    id: z.string(),
    title: text,
    authors: text,
    year: number,
    venue: text,
    doi: text,
    type: text,
    outcome: z.string(),
    reason: text,
    sentence: text,
    resolver: text,
    licence: text,
    version: text,
    bytes: number,
    document: text,
    retracted: z.boolean(),
    citations: number,
    at,
  })
  .meta({ id: 'Work' });

export const works = page(work).extend({ total: count.describe('Of all pages.') });

export const wholeWork = work.extend({
  abstract: text,
  url: text,
  apa: text,
  bibtex: text,
  file: z.boolean(),
  history: z.array(tried),
});

const facet = z.array(z.object({ value: z.string(), works: count, sentence: text }));

export const facets = z.object({
  outcome: facet,
  reason: facet,
  licence: facet,
  version: facet,
  type: facet,
  year: facet,
});

const step = z.enum(['success', 'failure', 'needs-ocr']).nullable();

export const documentLine = z
  .object({
    id: z.string(),
    work: text,
    title: text,
    authors: text,
    year: number,
    parsed: step,
    chunked: step,
    embedded: step,
    failure: text,
  })
  .meta({ id: 'Document' });

const box = z.object({ page: z.int(), left: z.number(), top: z.number(), right: z.number(), bottom: z.number() });

export const wholeDocument = z.object({
  id: z.string(),
  work: text,
  title: text,
  authors: text,
  year: number,
  kind: text,
  apa: text,
  bibtex: text,
  pages: z.array(z.object({ number: z.int(), width: z.number(), height: z.number() })),
  blocks: z.array(
    z.object({
      order: z.int(),
      tag: z.string(),
      level: number,
      text: z.string(),
      regions: z.array(box),
      rows: z.array(z.array(z.string())).nullable(),
      caption: text,
    }),
  ),
  next: number.describe('The next block; null at the end.'),
});

const citedWork = z
  .object({
    id: z.string(),
    title: text,
    authors: z.array(z.object({ name: z.string(), orcid: text })),
    year: number,
    venue: text,
    doi: text,
    url: text,
    license: text,
    apa: z.string(),
    bibtex: z.string(),
  })
  .loose()
  .meta({ id: 'CitedWork' });

export const hits = z.object({
  question: z.string(),
  mode: z.enum(['hybrid', 'dense', 'lexical']),
  passages: count,
  took_ms: z.number(),
  hits: z.array(
    z.object({
      rank: z.int(),
      score: z.number(),
      fit: number,
      id: z.string(),
      document: z.string(),
      title: text,
      headings: z.array(z.string()),
      part: text,
      page: number,
      boxes: z.array(box),
      text: z.string(),
      work: citedWork.nullable(),
      link: text,
    }),
  ),
});

const answerQuote = z.object({
  text: z.string(),
  sentence: z.string(),
  passage: z.string().describe('The id of the passage.'),
  document: z.string(),
  title: text,
  page: number,
  start: z.int(),
  end: z.int(),
  citation: text,
});

export const answer = z.object({
  question: z.string(),
  model: text.describe('The model that wrote the sentences; null where they are quotes.'),
  sentences: z.array(z.object({ text: z.string(), fit: number, quotes: z.array(answerQuote) })),
  dropped: z.record(z.string(), z.int()).describe('Sentences of the model that were dropped, by reason.'),
  nearest: z
    .array(z.object({ id: z.string(), document: z.string(), title: text, page: number }))
    .describe('The passages that come nearest.'),
});

const node = z
  .object({
    id: z.string(),
    kind: z.string(),
    label: z.string(),
    year: number,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Node' });

const evidence = z
  .object({ document: z.string(), method: z.string(), score: z.number(), quote: text, page: number })
  .loose()
  .meta({ id: 'Evidence' });

export const weighted = z.object({ items: z.array(z.object({ node, weight: z.number() }).loose()) });

export const graph = z.object({
  documents: count,
  nodes: counts,
  edges: counts,
  evidence: count,
  timeline: z.array(z.object({ year: z.int(), corpus: count, cited: count })),
});

export const neighbours = z.object({
  node,
  neighbours: z.array(
    z.object({ kind: z.string(), direction: z.enum(['in', 'out']), node, evidence: z.array(evidence) }),
  ),
});

export const evidences = z.object({ items: z.array(evidence) });

export const way = z.object({
  items: z.array(z.object({ node, edge: text, direction: z.enum(['in', 'out']).nullable() })),
});

export const drawnWorks = z.object({ items: z.array(z.object({ id: z.string(), label: z.string() })) });

export const picture = z.object({
  nodes: z.array(
    z
      .object({ id: z.string(), kind: z.string(), label: z.string(), year: number, x: z.number(), y: z.number() })
      .loose(),
  ),
  edges: z.array(z.object({ source: z.int(), target: z.int(), kind: z.string() }).loose()),
  leftOut: z.record(z.string(), count),
});

export const account = z.object({
  asked: z.record(z.string(), z.unknown()).nullable(),
  prisma: z
    .object({
      identified: count,
      screened: count,
      not_screened: count,
      excluded: count,
      sought: count,
      not_retrieved: count,
      retrieved: count,
      excluded_by_full_text: count,
      excluded_by_full_text_reasons: counts,
      included: count,
    })
    .loose(),
  counts: counts.describe('Each count of the corpus; docs/reference has a sentence for each.'),
  outcomes: counts,
  by_resolver: counts,
  listed_by_file: counts,
  unreadable_by_file: counts,
  reasons: z.array(z.object({ value: z.string(), works: count, sentence: text })),
  licences: z.array(z.object({ value: z.string(), works: count })),
  stages: z.array(stage),
  run: z.unknown().describe('The latest summary written by the run.'),
});
