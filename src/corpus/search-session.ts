import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { DenseEngine } from '../parse/index.ts';
import type { SearchIndex, SearchMode, SearchOptions } from '../search/index.ts';
import { hasIndex, openIndex, readManifest } from '../search/index.ts';
import { RecordStore } from '../works/index.ts';
import type { CitedHit } from './cited-hit.ts';
import { citedHit } from './cited-hit.ts';
import { documentLinks } from './document-links.ts';
import type { SearchEvent } from './make-index.ts';
import { refreshPlace } from './make-index.ts';
import { openQueryEngine } from './query-engine.ts';
import type { PassageFilter } from './search-filter.ts';
import { searchFilter } from './search-filter.ts';
import type { SearchPlace } from './search-place.ts';

const TOP = 10;

/** Below this a passage answers nothing: it has few of the question's words and is far from its meaning. */
const LEAST_FIT = 0.25;

/** How passages are looked for; all of it has defaults. */
export interface SearchRequest extends Partial<Omit<SearchOptions, 'filter'>>, PassageFilter {}

/** How an index is opened for many questions. */
export interface OpenSearchOptions {
  readonly mode?: SearchMode | undefined;
  readonly tell?: (event: SearchEvent) => void;
  /** Asks an index that is there without looking whether passages have changed: nothing is written. */
  readonly asItIs?: boolean | undefined;
}

/** An index that is open, the model that understands questions to it, and what is known of the works in it. */
export class SearchSession implements AsyncDisposable {
  readonly #index: SearchIndex;
  readonly #engine: DenseEngine | undefined;
  readonly #records: RecordStore | undefined;
  readonly #linkOf: (document: string) => string | undefined;
  readonly #hidden: ReadonlySet<string>;
  /** How it is searched unless a question says otherwise. */
  readonly mode: SearchMode;

  constructor(
    index: SearchIndex,
    parts: {
      readonly engine: DenseEngine | undefined;
      readonly mode: SearchMode | undefined;
      readonly records: RecordStore | undefined;
      readonly linkOf: (document: string) => string | undefined;
    },
  ) {
    this.#index = index;
    this.#engine = parts.engine;
    this.#records = parts.records;
    this.#linkOf = parts.linkOf;
    this.#hidden = parts.records ? otherVersions(parts.records) : new Set();
    this.mode = parts.mode ?? (index.modes.includes('hybrid') ? 'hybrid' : 'lexical');
  }

  /** How many passages there are. */
  get passages(): number {
    return this.#index.manifest.passages;
  }

  /** The passages that answer a question best, each with the work it is from. */
  async search(question: string, request: SearchRequest = {}, signal?: AbortSignal): Promise<CitedHit[]> {
    const { year, author, venue, type, license, section, has, excludeRetracted, ...rest } = request;
    const wanted = { year, author, venue, type, license, section, has, excludeRetracted };
    const filter = searchFilter(wanted, this.#records, this.#hidden);
    const options = { mode: this.mode, top: TOP, minFit: LEAST_FIT, ...rest, filter };
    const hits = await this.#index.search(question, options, signal);
    return hits.map((hit) => {
      const { document } = hit.passage;
      return citedHit(hit, this.#records?.ofDocument(document), this.#linkOf(document) ?? hit.passage.file);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#index[Symbol.dispose]();
    this.#records?.[Symbol.dispose]();
    await this.#engine?.[Symbol.asyncDispose]();
  }
}

/** Documents that hold another version of a work than its best, of which there is one as well, or a work that was screened out. */
function otherVersions(records: RecordStore): Set<string> {
  const documents = Map.groupBy(records.documents(), ([, work]) => records.get(work)?.id ?? work);
  const hidden = new Set<string>();
  for (const [work, label] of records.labels())
    if (label === 'excluded') for (const [document] of documents.get(work) ?? []) hidden.add(document);
  for (const group of records.versionGroups()) {
    const held = group.filter(({ id }) => documents.has(id));
    for (const { id } of held.slice(1)) for (const [document] of documents.get(id) ?? []) hidden.add(document);
  }
  return hidden;
}

/** Opens what there is to search, up to date. A mode that is asked for has to be possible; else words alone are enough. */
export async function openSearchSession(
  place: SearchPlace,
  how: {
    readonly config: Config;
    readonly mode?: SearchMode | undefined;
    readonly tell: (event: SearchEvent) => void;
    /** An index that is there is asked as it is: whoever makes the corpus brings it up to date. */
    readonly asItIs?: boolean | undefined;
  },
  signal?: AbortSignal,
): Promise<SearchSession> {
  if (how.asItIs !== true || !hasIndex(place.index)) await refreshPlace(place, how.tell, signal);
  const engine = await queryEngine(place, how);
  try {
    const index = await openIndex(place.index, engine);
    const path = join(place.folder, 'manifest.sqlite3');
    const records = existsSync(path) ? new RecordStore(path) : undefined;
    const linkOf = documentLinks(place.folder, place.dataRoot);
    return new SearchSession(index, { engine, mode: how.mode, records, linkOf });
  } catch (error) {
    await engine?.[Symbol.asyncDispose]();
    throw error;
  }
}

/** The model of the index, unless words are enough or all there is; asked for by name, it has to be there. */
async function queryEngine(
  { index }: SearchPlace,
  {
    config,
    mode,
    tell,
  }: { readonly config: Config; readonly mode?: SearchMode | undefined; readonly tell: (event: SearchEvent) => void },
): Promise<DenseEngine | undefined> {
  if (mode === 'lexical') return undefined;
  const { dense } = readManifest(index);
  const opened = dense
    ? await openQueryEngine(config, dense.model)
    : {
        kind: 'missing' as const,
        reason: new AppError('INDEX_NOT_DENSE', 'the passages have no dense vectors', {
          hint: 'search with --lexical, or make vectors with docparse embed',
        }),
      };
  if (opened.kind === 'engine') return opened.engine;
  if (mode !== undefined) throw opened.reason;
  tell({ kind: 'message', level: 'warn', message: `${opened.reason.message}: searching by words alone` });
  return undefined;
}
