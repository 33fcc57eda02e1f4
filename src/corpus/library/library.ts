import { existsSync } from 'node:fs';

import { AppError } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { REASONS } from '../../download/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { apaCitation, bibtexEntry, citationKey, cslItem, emptyRecord, risEntry } from '../../works/index.ts';
import { documentLinks } from '../document-links.ts';
import type { RunFile } from '../run-file.ts';
import { readRunFile } from '../run-file.ts';
import type { Figure, LibraryDocument, TextPart, TextPiece } from './read-document.ts';
import {
  documentNames,
  figuresOf,
  hasDocument,
  isDocumentName,
  readDocument,
  readSidecar,
  textOf,
} from './read-document.ts';
import type { ListedWork, WorksPage } from './works-list.ts';
import { WorksList } from './works-list.ts';
import type { WorksQuery } from './works-query.ts';

export const CITATION_STYLES = ['apa', 'bibtex', 'ris', 'csl'] as const;
export type CitationStyle = (typeof CITATION_STYLES)[number];

/** A work with all that is known of it. */
export type LibraryWork = ListedWork & { readonly record: WorkRecord; readonly hasText: boolean };

/** Why works are missing, in words and numbers. */
export interface MissingReason {
  readonly reason: string;
  readonly sentence: string;
  /** Whether another day may end otherwise. */
  readonly later: boolean;
  readonly works: number;
}

/** What a corpus holds and what it does not. */
export interface LibraryAccount {
  readonly run: RunFile | null;
  readonly works: number;
  readonly saved: number;
  readonly waiting: number;
  readonly missing: number;
  readonly excluded: number;
  readonly retracted: number;
  readonly documents: number;
  readonly reasons: readonly MissingReason[];
}

/** A corpus for those who read it: its works, the text of its documents, how they are cited, and what is missing. */
export class Library {
  readonly folder: string;
  readonly #dataRoot: string;
  readonly #linkOf: (document: string) => string | undefined;

  constructor(folder: string, config: Config) {
    this.folder = folder;
    this.#dataRoot = config.parse.data_root;
    this.#linkOf = documentLinks(folder, this.#dataRoot);
  }

  /** A page of the works; a corpus of one's own papers lists its documents. */
  async works(query: WorksQuery = {}): Promise<WorksPage> {
    using list = this.#open();
    return list.isEmpty ? await this.#documentsPage(query) : list.page(query);
  }

