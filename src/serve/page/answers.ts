import type { z } from 'zod';

import type * as corpus from '../api/shapes/corpus.ts';
import type * as course from '../api/shapes/course.ts';
import type * as operating from '../api/shapes/operating.ts';
import type { answerShape, passage, screeningShape, work } from '../../questions/shapes/index.ts';

// Response types, inferred from the API schemas.

export type About = z.output<typeof operating.about>;
export type Run = z.output<typeof operating.run>;
export type Now = z.output<typeof operating.now>;
export type Figures = Omit<Now, 'run' | 'history' | 'events'> & { readonly run: string };
export type RunEvent = Now['events'][number];
export type Queue = z.output<typeof operating.queue>;
export type QueuePoint = z.output<typeof operating.queueHistory>['points'][number];
export type Job = z.output<typeof operating.job>;
export type WholeJob = z.output<typeof operating.jobWithHistory>;
export type Host = z.output<typeof operating.host>;
export type Work = z.output<typeof work>;
export type WholeWork = z.output<typeof corpus.wholeWork>;
export type Facets = z.output<typeof corpus.facets>;
export type DocumentLine = z.output<typeof corpus.documentLine>;
export type WholeDocument = z.output<typeof corpus.wholeDocument>;
/** The answer of the question `search`. */
export interface Hits {
  readonly question: string;
  readonly searched_by: string;
  readonly passages_searched: number;
  readonly passages: readonly z.output<typeof passage>[];
}
export type AskedAnswer = z.output<typeof answerShape>;
export type Screening = z.output<typeof screeningShape>;
export type AskedLine = z.output<typeof corpus.answerLine>;
export type SavedTable = z.output<typeof corpus.tables>['items'][number];
export type TablePage = z.output<typeof corpus.table>;
export type TableRow = TablePage['rows'][number];
export type TableCell = TableRow['cells'][number];
export type TableColumn = TablePage['columns'][number];
export type TableLine = z.output<typeof corpus.tableLine>;
export type Account = z.output<typeof corpus.account>;
export type Sources = z.output<typeof course.sources>;
export type Stages = z.output<typeof course.stages>;
export type Lanes = z.output<typeof course.lanes>;
export type Passages = z.output<typeof course.passages>;
export type List<T> = { readonly items: readonly T[]; readonly next: string | null; readonly total?: number };

/** Report data besides the API responses. Written by `serve/report.ts`. */
export interface ReportFacts {
  readonly written_at: string;
  readonly omitted: readonly string[];
  /** Downloaded files by API path, relative to the report. */
  readonly files: Readonly<Record<string, string>>;
}
