import type * as z from 'zod';

import type { ManifestRow } from '../../download/index.ts';
import type { Block, Box, Chunk, Page, PageText } from '../../parse/index.ts';
import {
  blocksPath,
  chunkOutput,
  PdfInspector,
  readBlockLines,
  readChunks,
  readSidecar,
  sidecarPath,
} from '../../parse/index.ts';
import { findCallouts, sentencesOf } from '../../graph/index.ts';
import type { CorpusStore } from '../../database/index.ts';
import { STEPS } from '../../database/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import type { Account, HostSlice } from '../account.ts';
import { accountOf, countStep, newHolds } from '../account.ts';
import { CorpusWorks } from '../corpus-works.ts';
import type { Progress } from '../progress.ts';
import { progressOf } from '../progress.ts';
import type { DocumentPlace } from '../place-files.ts';
import { bringHere, isThere } from '../place-files.ts';
import { bringDocument, captionsOf, hasDocument, tableRows } from '../read-document.ts';
import type { CitedWork } from '../search/search-session.ts';
import { citedWork } from '../search/search-session.ts';
import type { citation, documentLine, runEvent, stepCount } from '../shapes/index.ts';
import type { CitableWork } from '../works/cited-works.ts';
import { CitedWorks } from '../works/cited-works.ts';
import type { WorksRequest, WorkTable } from '../works/work-table.ts';
import { decodeCursor, encodeCursor, whereOf, wordsOf } from '../works/work-table.ts';
import { SourceFiles } from './source-files.ts';

const REPORTED_AT_FIRST = 200;

const PAGE = 50;
const LAST_FIRST = Object.values(STEPS).toReversed();
const STEP_COLUMNS = LAST_FIRST.map((step) => `max(ended) FILTER (WHERE step = '${step}') AS ${step}`).join(', ');

export type StepCount = z.output<typeof stepCount>;
export type RunEvent = z.output<typeof runEvent>;
type Citation = z.output<typeof citation>;
type DocumentLine = z.output<typeof documentLine>;

/** A growing corpus for readers; `refresh` reads what other processes have written. */
export class CorpusView extends CorpusWorks {
  readonly #pages = drawnPages();
  readonly #files = new SourceFiles(this.place);
  /** The number of the last event reported, for outcomes of works, each step of documents, and holds of hosts. */
  readonly #reported = new Map<string, number>();
  #cited: { readonly version: string; readonly works: CitedWorks } | undefined;
  #progress: { readonly version: string; readonly points: readonly Progress[] } | undefined;
  #counted: { readonly version: string; readonly account: Account } | undefined;
  #refreshing: Promise<readonly RunEvent[]> | undefined;

