import type { CorpusStore } from '../store/index.ts';
import type { WorksRequest } from './works/work-table.ts';
import { decodeCursor, encodeCursor, whereOf, wordsOf } from './works/work-table.ts';

/** The steps of a document, in order. */
const DOCUMENT_STEPS = ['parsed', 'chunked', 'embedded'] as const;
export type DocumentStep = (typeof DOCUMENT_STEPS)[number];

/** The outcome of a step, as in the stage's manifest; null before it. */
type StepStatus = 'success' | 'failure' | 'needs-ocr' | null;

export interface DocumentLine {
  readonly id: string;
  readonly work: string | null;
  readonly title: string | null;
  readonly authors: string | null;
  readonly year: number | null;
  readonly parsed: StepStatus;
  readonly chunked: StepStatus;
  readonly embedded: StepStatus;
  /** Why the last step failed. */
  readonly failure: string | null;
}

/** Words in the title or authors, and the page. */
type DocumentsRequest = Pick<WorksRequest, 'q' | 'limit' | 'cursor'>;

const DEFAULT_LIMIT = 50;

export class DocumentTable {
  readonly #store: CorpusStore;

  constructor(store: CorpusStore) {
    this.#store = store;
  }

  has(id: string): boolean {
    return this.#store.get('select 1 from documents where id = ?', id) !== undefined;
  }

  failures(): Readonly<Record<DocumentStep, number>> {
    const counts = DOCUMENT_STEPS.map((step) => `coalesce(sum(${step} = 'failure'), 0) as ${step}`);
    return (
      this.#store.get<Record<DocumentStep, number>>(`select ${counts.join(', ')} from documents`) ??
      ({ parsed: 0, chunked: 0, embedded: 0 } as const)
    );
  }

  page(request: DocumentsRequest): { readonly items: readonly DocumentLine[]; readonly next: string | null } {
    const { limit = DEFAULT_LIMIT } = request;
    const after = decodeCursor(request.cursor, 1);
    const words = wordsOf(request.q ?? '');
    const conditions = [
      ...(after ? ['documents.id > :after'] : []),
      ...(words === '' ? [] : ['works.row IN (SELECT rowid FROM words WHERE words MATCH :words)']),
    ];
    const rows = this.#store.all<DocumentLine>(
      `SELECT documents.id, work, title, authors, nullif(year, 0) AS year, nullif(parsed, '') AS parsed,
         nullif(chunked, '') AS chunked, nullif(embedded, '') AS embedded,
         coalesce(embedded_failure, chunked_failure, parsed_failure) AS failure
       FROM documents LEFT JOIN works ON works.document = documents.id AND works.document <> ''
       ${whereOf(conditions)} ORDER BY documents.id LIMIT :limit`,
      { ...(after && { after: String(after[0]) }), ...(words !== '' && { words }), limit: limit + 1 },
    );
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return { items, next: rows.length > limit && last ? encodeCursor([last.id]) : null };
  }
}
