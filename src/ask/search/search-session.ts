import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { DenseEngine } from '../../parse/index.ts';
import type { Hit, SearchFilter, SearchIndex, SearchMode, SearchOptions } from '../../search/index.ts';
import type { Records } from '../../store/index.ts';
import type { Clock } from '../../base/index.ts';
import { chunkOutput } from '../../parse/index.ts';
import type { Graph } from '../graph/graph.ts';
import { nearDocuments } from '../graph/near-documents.ts';
import type { CitedDocument, CitedHit } from './cited-hit.ts';
import { citedHit, citedWork } from './cited-hit.ts';
import type { PassageFilter } from './search-filter.ts';
import { searchFilter } from './search-filter.ts';
import { KeptOpen } from './kept-open.ts';

const TOP = 10;

/** Passages with a lower fit are no results: they share few words with the question and are far from its meaning. */
const LEAST_FIT = 0.2;

/** Options of a search; every field has a default. */
export interface SearchRequest extends Partial<Omit<SearchOptions, 'filter'>>, PassageFilter {
  /**
   * Appends passages of works that the results cite, are cited by or share citations with; the results stay the same.
   */
  readonly related?: boolean | undefined;
}

/** An open index, the model that embeds questions, and the records of its works. */
export class SearchSession implements AsyncDisposable {
  readonly #index: SearchIndex;
  readonly #engine: DenseEngine | undefined;
  readonly #records: Records | undefined;
  readonly #linkOf: (document: string) => string | undefined;
  readonly #hidden: ReadonlySet<string>;
  readonly #openGraph: () => Graph;
  readonly #hasGraph: boolean;
  /** The default search mode. */
  readonly mode: SearchMode;

  constructor(
    index: SearchIndex,
    parts: {
      readonly engine: DenseEngine | undefined;
      readonly mode: SearchMode | undefined;
      readonly records: Records | undefined;
      readonly linkOf: (document: string) => string | undefined;
      readonly openGraph: () => Graph;
      readonly hasGraph: boolean;
    },
  ) {
    this.#index = index;
    this.#engine = parts.engine;
    this.#records = parts.records;
    this.#linkOf = parts.linkOf;
    this.#openGraph = parts.openGraph;
    this.#hasGraph = parts.hasGraph;
    this.#hidden = parts.records ? otherVersions(parts.records) : new Set();
    this.mode = parts.mode ?? (index.modes.includes('hybrid') ? 'hybrid' : 'lexical');
  }

  get passages(): number {
    return this.#index.manifest.passages;
  }

