import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { DenseEngine } from '../parse/index.ts';
import type { Hit, SearchIndex, SearchMode, SearchOptions } from '../search/index.ts';
import { openIndex, readManifest } from '../search/index.ts';
import type { SearchEvent } from './make-index.ts';
import { refreshPlace } from './make-index.ts';
import { openQueryEngine } from './query-engine.ts';
import type { SearchPlace } from './search-place.ts';

const TOP = 10;

/** How passages are looked for; all of it has defaults. */
export type SearchRequest = Partial<SearchOptions>;

/** An index that is open, and the model that understands questions to it. */
export class SearchSession implements AsyncDisposable {
  readonly #index: SearchIndex;
  readonly #engine: DenseEngine | undefined;
  /** How it is searched unless a question says otherwise. */
  readonly mode: SearchMode;

  constructor(index: SearchIndex, engine: DenseEngine | undefined, mode: SearchMode | undefined) {
    this.#index = index;
    this.#engine = engine;
    this.mode = mode ?? (index.modes.includes('hybrid') ? 'hybrid' : 'lexical');
  }

  /** How many passages there are. */
  get passages(): number {
    return this.#index.manifest.passages;
  }

  /** The passages that answer a question best. */
  async search(question: string, request: SearchRequest = {}, signal?: AbortSignal): Promise<Hit[]> {
    return await this.#index.search(question, { mode: this.mode, top: TOP, ...request }, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#index[Symbol.dispose]();
    await this.#engine?.[Symbol.asyncDispose]();
  }
}

/** Opens what there is to search, up to date. A mode that is asked for has to be possible; else words alone are enough. */
export async function openSearchSession(
  place: SearchPlace,
  how: {
    readonly config: Config;
    readonly mode?: SearchMode | undefined;
    readonly tell: (event: SearchEvent) => void;
  },
  signal?: AbortSignal,
): Promise<SearchSession> {
  await refreshPlace(place, how.tell, signal);
  const engine = await queryEngine(place, how);
  try {
    return new SearchSession(await openIndex(place.index, engine), engine, how.mode);
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