  /** Reads new log lines and returns new events; concurrent calls share one read. */
  refresh(): Promise<readonly RunEvent[]> {
    this.#refreshing ??= this.#read().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  account(): Account {
    const { version } = this.store;
    if (this.#counted?.version !== version) this.#counted = { version, account: accountOf(this.store) };
    return this.#counted.account;
  }

  /** The corpus over time, from its logs. */
  progress(): readonly Progress[] {
    const { version } = this.store;
    if (this.#progress?.version !== version) this.#progress = { version, points: progressOf(this.store) };
    return this.#progress.points;
  }

  get works(): WorkTable {
    return this.table;
  }

  steps(): readonly StepCount[] {
    const account = this.account();
    const { listed, waiting, deferred, downloaded, local, failed } = account;
    // A deferred work is tried again.
    const tried = listed - waiting - deferred;
    const files = downloaded + local;
    const counted = (step: 'parsed' | 'chunked' | 'embedded') => ({
      done: account[step],
      failed: countStep(this.store, step, 'failure'),
    });
    const [parsed, chunked, embedded] = [counted('parsed'), counted('chunked'), counted('embedded')];
    // Assumes that untried works succeed as often as tried ones.
    const coming = tried > 0 ? Math.round(((listed - tried) * files) / tried) : 0;
    const toParse = Math.max(files + coming - account.scans, parsed.done + parsed.failed);
    const toChunk = Math.max(toParse - parsed.failed, chunked.done + chunked.failed);
    return [
      { name: 'works', done: tried, failed, of: listed },
      { name: 'saved', done: files, failed: 0, of: tried },
      { name: 'parsed', ...parsed, of: toParse },
      { name: 'chunked', ...chunked, of: toChunk },
      { name: 'embedded', ...embedded, of: Math.max(toChunk - chunked.failed, embedded.done + embedded.failed) },
    ];
  }

  record(work: string): { readonly record: WorkRecord; readonly cited: CitedWork } | undefined {
    const record = this.records.get(work);
    return record && { record, cited: citedWork(record) };
  }

  documents({ q = '', limit = PAGE, cursor }: Pick<WorksRequest, 'q' | 'limit' | 'cursor'>) {
    const after = decodeCursor(cursor, 1);
    const words = wordsOf(q);
    const conditions = [
      ...(after ? ['steps.document > :after'] : []),
      ...(words === '' ? [] : ['works.row IN (SELECT rowid FROM words WHERE words MATCH :words)']),
    ];
    const rows = this.store.all<DocumentLine>(
      `SELECT steps.document AS id, work, title, authors, nullif(year, 0) AS year, ${STEP_COLUMNS},
         coalesce(${LAST_FIRST.map((step) => `max(failure) FILTER (WHERE step = '${step}')`).join(', ')}) AS failure
       FROM document_steps AS steps LEFT JOIN works ON works.document = steps.document AND works.document <> ''
       ${whereOf(conditions)} GROUP BY steps.document ORDER BY steps.document LIMIT :limit`,
      { ...(after && { after: String(after[0]) }), ...(words !== '' && { words }), limit: limit + 1 },
    );
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return { items, next: rows.length > limit && last ? encodeCursor([last.id]) : null };
  }

  hasDocument(id: string): boolean {
    return this.store.get('select 1 from document_steps where document = ?', id) !== undefined;
  }

  besideDocument(id: string): { readonly before: string | null; readonly after: string | null } {
    const sql = `select (select max(document) from document_steps where document < :id) as before,
      (select min(document) from document_steps where document > :id) as after`;
    return this.store.get(sql, { id }) ?? { before: null, after: null };
  }

  /** A document with its structure, from a block on; undefined if it does not exist. */
  async document(id: string, from = 0): Promise<ShownDocument | undefined> {
    return this.hasDocument(id) ? await readShownDocument(this.place, id, from, this.#citedWorks()) : undefined;
  }

  #citedWorks(): CitedWorks {
    const { version } = this.store;
    if (this.#cited?.version !== version)
      this.#cited = {
        version,
        works: new CitedWorks(this.store.iterate<CitableWork>('select work, title, doi from works')),
      };
    return this.#cited.works;
  }

  /** Where a document cites the entries of its own list; undefined if it does not exist. */
  async citations(id: string): Promise<readonly Citation[] | undefined> {
    if (!this.hasDocument(id) || !hasDocument(this.place, id)) return undefined;
    await bringDocument(this.place, id);
    const { blocks } = await readBlockLines(blocksPath(this.place.dataRoot, id));
    return citationsIn(blocks);
  }

  /** The passages of a document, in reading order; none before it is chunked. */
  async *passages(id: string): AsyncGenerator<Chunk> {
    const path = (['parquet', 'jsonl'] as const)
      .map((format) => chunkOutput(this.place.dataRoot, id, format))
      .find((each) => isThere(this.place, each));
    if (path === undefined || !this.hasDocument(id)) return;
    await bringHere(this.place, path);
    yield* readChunks(path);
  }

  /** A page of a document as PNG: null if it does not exist, undefined if too many others wait. */
  async picture(id: string, page: number, widthPixels: number): Promise<Uint8Array | null | undefined> {
    const path = await this.#pdf(id);
    return path === undefined ? null : await this.#pages.draw(path, page, widthPixels);
  }

  /** What can be selected on a page: null if it does not exist, undefined if too many others wait. */
  async pageText(id: string, page: number): Promise<PageText | null | undefined> {
    const path = await this.#pdf(id);
    return path === undefined ? null : await this.#pages.read(path, page);
  }

  /** The file that a document was parsed from, if it may be shown. */
  async file(id: string): Promise<string | undefined> {
    return this.hasDocument(id) ? await this.#files.find(id) : undefined;
  }

  async #pdf(id: string): Promise<string | undefined> {
    const path = await this.file(id);
    return path !== undefined && /\.pdf$/i.test(path) ? path : undefined;
  }

  async #read(): Promise<readonly RunEvent[]> {
    const { store } = this;
    const isFirst = this.#reported.size === 0;
    await store.ingestSoon();
    /** The last number of a list reported before; at first only its end is reported. */
    const after = (list: string, last: number): number => {
      const before = this.#reported.get(list) ?? last - REPORTED_AT_FIRST;
      this.#reported.set(list, last);
      return before;
    };
    const works = after('works', store.number('select max(sequence) from outcomes'));
    const steps = Object.values(STEPS).flatMap((step) => {
      const last = store.number('select max(sequence) from document_steps where step = ?', step);
      return stepEvents(store, step, after(step, last));
    });
    const holds = newHolds(store, this.#reported.get('holds') ?? 0);
    this.#reported.set('holds', holds.at(-1)?.row ?? this.#reported.get('holds') ?? 0);
    const events = [...workEvents(store, works), ...steps, ...holds.map(holdEvent)];
    return isFirst ? events.toSorted((a, b) => (a.at < b.at ? -1 : 1)).slice(-REPORTED_AT_FIRST) : events;
  }

  override [Symbol.dispose](): void {
    this.#pages[Symbol.dispose]();
    super[Symbol.dispose]();
  }
}

/** Longer papers cite less often. */
const MOST_CITATIONS = 5_000;

/** Callouts with their sentences, in reading order. */
function citationsIn(blocks: readonly Block[]): readonly Citation[] {
  const { references, callouts } = findCallouts(blocks);
  const blockOf = new Map(references.map(({ position, block }) => [position, block]));
  return callouts
    .slice(0, MOST_CITATIONS)
    .map(({ block, start, end, references: own, further }) => {
      const { text = '', regions = [] } = blocks[block] ?? {};
      const sentence = sentencesOf(text).find((each) => start >= each.start && start < each.end);
      return {
        block,
        page: regions[0]?.page ?? null,
        printed: text.slice(start, end),
        sentence: sentence ? text.slice(sentence.start, sentence.end) : text.slice(start, end),
        references: [...new Set([...own, ...further])].flatMap((position) => blockOf.get(position) ?? []),
      };
    })
    .filter((citation) => citation.references.length > 0)
    .toSorted((a, b) => a.block - b.block);
}

const NOTHING = { work: null, document: null, host: null, reason: null } as const;

function holdEvent({ at, host, asked_until: asked, held_until: held }: HostSlice): RunEvent {
  return {
    ...NOTHING,
    at,
    kind: 'host',
    level: 'warn',
    text: held === null ? `rate-limited until ${asked ?? ''}` : `keeps failing, held until ${held}`,
    host,
    reason: held === null ? 'rate-limited' : 'host-held',
  };
}

function workEvents(store: CorpusStore, sequence: number): RunEvent[] {
  const rows = store.all<Pick<ManifestRow, 'work' | 'at' | 'outcome' | 'reason' | 'title' | 'resolver'>>(
    `select coalesce(works.work, outcomes.work) as work, outcomes.at, outcomes.outcome, outcomes.reason, outcomes.resolver,
       coalesce(works.title, outcomes.row ->> '$.title') as title
     from outcomes left join works on works.tried = outcomes.work where outcomes.sequence > ? order by outcomes.sequence`,
    sequence,
  );
  return rows.map(({ work, at, outcome, reason, title, resolver }) => {
    const name = (title ?? work).slice(0, 300);
    const by = resolver === null ? '' : ` (${resolver})`;
    const level = outcome === 'saved' || outcome === 'skipped' ? 'info' : outcome === 'parked' ? 'warn' : 'error';
    const text = outcome === 'saved' ? `saved${by}: ${name}` : `${outcome}, ${reason}: ${name}`;
    return { ...NOTHING, kind: 'work', at, level, text, work, reason };
  });
}

function stepEvents(store: CorpusStore, step: string, sequence: number): RunEvent[] {
  const rows = store.all<Record<'document' | 'at' | 'ended', string> & Record<'failure' | 'reason', string | null>>(
    `select document, at, ended, substr(failure, 1, 1000) as failure, coalesce(code, category) as reason
     from document_steps where step = ? and sequence > max(0, ?) order by sequence`,
    step,
    sequence,
  );
  return rows.map(({ document, at, ended, failure, reason }) => {
    const about = { ...NOTHING, kind: 'stage', at, document } as const;
    if (ended !== 'failure') return { ...about, level: 'info', text: step };
    return { ...about, level: 'error', text: `could not be ${step}: ${failure ?? 'no reason was given'}`, reason };
  });
}

const KEPT_BYTES = 32_000_000;
const MOST_WAITING = 16;

/** Draws and reads pages of PDFs on request, in a separate process. */
function drawnPages() {
  let inspector: PdfInspector | undefined;
  const kept = new Map<string, Uint8Array>();
  let [bytes, waiting] = [0, 0];
  const keep = (key: string, png: Uint8Array): void => {
    kept.set(key, png);
    bytes += png.length;
    for (const [oldest, { length }] of kept) {
      if (bytes <= KEPT_BYTES) break;
      kept.delete(oldest);
      bytes -= length;
    }
  };
  const inTurn = async <T>(ask: (inspector: PdfInspector) => Promise<T | undefined>): Promise<T | null | undefined> => {
    if (waiting >= MOST_WAITING) return undefined;
    waiting += 1;
    try {
      inspector ??= new PdfInspector();
      return (await ask(inspector)) ?? null;
    } finally {
      waiting -= 1;
    }
  };
  return {
    async draw(path: string, page: number, widthPixels: number): Promise<Uint8Array | null | undefined> {
      const key = `${page} ${widthPixels} ${path}`;
      const known = kept.get(key);
      if (known) {
        kept.delete(key);
        kept.set(key, known);
        return known;
      }
      const png = await inTurn((each) => each.draw(path, page, widthPixels));
      if (png) keep(key, png);
      return png;
    },
    read: (path: string, page: number): Promise<PageText | null | undefined> => inTurn((each) => each.text(path, page)),
    [Symbol.dispose]: () => inspector?.[Symbol.dispose](),
  };
}

/** Most characters of a document shown at once; `next` says where to continue. */
const MOST_CHARACTERS = 2_000_000;
const MOST_TABLE_ROWS = 500;

/** A block of a document as shown. Boxes are points from the page's upper left corner. */
interface ShownBlock {
  readonly order: number;
  readonly tag: Block['kind'];
  readonly level: number | null;
  readonly text: string;
  readonly regions: readonly (Box & { readonly page: number })[];
  readonly rows: string[][] | null;
  /** Of a table or a picture. */
  readonly caption: string | null;
  /** The work of this corpus that a reference names, and the DOI it prints. */
  readonly cites: string | null;
  readonly doi: string | null;
}

/** A document with its structure, or as much of it as is shown at once. */
export interface ShownDocument {
  readonly kind: string | null;
  readonly title: string | null;
  readonly pages: readonly Page[];
  readonly blocks: readonly ShownBlock[];
  /** The order of the next block; null at the end. */
  readonly next: number | null;
}

async function readShownDocument(
  place: DocumentPlace,
  id: string,
  from: number,
  works: CitedWorks,
): Promise<ShownDocument | undefined> {
  if (!hasDocument(place, id)) return undefined;
  await bringDocument(place, id);
  const document = await readBlockLines(blocksPath(place.dataRoot, id));
  const captions = captionsOf(document.blocks);
  const blocks: ShownBlock[] = [];
  let room = MOST_CHARACTERS;
  let next: number | null = null;
  for (const block of document.blocks) {
    if (block.order < from) continue;
    const caption = captions.get(block.order)?.map(({ text }) => text);
    const shown = shownBlock(block, caption?.join(' ') ?? null, works);
    room -= shown.text.length + (shown.rows?.reduce((sum, row) => sum + row.join('').length, 0) ?? 0) + 100;
    // The first block is always shown, cut to the limit.
    if (room < 0 && blocks.length > 0) {
      next = block.order;
      break;
    }
    blocks.push(shown);
  }
  const { source_kind: kind = null, title = null } = readSidecar(sidecarPath(place.dataRoot, id));
  return { kind, title: document.metadata.title ?? title, pages: document.pages, blocks, next };
}

function shownBlock(block: Block, caption: string | null, works: CitedWorks): ShownBlock {
  return {
    order: block.order,
    tag: block.kind,
    level: block.kind === 'heading' ? block.level : block.kind === 'list_item' ? block.depth : null,
    text: block.text.slice(0, MOST_CHARACTERS),
    regions: block.regions.map(({ page, box }) => ({ page, ...box })),
    rows: block.kind === 'table' ? tableRows(block.table, MOST_TABLE_ROWS) : null,
    caption,
    cites: block.kind === 'reference' ? works.find(block.text, block.doi) : null,
    doi: block.kind === 'reference' ? (block.doi ?? null) : null,
  };
}
