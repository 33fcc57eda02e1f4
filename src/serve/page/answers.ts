import type * as z from 'zod';

import type * as shapes from '../api/shapes.ts';
import type { note, passage, work } from '../../library/shapes/index.ts';
import type { answerShape } from '../../ask/shapes/index.ts';
import type { screeningShape } from '../../screen/shapes/index.ts';

// Response types, inferred from the API schemas.

export type About = z.output<typeof shapes.about>;
export type Run = z.output<typeof shapes.run>;
export type Now = z.output<typeof shapes.now>;
export type Figures = Omit<Now, 'run' | 'events'> & { readonly run: string };
export type RunHistory = z.output<typeof shapes.history>;
export type RunEvent = Now['events'][number];
export type Queue = z.output<typeof shapes.queue>;
export type QueuePoint = z.output<typeof shapes.queueHistory>['points'][number];
export type Job = z.output<typeof shapes.job>;
export type WholeJob = z.output<typeof shapes.jobWithHistory>;
export type Host = z.output<typeof shapes.host>;
export type Work = z.output<typeof work>;
export type WholeWork = z.output<typeof shapes.wholeWork>;
export type Note = z.output<typeof note>;
export type Facets = z.output<typeof shapes.facets>;
export type DocumentLine = z.output<typeof shapes.documentLine>;
export type PrintedPage = z.output<typeof shapes.pageText>;
export type WholeDocument = z.output<typeof shapes.wholeDocument>;
export interface SavedSet {
  readonly name: string;
  readonly size: number;
}
export type Citation = z.output<typeof shapes.citations>['items'][number];
export interface Hits {
  readonly question: string;
  readonly searched_by: string;
  readonly passages_searched: number;
  readonly works_screened_out: number;
  readonly passages: readonly z.output<typeof passage>[];
}
export type AskedAnswer = z.output<typeof answerShape>;
export type Screening = z.output<typeof screeningShape>;
export type AskedLine = z.output<typeof shapes.answerLine>;
export type SavedTable = z.output<typeof shapes.tables>['items'][number];
export type TablePage = z.output<typeof shapes.table>;
export type TableRow = TablePage['rows'][number];
export type TableCell = TableRow['cells'][number];
export type TableColumn = TablePage['columns'][number];
export type TableLine = z.output<typeof shapes.tableLine>;
export type GraphLine = z.output<typeof shapes.graphLine>;
export type Account = z.output<typeof shapes.account>;
export type Sources = z.output<typeof shapes.sources>;
export type Stages = z.output<typeof shapes.stages>;
export type Lanes = z.output<typeof shapes.lanes>;
export type Passages = z.output<typeof shapes.passages>;
export type List<T> = { readonly items: readonly T[]; readonly next: string | null; readonly total?: number };

/** Report data besides the API responses. Written by `serve/report.ts`. */
export interface ReportFacts {
  readonly written_at: string;
  readonly omitted: readonly string[];
  /** Downloaded files by API path, relative to the report. */
  readonly files: Readonly<Record<string, string>>;
}