  /** The passages that answer a question best, each with the work it is from. */
  async search(question: string, request: SearchRequest = {}, signal?: AbortSignal): Promise<CitedHit[]> {
    const { year, author, venue, type, license, section, has, excludeRetracted, works, related, ...rest } = request;
    const wanted = { year, author, venue, type, license, section, has, excludeRetracted, works };
    const filter = searchFilter(wanted, this.#records, this.#hidden);
    const options = { mode: this.mode, top: TOP, minFit: LEAST_FIT, ...rest, filter };
    const hits = await this.#index.search(question, options, signal);
    const more = related
      ? await this.#index.search(question, { ...options, filter: this.#near(hits, filter) }, signal)
      : [];
    return [...hits.map((hit) => ({ hit, related: false })), ...more.map((hit) => ({ hit, related: true }))].map(
      ({ hit, related: isRelated }, at) => {
        const { document } = hit.passage;
        const record = this.#records?.ofDocument(document);
        const cited = citedHit(hit, record, this.#linkOf(document) ?? hit.passage.file);
        return isRelated ? { ...cited, rank: at + 1, related: true } : cited;
      },
    );
  }

  /** The papers that match a filter, sorted by name. */
  documents(filter: PassageFilter = {}): CitedDocument[] {
    const { documents } = searchFilter(filter, this.#records, this.#hidden);
    return this.#index
      .documents((document) => documents?.accepts(document) !== false)
      .map((document) => {
        const record = this.#records?.ofDocument(document);
        return { document, work: record ? citedWork(record) : null, link: this.#linkOf(document) ?? null };
      });
  }

  get hasGraph(): boolean {
    return this.#hasGraph;
  }

  /** Every passage of a document, as hits. */
  passagesOf(document: string): CitedHit[] {
    const record = this.#records?.ofDocument(document);
    const link = this.#linkOf(document);
    return this.#index
      .passagesOf(document)
      .map((passage, at) => citedHit({ rank: at + 1, score: 0, fit: 0, by: 'words', passage }, record, link));
  }

  /** Semantic similarity of texts to a question, 0 to 1; undefined if the passages have no vectors. */
  async nearness(
    question: string,
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly number[] | undefined> {
    if (!this.#engine || texts.length === 0) return undefined;
    const [asked] = await this.#engine.embed([question], 'query', signal);
    const vectors = await this.#engine.embed(texts, 'passage', signal);
    return vectors.map((vector) =>
      Math.max(
        0,
        vector.reduce((sum, value, at) => sum + value * (asked?.[at] ?? 0), 0),
      ),
    );
  }

  /** Restricts a filter to documents that citations connect with the hits, without the hits' own documents. */
  #near(hits: readonly Hit[], filter: SearchFilter): SearchFilter {
    using graph = this.#openGraph();
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
    this.#index[Symbol.dispose]();
    this.#records?.[Symbol.dispose]();
    await this.#engine?.[Symbol.asyncDispose]();
  }
}

/** Documents of works that were screened out, or of a version that has a better one in the corpus. */
function otherVersions(records: Records): Set<string> {
  const documents = Map.groupBy(records.documents(), ([, work]) => records.get(work)?.id ?? work);
  const hidden = new Set<string>();
  for (const [work, label] of records.labels())
    if (label === 'excluded') for (const [document] of documents.get(work) ?? []) hidden.add(document);
  for (const group of records.versionGroups()) {
    const held = group.filter(({ id }) => documents.has(id));
    for (const { id } of held.slice(1)) for (const [document] of documents.get(id) ?? []) hidden.add(document);
  }
  // A paper of the user may also have been downloaded.
  for (const held of documents.values()) for (const [document] of held.slice(1)) hidden.add(document);
  return hidden;
}

/** How often a growing corpus is checked for changes. */
const LOOK_MS = 10_000;

interface Parts {
  readonly folder: string;
  readonly dataRoot: string;
  readonly clock: Clock;
  readonly open: () => Promise<SearchSession>;
}

/** A search that stays open while the corpus grows. */
export class LiveSearch implements AsyncDisposable {
  readonly #kept: KeptOpen<SearchSession>;

  /** Use `Corpus.liveSearch`. */
  constructor({ folder, dataRoot, clock, open }: Parts) {
    const looked = [
      dirname(chunkOutput(dataRoot, 'any', 'parquet')),
      join(folder, 'Index'),
      join(folder, 'manifest.jsonl'),
      join(folder, 'records.jsonl'),
      join(folder, 'decisions.jsonl'),
    ];
    // Changes with the passages or the index.
    const stamp = (): string => looked.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0).join(' ');
    this.#kept = new KeptOpen({ open, stamp, lookMs: LOOK_MS, clock, renews: true });
  }

  /** The default search mode and the number of passages. */
  async about(): Promise<{ readonly mode: SearchMode; readonly passages: number }> {
    return await this.#kept.use(({ mode, passages }) => ({ mode, passages }));
  }

  /** A caller that gives up must not stop an opening that others wait for: the signal stops only its own question. */
  async search(question: string, request: SearchRequest = {}, signal?: AbortSignal): Promise<CitedHit[]> {
    return await this.#kept.use((session) => session.search(question, request, signal));
  }

  /** Provides the open session while `work` runs. */
  async use<T>(work: (session: SearchSession) => Promise<T>): Promise<T> {
    return await this.#kept.use(work);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kept[Symbol.asyncDispose]();
  }
}
