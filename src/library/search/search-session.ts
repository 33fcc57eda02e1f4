import type * as z from 'zod';

import { AppError, sha256 } from '../../base/index.ts';
import type { DenseEngine } from '../../parse/index.ts';
import type { Nearness, Reader } from '../../reader/index.ts';
import type { Hit, SearchFilter, SearchIndex, SearchMode, SearchOptions, Section } from '../../search/index.ts';
import { dot, SECTIONS } from '../../search/index.ts';
import type { Records } from '../../database/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { apaCitation, bibtexEntry, citationKey, retractionOf, yearOf } from '../../works/index.ts';
import type { CorpusWorks } from '../corpus-works.ts';
import type { Graph } from '../graph/graph.ts';
import { nearDocuments } from '../graph/graph.ts';
import type { passageFilter } from '../shapes/index.ts';
import { parseYears } from '../works/work-table.ts';

const TOP = 10;

/** Passages with a lower fit are no results: they share few words with the question and are far from its meaning. */
export const LEAST_FIT = 0.2;

/** How to search: mode, number of passages, filters. */
export interface SearchRequest extends Partial<Omit<SearchOptions, 'filter'>>, PassageFilter {
  /** Appends passages of works connected to the results by citations. */
  readonly related?: boolean | undefined;
}

interface SearchParts {
  readonly engine: DenseEngine | undefined;
  readonly reader: Reader;
  readonly mode: SearchMode | undefined;
  readonly works: CorpusWorks;
  readonly graph: { readonly open: () => Graph };
  readonly hasGraph: boolean;
}

/** An open index, for many questions. Dispose of it after use. */
export class SearchSession implements AsyncDisposable {
  readonly #index: SearchIndex;
  readonly #parts: SearchParts;
  readonly #leftOut: LeftOut;
  /** How questions are searched unless a request says otherwise. */
  readonly mode: SearchMode;

  constructor(index: SearchIndex, parts: SearchParts) {
    this.#index = index;
    this.#parts = parts;
    this.#leftOut = leftOut(parts.works.records);
    this.mode = parts.mode ?? (index.modes.includes('hybrid') ? 'hybrid' : 'lexical');
  }

  /** Scores sentences and table rows for a question. */
  get reader(): Reader {
    return this.#parts.reader;
  }

  /** How many passages can be found. */
  get passages(): number {
    return this.#index.manifest.passages;
  }

  /** Works with a text that screening excluded: they are searched only if works are chosen. */
  get worksScreenedOut(): number {
    return this.#leftOut.works;
  }