  /** A work by its id, a DOI, or the name of its document; undefined where it is not in the corpus. */
  async work(name: string): Promise<LibraryWork | undefined> {
    using list = this.#open();
    const found = list.work(name);
    if (found) {
      const record = found.record ?? { ...emptyRecord(found.id, { doi: found.doi }), title: found.title };
      return { ...found, record, hasText: hasDocument(this.#dataRoot, found.document) };
    }
    if (!hasDocument(this.#dataRoot, name)) return undefined;
    return await this.#ownPaper(name);
  }

  /** The parsed document of a work. */
  async document(name: string): Promise<LibraryDocument> {
    const isName = isDocumentName(name) && hasDocument(this.#dataRoot, name);
    return await readDocument(this.#dataRoot, isName ? name : ((await this.work(name))?.document ?? name));
  }

  /** Part of a document as Markdown, block by block. */
  async text(name: string, part: TextPart = {}): Promise<TextPiece[]> {
    return textOf(await this.document(name), part);
  }

  /** The figures and tables of a document with their captions. */
  async figures(name: string, kind?: Figure['kind']): Promise<Figure[]> {
    return figuresOf(await this.document(name), kind);
  }

  /** Works as they are cited, in the order in which they are named; null for one that is not in the corpus. */
  async cite(
    names: readonly string[],
    style: CitationStyle,
  ): Promise<{ readonly name: string; readonly work: LibraryWork | null; readonly citation: string | null }[]> {
    const keys = new Set<string>();
    const cited: { name: string; work: LibraryWork | null; citation: string | null }[] = [];
    for (const name of names) {
      const work = (await this.work(name)) ?? null;
      cited.push({ name, work, citation: work && citation(work.record, style, keys) });
    }
    return cited;
  }

  /** What was asked for, what came of it, and why the rest is missing. */
  async account(): Promise<LibraryAccount> {
    using list = this.#open();
    const { outcomes, reasons, excluded, retracted } = list.counts();
    const of = (name: string): number => outcomes[name] ?? 0;
    const works = Object.values(outcomes).reduce((sum, each) => sum + each, 0);
    const documents = documentNames(this.#dataRoot).length;
    const saved = of('saved') + of('own');
    return {
      run: (await readRunFile(this.folder)) ?? null,
      works: works || documents,
      saved: works === 0 ? documents : saved,
      waiting: of('waiting'),
      missing: works - saved - of('waiting'),
      excluded,
      retracted,
      documents,
      reasons: Object.entries(reasons)
        .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
        .map(([reason, count]) => ({ reason, ...meaningOf(reason), works: count })),
    };
  }

  #open(): WorksList {
    return new WorksList(this.folder, this.#linkOf);
  }

  /** Papers of one's own of which there is no record: their documents, by name. */
  async #documentsPage({ words, limit = 50, cursor, ...filters }: WorksQuery): Promise<WorksPage> {
    const isFiltered = Object.entries(filters).some(
      ([name, value]) => value !== undefined && name !== 'sort' && name !== 'descending' && name !== 'outcome',
    );
    if (isFiltered || filters.outcome === 'missing') return { works: [], total: 0, next: null };
    const sought = (words ?? '').toLowerCase().split(/\s+/);
    const names = documentNames(this.#dataRoot).filter((name) =>
      sought.every((word) => name.toLowerCase().includes(word)),
    );
    const from = cursor === undefined ? 0 : names.findIndex((name) => name > cursor);
    const shown = from < 0 ? [] : names.slice(from, from + limit);
    const last = shown.at(-1);
    return {
      works: await Promise.all(shown.map(async (name) => listed(await this.#ownPaper(name)))),
      total: names.length,
      next: last !== undefined && last !== names.at(-1) ? last : null,
    };
  }

  async #ownPaper(document: string): Promise<LibraryWork> {
    const about = await readSidecar(this.#dataRoot, document);
    const text = (name: string): string | null => (typeof about[name] === 'string' ? about[name] : null);
    const authors = Array.isArray(about['authors']) ? about['authors'].map(String) : [];
    const record: WorkRecord = {
      ...emptyRecord(document, { doi: text('doi') }),
      title: text('title'),
      authors: authors.map((name) => ({ name, family: null, given: null, orcid: null, institutions: [] })),
    };
    return {
      id: document,
      document,
      title: record.title,
      authors,
      year: null,
      venue: null,
      type: null,
      doi: record.ids.doi,
      license: null,
      version: null,
      access: null,
      outcome: 'own',
      reason: '',
      detail: null,
      resolver: null,
      file: this.#linkOf(document) ?? null,
      isRetracted: false,
      label: null,
      record,
      hasText: true,
    };
  }

  /** Refuses a folder that holds nothing of a corpus. */
  async require(): Promise<void> {
    if ((await readRunFile(this.folder)) || documentNames(this.#dataRoot).length > 0) return;
    using list = this.#open();
    if (!list.isEmpty) return;
    const what = existsSync(this.folder) ? 'holds nothing of a corpus' : 'is not there';
    throw new AppError('USAGE_RUN', `${this.folder} ${what}`, {
      hint: 'name the folder that docstokg run, contentdownload --out or docparse wrote to',
    });
  }
}

function listed({ record: _record, hasText: _hasText, ...work }: LibraryWork): ListedWork {
  return work;
}

function citation(record: WorkRecord, style: CitationStyle, keys: Set<string>): string {
  switch (style) {
    case 'apa':
      return apaCitation(record);
    case 'bibtex':
      return bibtexEntry(record, citationKey(record, keys));
    case 'ris':
      return risEntry(record);
    case 'csl':
      return JSON.stringify(cslItem(record));
  }
}

function meaningOf(reason: string): { readonly sentence: string; readonly later: boolean } {
  const known = (REASONS as Readonly<Record<string, { sentence: string; later: boolean }>>)[reason];
  return { sentence: known?.sentence ?? '', later: known?.later ?? false };
}
