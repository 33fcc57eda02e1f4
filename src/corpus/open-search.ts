import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { CitedHit, Library, LibraryWork, SearchRequest } from '../ask/index.ts';
import { CorpusWorks, documentLink, SearchSession } from '../ask/index.ts';
import { AppError, canonicalJson, isUnwritable } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { FileFormat, MaybeEngine, ModelIdentity } from '../parse/index.ts';
import { chunkOutput, embeddedPrecision, openDenseEngineIfInstalled } from '../parse/index.ts';
import type { IndexEvent, SearchMode } from '../search/index.ts';
import { openIndex, readManifest, refreshIndex } from '../search/index.ts';
import { hasIndex } from '../store/index.ts';
import type { CorpusGraph } from './corpus-graph.ts';
import { hasCorpusGraph, openCorpusGraph } from './corpus-graph.ts';
import { denseSettings } from './prepare-stages.ts';
import type { MessageEvent, RunAccount } from './run-file.ts';

/** Options for opening an index for many questions. */
export interface OpenSearchOptions {
  readonly mode?: SearchMode | undefined;
  readonly tell?: (event: SearchEvent) => void;
  /** Uses an existing index without checking for changed passages: the command that builds the corpus updates it. */
  readonly asItIs?: boolean | undefined;
}

const SEARCH_MODES: readonly SearchMode[] = ['lexical', 'dense', 'hybrid'];