  /** The best passages for a question, best first. */
  async search(question: string, request: SearchRequest = {}, signal?: AbortSignal): Promise<CitedHit[]> {
    const filter = searchFilter(request, this.#parts.works, this.#leftOut);
    const options = { mode: this.mode, top: TOP, minFit: LEAST_FIT, ...request, filter };
    const hits = await this.#index.search(question, options, signal);
    const more = request.related
      ? await this.#index.search(question, { ...options, filter: this.#near(hits, filter) }, signal)
      : [];
    return [...hits, ...more].map((hit, at) => {
      const { document, file } = hit.passage;
      const record = this.#parts.works.records.ofDocument(document);
      const cited = citedHit(hit, record, this.#parts.works.link(document) ?? file);
      return at < hits.length ? cited : { ...cited, rank: at + 1, related: true };
    });
  }

  /** The papers that match a filter, sorted by name. */
  async documents(filter: PassageFilter = {}): Promise<CitedDocument[]> {
    const { documents } = searchFilter(filter, this.#parts.works, this.#leftOut);
    const accepted = await this.#index.documents((document) => documents?.accepts(document) !== false);
    return accepted.map((document) => {
      const record = this.#parts.works.records.ofDocument(document);
      return { document, work: record ? citedWork(record) : null, link: this.#parts.works.link(document) ?? null };
    });
  }

  /** Whether the corpus has a graph, so that related passages can be found. */
  get hasGraph(): boolean {
    return this.#parts.hasGraph;
  }

  /** All passages of a document, in order. */
  async passagesOf(document: string): Promise<CitedHit[]> {
    const record = this.#parts.works.records.ofDocument(document);
    const link = this.#parts.works.link(document);
    return (await this.#index.passagesOf(document)).map((passage, at) =>
      citedHit({ rank: at + 1, score: 0, fit: 0, by: 'words', passage }, record, link),
    );
  }

  /** Restricts a filter to documents that citations connect with the hits, without the hits' own documents. */
  #near(hits: readonly Hit[], filter: SearchFilter): SearchFilter {
    using graph = this.#parts.graph.open();
    const found = new Set(hits.map(({ passage }) => passage.document));
    const near = nearDocuments(graph, found);
    const accepts = (document: string): boolean =>
      near.has(document) && !found.has(document) && filter.documents?.accepts(document) !== false;
    return {
      ...filter,
      documents: { key: `${filter.documents?.key ?? ''} near ${[...found].sort().join(' ')}`, accepts },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#index[Symbol.asyncDispose]();
    this.#parts.works[Symbol.dispose]();
    await this.#parts.reader[Symbol.asyncDispose]();
    await this.#parts.engine?.[Symbol.asyncDispose]();
  }
}

/** Semantic similarity by the engine that embeds questions; undefined if the passages have no vectors. */
export function nearnessBy(engine: DenseEngine | undefined): Nearness {
  return async (question, texts, signal) => {
    if (!engine || texts.length === 0) return undefined;
    const [asked = new Float32Array()] = await engine.embed([question], 'query', signal);
    return (await engine.embed(texts, 'passage', signal)).map((vector) => Math.max(0, dot(vector, asked)));
  };
}

/** Documents that are not searched. */
interface LeftOut {
  /** Of a version that has a better one in the corpus, or twice in it. */
  readonly versions: ReadonlySet<string>;
  /** Of works that screening excluded: searched if works are chosen. */
  readonly excluded: ReadonlySet<string>;
  /** How many works these are. */
  readonly works: number;
}

function leftOut(records: Records): LeftOut {
  const [labels, groups] = [records.labels(), records.versionGroups()];
  const [versions, excluded] = [new Set<string>(), new Set<string>()];
  // Reading which work each document is of takes time in a large corpus.
  if (labels.size === 0 && groups.length === 0 && !records.hasOwnPapers) return { versions, excluded, works: 0 };
  const documents = Map.groupBy(records.documents(), ([, work]) => work);
  let works = 0;
  for (const [work, label] of labels) {
    const held = label === 'excluded' ? (documents.get(work) ?? []) : [];
    if (held.length > 0) works += 1;
    for (const [document] of held) excluded.add(document);
  }
  for (const group of groups) {
    const held = group.filter(({ id }) => documents.has(id));
    for (const { id } of held.slice(1)) for (const [document] of documents.get(id) ?? []) versions.add(document);
  }
  // A paper of the user may also have been downloaded.
  for (const held of documents.values()) for (const [document] of held.slice(1)) versions.add(document);
  return { versions, excluded, works };
}

/** A work as one cites it. */
export interface CitedWork {
  readonly id: string;
  readonly title: string | null;
  readonly authors: readonly { readonly name: string; readonly orcid: string | null }[];
  readonly year: number | null;
  readonly date: string | null;
  readonly venue: string | null;
  readonly type: string | null;
  readonly doi: string | null;
  readonly url: string | null;
  readonly license: string | null;
  readonly version: WorkRecord['version'];
  readonly access: string | null;
  /** The notice of retraction; null if it was not retracted. */
  readonly retraction: WorkRecord['notices'][number] | null;
  /** Corrections and expressions of concern. */
  readonly notices: WorkRecord['notices'];
  readonly apa: string;
  readonly bibtex: string;
}

/** A passage that was found, with the work to cite for it. */
export interface CitedHit extends Hit {
  /** Null if nothing is known about the document. */
  readonly work: CitedWork | null;
  /** The document's file, with the passage's page if there are pages: `PDF/W1.pdf#page=3`. */
  readonly link: string | null;
  /** Found through citations of the results, not by the question itself. */
  readonly related?: true;
}

/** A paper of the corpus, with the work to cite for it. */
export interface CitedDocument {
  readonly document: string;
  /** Null if nothing is known about the document. */
  readonly work: CitedWork | null;
  readonly link: string | null;
}

export function citedHit(hit: Hit, record: WorkRecord | undefined, file: string | undefined): CitedHit {
  const { page } = hit.passage;
  const at = file === undefined ? undefined : file.split('\\').join('/');
  const isPaged = at !== undefined && page !== undefined && /\.pdf$/i.test(at);
  return {
    ...hit,
    passage: { ...hit.passage, file: file ?? hit.passage.file },
    work: record ? citedWork(record) : null,
    link: at === undefined ? null : isPaged ? `${at}#page=${page}` : at,
  };
}

export function citedWork(record: WorkRecord): CitedWork {
  return {
    id: record.id,
    title: record.title,
    authors: record.authors.map(({ name, orcid }) => ({ name, orcid })),
    year: yearOf(record),
    date: record.date,
    venue: record.venue,
    type: record.type,
    doi: record.ids.doi,
    url: record.url,
    license: record.license,
    version: record.version,
    access: record.access,
    retraction: retractionOf(record) ?? null,
    notices: record.notices.filter(({ kind }) => kind !== 'retraction' && kind !== 'removal'),
    apa: apaCitation(record),
    bibtex: bibtexEntry({ ...record, abstract: null, keywords: [] }, citationKey(record, new Map())),
  };
}

/** Which passages to search, as people write it; every field is optional. */
export type PassageFilter = z.output<typeof passageFilter> & {
  /** Leaves out retracted works; false by default. */
  readonly excludeRetracted?: boolean | undefined;
  /** Only these works, by their ids or the names of their documents. */
  readonly works?: ReadonlySet<string> | undefined;
};

/** Converts the filter to that of an index. */
export function searchFilter(
  filter: PassageFilter,
  works: Pick<CorpusWorks, 'records' | 'table'>,
  { versions, excluded }: Omit<LeftOut, 'works'>,
): SearchFilter {
  const { year, author, venue, type, license: licence, section, has, excludeRetracted = false, works: chosen } = filter;
  if (year !== undefined) parseYears(year);
  const wanted = { year, author, venue, type, licence };
  const isFiltered = Object.values(wanted).some((value) => value !== undefined);
  let found: ReadonlySet<string> | undefined;
  const accepts = (document: string): boolean => {
    if (versions.has(document) || (!chosen && excluded.has(document))) return false;
    const work = works.records.ofDocument(document)?.id;
    if (chosen && !chosen.has(document) && !chosen.has(work ?? document)) return false;
    if (!isFiltered && !excludeRetracted) return true;
    // A document without a record counts as not retracted and has no year.
    if (work === undefined) return !isFiltered;
    found ??= works.table.ids({ ...wanted, ...(excludeRetracted && { retracted: false }) });
    return found.has(work);
  };
  const chosenKey = chosen && sha256([...chosen].sort().join('\n'));
  const key = JSON.stringify([wanted, excludeRetracted, versions.size, excluded.size, chosenKey]);
  const someLeftOut = versions.size > 0 || excluded.size > 0;
  return {
    ...((isFiltered || chosen || excludeRetracted || someLeftOut) && { documents: { key, accepts } }),
    ...(section !== undefined && { sections: sectionsOf(section) }),
    ...(has !== undefined && { has }),
  };
}

function sectionsOf(text: string): Section[] {
  return text.split(',').map((each) => {
    const name = each.trim().toLowerCase();
    const section = SECTIONS.find((known) => known === name || `${known}s` === name || known === `${name}s`);
    if (!section)
      throw new AppError('USAGE_FILTER', `"${each.slice(0, 100)}" is not a valid section`, {
        hint: SECTIONS.join(', '),
      });
    return section;
  });
}
