import { join } from 'node:path';

import type { Config } from '../config/index.ts';
import { isTransient } from '../download/index.ts';
import { parsedDocuments, readSidecar, sidecarPath } from '../parse/index.ts';
import type { WorkRecord } from '../works/index.ts';
import { apaCitation, bibtexEntry, citationKey, cslItem, emptyRecord, risEntry } from '../works/index.ts';
import type { WorkLine, WorksPage, WorksRequest } from './works/work-table.ts';
import { sentenceOf } from './works/work-table.ts';
import { accountOf } from './account.ts';
import type { LibraryWork } from './corpus-works.ts';
import { CorpusWorks, describedWork } from './corpus-works.ts';
import type { DocumentPlace } from './place-files.ts';
import type { LibraryDocument } from './read-document.ts';
import { hasDocument, isDocumentName, readDocument } from './read-document.ts';

/** `keys` counts the citation keys in use. */
const CITATIONS = {
  apa: apaCitation,
  bibtex: (record: WorkRecord, keys: Map<string, number>) => bibtexEntry(record, citationKey(record, keys)),
  ris: (record: WorkRecord) => risEntry(record),
  csl: (record: WorkRecord) => JSON.stringify(cslItem(record)),
};
export type CitationStyle = keyof typeof CITATIONS;
export const CITATION_STYLES = Object.keys(CITATIONS) as CitationStyle[];
const MOST_WORKS = 1_000;
const LIMIT = 50;

/** What a corpus folder knows: works, documents, citations, the account. */
export class Library implements Disposable {
  /** The folder of the corpus. */
  readonly folder: string;
  readonly #place: DocumentPlace;
  #list: CorpusWorks | undefined;

  constructor(folder: string, config: Config, shared: Pick<DocumentPlace, 'stored' | 'journal'> = {}) {
    this.folder = folder;
    this.#place = { folder, dataRoot: config.parse.data_root, ...shared };
  }

  /** A page of the works; for a corpus of the user's papers without records, its documents. */
  async works(request: WorksRequest = {}): Promise<WorksPage> {
    const list = await this.#opened();
    if (list.isEmpty) return await this.#documentsPage(request);
    const limit = Math.min(MOST_WORKS, Math.max(1, request.limit ?? LIMIT));
    return list.table.page({ sort: 'id', ...request, limit });
  }

  /** A work as a line of the list; undefined if it is unknown. */
  async line(id: string): Promise<WorkLine | undefined> {
    const list = await this.#opened();
    const isPaper = list.isEmpty && hasDocument(this.#place, id);
    return isPaper ? paperLine(ownPaper(this.#place, id)) : list.table.get(id);
  }

  /** A work by its id, a DOI, or the name of its document; undefined if it is not in the corpus. */
  async work(name: string): Promise<LibraryWork | undefined> {
    const list = await this.#opened();
    return list.find(name) ?? (hasDocument(this.#place, name) ? ownPaper(this.#place, name) : undefined);
  }

  /** A parsed document; `textOf` and `figuresOf` read parts of it. */
  async document(name: string): Promise<LibraryDocument> {
    const isName = isDocumentName(name) && hasDocument(this.#place, name);
    return await readDocument(this.#place, isName ? name : ((await this.work(name))?.document ?? name));
  }

  /** Citations of works, in the order given; null for a work that is not in the corpus. */
  async cite(names: readonly string[], style: CitationStyle) {
    const works = await Array.fromAsync(names, async (name) => ({ name, work: (await this.work(name)) ?? null }));
    const keys = new Map<string, number>();
    return works.map(({ name, work }) => ({ name, work, citation: work && CITATIONS[style](work.record, keys) }));
  }

  /** What became of all works, as counts, with the reasons of those that are missing. */
  async account() {
    const list = await this.#opened();
    const counts = accountOf(list.store);
    // Documents not logged by our stages are counted by their files.
    const documents = counts.parsed > 0 ? counts.parsed : parsedDocuments(this.#place.dataRoot).length;
    // The user's papers without a record are only documents.
    const isBare = counts.listed === 0;
    return {
      works: isBare ? documents : counts.listed,
      saved: isBare ? documents : counts.downloaded + counts.local,
      waiting: counts.waiting,
      missing: counts.deferred + counts.failed + counts.unavailable,
      excluded: counts.excluded,
      retracted: counts.retracted,
      documents,
      reasons: Object.entries(counts.by_reason).map(([reason, works]) => ({
        reason,
        sentence: sentenceOf(reason) ?? '',
        later: isTransient(reason),
        works,
      })),
    };
  }

  async #opened(): Promise<CorpusWorks> {
    this.#list ??= new CorpusWorks(this.#place);
    await this.#list.store.ingestSoon();
    return this.#list;
  }

  /** The user's papers without a record, as documents sorted by name. */
  async #documentsPage({ q, title = q, limit = LIMIT, cursor, ...filters }: WorksRequest): Promise<WorksPage> {
    const isFiltered = Object.entries(filters).some(
      ([name, value]) => value !== undefined && name !== 'sort' && name !== 'order' && name !== 'outcome',
    );
    if (isFiltered || filters.outcome === 'missing') return { items: [], total: 0, next: null };
    const sought = (title ?? '').toLowerCase().split(/\s+/);
    const names = parsedDocuments(this.#place.dataRoot).filter((name) =>
      sought.every((word) => name.toLowerCase().includes(word)),
    );
    const from = cursor === undefined ? 0 : names.findIndex((name) => name > cursor);
    const shown = from < 0 ? [] : names.slice(from, from + limit);
    const last = shown.at(-1);
    return {
      items: shown.map((name) => paperLine(ownPaper(this.#place, name))),
      total: names.length,
      next: last !== undefined && last !== names.at(-1) ? last : null,
    };
  }

  [Symbol.dispose](): void {
    this.#list?.[Symbol.dispose]();
    this.#list = undefined;
  }
}

/** Where the manifests of the stages are. */
export function stageManifestFolder({ parse }: Config): string {
  return join(parse.data_root, 'Manifests');
}

/** A paper of the user without a record, described by its document. */
function ownPaper(place: DocumentPlace, document: string): LibraryWork {
  const { title = null, authors, doi = null } = readSidecar(sidecarPath(place.dataRoot, document));
  const unknown = { family: null, given: null, orcid: null, institutions: [] };
  const record: WorkRecord = {
    ...emptyRecord(document, { doi }),
    title,
    authors: authors.map((name) => ({ name, ...unknown })),
  };
  return describedWork({ work: document, name: document, outcome: 'local' }, record, null, place);
}

function paperLine({ id, document, title, authors, doi }: LibraryWork): WorkLine {
  return {
    id,
    document,
    title,
    doi,
    authors: authors.join(', ') || null,
    outcome: 'local',
    retracted: false,
    year: null,
    venue: null,
    type: null,
    reason: null,
    sentence: null,
    resolver: null,
    licence: null,
    version: null,
    bytes: null,
    citations: null,
    at: null,
  };
}