/** Opens an up-to-date index. A requested mode must be available; otherwise words alone are enough. */
export async function openSearchSession(
  place: SearchPlace,
  config: Config,
  { mode, tell = () => undefined, asItIs = false }: OpenSearchOptions,
  signal?: AbortSignal,
): Promise<SearchSession> {
  if (mode !== undefined && !SEARCH_MODES.includes(mode))
    throw new AppError('USAGE_MODE', `unknown search mode "${mode}"`, {
      hint: `use one of ${SEARCH_MODES.join(', ')}`,
    });
  const { folder, dataRoot } = place;
  if (!asItIs || !hasIndex(folder))
    await refreshPlace(place, tell, signal).catch((error: unknown) => {
      if (!isUnwritable(error) || !hasIndex(folder)) throw error;
      tell({ kind: 'message', level: 'warn', message: `the index was not updated: ${error.message}` });
    });
  const opened = mode === 'lexical' ? undefined : await openQueryEngine(config, readManifest(folder).dense?.model);
  if (opened?.kind === 'missing') {
    if (mode !== undefined) throw opened.reason;
    tell({ kind: 'message', level: 'warn', message: `${opened.reason.message}: searching by words alone` });
  }
  const engine = opened?.kind === 'engine' ? opened.engine : undefined;
  try {
    const index = await openIndex(folder, engine);
    const works = new CorpusWorks(folder, dataRoot);
    works.store.ingest();
    return new SearchSession(index, {
      engine,
      mode,
      works,
      openGraph: () => openCorpusGraph(folder, dataRoot),
      hasGraph: hasCorpusGraph(folder, dataRoot),
    });
  } catch (error) {
    await engine?.[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Opens the model that made an index's vectors, to embed questions: the embedded one as it ran then, whatever the
 * current settings; any other only if the settings name it.
 */
async function openQueryEngine(config: Config, model: ModelIdentity | undefined): Promise<MaybeEngine> {
  if (!model)
    return {
      kind: 'missing',
      reason: new AppError('INDEX_NOT_DENSE', 'the passages have no dense vectors', {
        hint: 'search with --lexical, or create vectors with docparse embed',
      }),
    };
  const precision = embeddedPrecision(model);
  const settings = precision
    ? ({ engine: 'embedded', precision, threads: config.parse.threads } as const)
    : denseSettings(config);
  if (!settings || (!precision && settings.engine === 'embedded')) return { kind: 'missing', reason: other(model) };
  const opened = await openDenseEngineIfInstalled(settings);
  if (opened.kind === 'missing' || isSame(opened.engine.model, model)) return opened;
  await opened.engine[Symbol.asyncDispose]();
  return { kind: 'missing', reason: other(model) };
}

/**
 * The embedded model's vectors are comparable in any precision: with WebAssembly only, int8 vectors are queried in
 * fp32.
 */
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

export type SearchEvent = MessageEvent | { readonly kind: 'index'; readonly event: IndexEvent };

/** Updates the index from the passages, if there are any: the index may have been copied without them. */
export async function refreshPlace(
  { folder, dataRoot, format }: Pick<SearchPlace, 'folder' | 'dataRoot' | 'format'>,
  tell: (event: SearchEvent) => void,
  signal?: AbortSignal,
): Promise<number | undefined> {
  if (!format) return undefined;
  const report = (event: IndexEvent): void => tell({ kind: 'index', event });
  const linkOf = (document: string): string | undefined => documentLink({ folder, dataRoot }, document);
  return (await refreshIndex({ dataRoot, folder, format, linkOf, ...(signal && { signal }), report })).passages;
}

/** Indexes the outputs of all stages; undefined if there are none. */
export async function makeIndex(
  { download: { out: folder }, parse }: Config,
  tell: (event: SearchEvent) => void,
  signal: AbortSignal,
): Promise<NonNullable<RunAccount['index']> | undefined> {
  try {
    const passages = await refreshPlace({ folder, dataRoot: parse.data_root, format: parse.format }, tell, signal);
    return { passages: passages ?? 0, searched_by: readManifest(folder).dense ? 'words and meaning' : 'words' };
  } catch (error) {
    // A run that found nothing has nothing to index, as its summary says.
    if (error instanceof AppError && error.code === 'INDEX_NOTHING') return undefined;
    throw error;
  }
}

/** Where passages and their index are. */
export interface SearchPlace {
  /** The run folder, or the parent of the data folder. */
  readonly folder: string;
  readonly dataRoot: string;
  /** The format of the stages' outputs; undefined if there is only an index. */
  readonly format: FileFormat | undefined;
}

/** A run folder has its data in `Data` and its index in `Index`. */
function placeIn(folder: string, config: Config, dataRoot = join(folder, 'Data')): SearchPlace | undefined {
  const formats: readonly FileFormat[] = config.parse.format === 'jsonl' ? ['jsonl', 'parquet'] : ['parquet', 'jsonl'];
  const format = formats.find((each) => hasAny(dirname(chunkOutput(dataRoot, 'any', each)), each));
  return format || hasIndex(folder) ? { folder, dataRoot, format } : undefined;
}

/** What can be searched in a corpus folder with known settings. */
export function searchPlaceIn(folder: string, config: Config): SearchPlace {
  const place = placeIn(folder, config, config.parse.data_root);
  if (place) return place;
  throw nothing(existsSync(folder) ? `no passages in ${folder}` : `folder not found: ${folder}`);
}

/** What to search: the named folder, else the newest run, else the outputs of `docparse`. */
export function findSearchPlace(config: Config, named: string | undefined): SearchPlace {
  if (named !== undefined) {
    const place = placeIn(named, config) ?? placeIn(dirname(resolve(named)), config, named);
    if (place) return place;
    throw nothing(existsSync(named) ? `no passages in ${named}` : `folder not found: ${named}`);
  }
  const runs = dirname(config.download.out);
  const places = (existsSync(runs) ? readdirSync(runs) : [])
    .map((name) => placeIn(join(runs, name), config))
    .filter((place) => place !== undefined)
    .sort((a, b) => writtenAt(b) - writtenAt(a));
  const alone = placeIn(dirname(config.parse.data_root), config, config.parse.data_root);
  const [place = alone] = places;
  if (place) return place;
  throw nothing(`no passages in ${runs} or ${config.parse.data_root}`);
}

function nothing(message: string): AppError {
  return new AppError('SEARCH_NOTHING', message, {
    hint: 'create some with docstokg run or docparse parse, or name their folder',
  });
}

function writtenAt({ folder, dataRoot, format }: SearchPlace): number {
  const path = format ? dirname(chunkOutput(dataRoot, 'any', format)) : join(folder, 'Index');
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function hasAny(folder: string, format: FileFormat): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(`.${format}`));
}

/** Where the parts of a corpus folder are, even if there is nothing to search. */
export function placeOf(folder: string, config: Config): SearchPlace {
  const dataRoot = config.parse.data_root;
  return placeIn(folder, config, dataRoot) ?? { folder, dataRoot, format: undefined };
}

export interface RelatedWork {
  /** Its id in the corpus, or in the graph if it is not in the corpus. */
  readonly id: string;
  readonly title: string | null;
  readonly year: number | null;
  readonly inCorpus: boolean;
  /** Works of the corpus that cite both, and works that both cite; zero if they are related by content. */
  readonly citedTogether: number;
  readonly sharedReferences: number;
  /** Similarity of its nearest passage to the title, 0 to 1; null if related by citations. */
  readonly fit: number | null;
}

/** Passages searched per requested work. */
const PASSAGES_PER_WORK = 6;

/** Works cited together with a work or citing the same works, if there is a graph; then works with similar content. */
export async function relatedWorks(
  work: LibraryWork,
  corpus: {
    readonly library: Library;
    readonly graph: CorpusGraph;
    readonly search: (question: string, request: SearchRequest, signal?: AbortSignal) => Promise<CitedHit[]>;
  },
  limit: number,
  signal?: AbortSignal,
): Promise<RelatedWork[]> {
  const related = corpus.graph.exists ? byCitations(work, corpus.graph, limit) : [];
  if (related.length >= limit || work.title === null) return related;
  const known = new Set([work.document, work.id, ...related.map(({ id }) => id)]);
  const hits = await corpus.search(work.title, { top: limit * PASSAGES_PER_WORK, minFit: 0 }, signal);
  for (const { passage, work: cited, fit } of hits) {
    const id = cited?.id ?? passage.document;
    if (known.has(id) || known.has(passage.document) || related.length >= limit) continue;
    known.add(id).add(passage.document);
    const title = cited?.title ?? passage.title;
    const year = cited?.year ?? null;
    related.push({ id, title, year, inCorpus: true, citedTogether: 0, sharedReferences: 0, fit });
  }
  return related;
}

function byCitations(work: LibraryWork, corpusGraph: CorpusGraph, limit: number): RelatedWork[] {
  using graph = corpusGraph.open();
  for (const name of [work.document, ...(work.doi === null ? [] : [work.doi]), work.id]) {
    try {
      return graph.related(name, limit).map(({ node, cocited, coupled }) => ({
        id: node.id,
        title: node.label,
        year: node.year,
        inCorpus: node.data['inCorpus'] === true || node.data['inCorpus'] === 1,
        citedTogether: cocited,
        sharedReferences: coupled,
        fit: null,
      }));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'GRAPH_NO_NODE')) throw error;
    }
  }
  return [];
}
