import { join } from 'node:path';

import { AppError, canonicalJson } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import { documentLinks, SearchSession } from '../ask/index.ts';
import type { DenseEngine, MaybeEngine, ModelIdentity } from '../parse/index.ts';
import { embeddedPrecision, openDenseEngineIfInstalled } from '../parse/index.ts';
import type { SearchMode } from '../search/index.ts';
import { openIndex, readManifest } from '../search/index.ts';
import { hasIndex, Records } from '../store/index.ts';
import { hasCorpusGraph, openCorpusGraph } from './corpus-graph.ts';
import type { SearchEvent } from './make-index.ts';
import { refreshPlace } from './make-index.ts';
import { denseSettings } from './parse-settings.ts';
import type { SearchPlace } from './search-place.ts';

/** How an index is opened for many questions. */
export interface OpenSearchOptions {
  readonly mode?: SearchMode | undefined;
  readonly tell?: (event: SearchEvent) => void;
  /** Asks an index that is there without looking whether passages have changed: nothing is written. */
  readonly asItIs?: boolean | undefined;
}

const SEARCH_MODES: readonly SearchMode[] = ['lexical', 'dense', 'hybrid'];

/** Opens what there is to search, up to date. A mode that is asked for has to be possible; else words alone are enough. */
export async function openSearchSession(
  place: SearchPlace,
  how: {
    readonly config: Config;
    readonly mode?: SearchMode | undefined;
    readonly tell: (event: SearchEvent) => void;
    /** An index that is there is asked as it is: the command that makes the corpus brings it up to date. */
    readonly asItIs?: boolean | undefined;
  },
  signal?: AbortSignal,
): Promise<SearchSession> {
  if (how.mode !== undefined && !SEARCH_MODES.includes(how.mode))
    throw new AppError('USAGE_MODE', `unknown search mode "${how.mode}"`, {
      hint: `use one of ${SEARCH_MODES.join(', ')}`,
    });
  if (how.asItIs !== true || !hasIndex(place.folder)) await refreshPlace(place, how.tell, signal);
  const engine = await queryEngine(place, how);
  try {
    const index = await openIndex(place.folder, engine);
    const records = Records.read(place.folder, { manifests: join(place.dataRoot, 'Manifests') });
    const linkOf = documentLinks(place.folder, place.dataRoot);
    return new SearchSession(index, {
      engine,
      mode: how.mode,
      records,
      linkOf,
      openGraph: () => openCorpusGraph(place.folder, place.dataRoot),
      hasGraph: hasCorpusGraph(place.folder, place.dataRoot),
    });
  } catch (error) {
    await engine?.[Symbol.asyncDispose]();
    throw error;
  }
}

/** The model of the index, unless words are enough or all there is; asked for by name, it has to be there. */
async function queryEngine(
  { folder }: SearchPlace,
  {
    config,
    mode,
    tell,
  }: { readonly config: Config; readonly mode?: SearchMode | undefined; readonly tell: (event: SearchEvent) => void },
): Promise<DenseEngine | undefined> {
  if (mode === 'lexical') return undefined;
  const { dense } = readManifest(folder);
  const opened = dense
    ? await openQueryEngine(config, dense.model)
    : {
        kind: 'missing' as const,
        reason: new AppError('INDEX_NOT_DENSE', 'the passages have no dense vectors', {
          hint: 'search with --lexical, or create vectors with docparse embed',
        }),
      };
  if (opened.kind === 'engine') return opened.engine;
  if (mode !== undefined) throw opened.reason;
  tell({ kind: 'message', level: 'warn', message: `${opened.reason.message}: searching by words alone` });
  return undefined;
}

/**
 * Opens the model that made an index's vectors, to embed questions with it: the embedded one as it was run then, whatever
 * the settings say now, and any other one where the settings lead to it.
 */
async function openQueryEngine(config: Config, model: ModelIdentity, signal?: AbortSignal): Promise<MaybeEngine> {
  const precision = embeddedPrecision(model);
  const settings = precision
    ? ({ engine: 'embedded', precision, threads: config.parse.threads } as const)
    : denseSettings(config);
  if (!settings || (!precision && settings.engine === 'embedded')) return { kind: 'missing', reason: other(model) };
  const opened = await openDenseEngineIfInstalled(settings, signal);
  if (opened.kind === 'missing' || isSame(opened.engine.model, model)) return opened;
  await opened.engine[Symbol.asyncDispose]();
  return { kind: 'missing', reason: other(model) };
}

/** The embedded model finds its vectors in any precision: where only WebAssembly runs, int8 vectors are asked in fp32. */
function isSame(opened: ModelIdentity, wanted: ModelIdentity): boolean {
  const precision = embeddedPrecision(wanted) && embeddedPrecision(opened) ? wanted.precision : opened.precision;
  return canonicalJson({ ...opened, precision }) === canonicalJson(wanted);
}

function other({ name, revision, precision }: ModelIdentity): AppError {
  const full = [name, revision, precision].filter(Boolean).join(', ');
  return new AppError('INDEX_MODEL', `the passages were embedded with another model than the configured one: ${full}`, {
    hint: 'set parse.dense, parse.embed_url and parse.embed_model to it, or search with --lexical',
  });
}
