import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { DocumentPlace } from '../library/index.ts';
import { CorpusWorks, nearnessBy, SearchSession } from '../library/index.ts';
import { AppError, canonicalJson, isUnwritable } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import { withoutPasswords } from '../config/index.ts';
import type { MaybeEngine, ModelIdentity } from '../parse/index.ts';
import { embeddedPrecision, openDenseEngineIfInstalled } from '../parse/index.ts';
import { openReader } from '../reader/index.ts';
import type { SearchMode } from '../search/index.ts';
import { hasIndex, openIndex, openPostgresIndex, readManifest, readPostgresManifest } from '../search/index.ts';
import type { CorpusGraph } from './corpus-graph.ts';
import { sharedPlace } from './shared-place.ts';
import { requireAll, requireChunks, wholeCommand } from './fleet-part.ts';
import { isFleetFolder } from '../journal/index.ts';
import type { SearchEvent, SharedCorpus } from '../run/index.ts';
import { chunkFolder, chunkFormat, denseSettings, refreshPassages } from '../run/index.ts';

export interface OpenSearchOptions {
  readonly mode?: SearchMode | undefined;
  readonly tell?: (event: SearchEvent) => void;
  /** Uses an existing index without checking for changed passages: the command that builds the corpus updates it. */
  readonly asItIs?: boolean | undefined;
}

/** Documents that some machine has chunked, and those of them that the index of this folder does not have. */
const CHUNKED = "select count(*) from document_steps where step = 'chunked' and ended = 'success'";
const ABSENT = `${CHUNKED} and document not in (select id from indexed_documents)`;

/** What is asked of a folder that may be a copy of a corpus in PostgreSQL. */
export interface SearchedCorpus {
  readonly folder: string;
  readonly config: Config;
  readonly graph: CorpusGraph;
  readonly shared: SharedCorpus | undefined;
}

function noIndex({ queue }: Config): AppError {
  return new AppError(
    'INDEX_MISSING',
    `${withoutPasswords(queue.url)} has no search index that this version can search`,
    {
      hint: 'docstokg reindex with the same --database builds it',
    },
  );
}

const SEARCH_MODES: readonly SearchMode[] = ['lexical', 'dense', 'hybrid'];

/** Opens an up-to-date index. A requested mode must be available; otherwise words alone are enough. */
export async function openSearchSession(
  { folder, config, graph, shared }: SearchedCorpus,
  { mode, tell = () => undefined, asItIs = false }: OpenSearchOptions,
  signal?: AbortSignal,
): Promise<SearchSession> {
  if (mode !== undefined && !SEARCH_MODES.includes(mode))
    throw new AppError('USAGE_MODE', `unknown search mode "${mode}"`, {
      hint: `use one of ${SEARCH_MODES.join(', ')}`,
    });
  if (!shared && (!asItIs || !hasIndex(folder))) {
    // Before an index is made of a part.
    requireChunks(folder, config);
    await refreshPassages(folder, config, tell, { signal }).catch((error: unknown) => {
      if (!isUnwritable(error) || !hasIndex(folder)) throw error;
      tell({ kind: 'message', level: 'warn', message: `the index was not updated: ${error.message}` });
    });
  }
  const manifest = shared ? await readPostgresManifest(shared.connection) : readManifest(folder);
  if (!manifest) throw noIndex(config);
  const opened = mode === 'lexical' ? undefined : await openQueryEngine(config, manifest.dense?.model);
  if (opened?.kind === 'missing') {
    if (mode !== undefined) throw opened.reason;
    tell({ kind: 'message', level: 'warn', message: `${opened.reason.message}: searching by words alone` });
  }
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(opened?.kind === 'engine' ? opened.engine : undefined);
  const index = stack.use(
    shared ? await openPostgresIndex(shared.connection, engine) : await openIndex(folder, engine),
  );
  const dataRoot = config.parse.data_root;
  const works = stack.use(new CorpusWorks({ folder, dataRoot, ...sharedPlace(shared) }));
  works.store.ingest();
  if (!shared && isFleetFolder(folder)) requireAll(works.store.number(ABSENT), works.store.number(CHUNKED), folder);
  if (shared) {
    const chunked = works.store.number(CHUNKED);
    const absent = chunked - manifest.documents;
    if (absent > 0)
      tell({ kind: 'message', level: 'warn', message: `${absent} of ${chunked} documents are not in the index yet` });
  }
  const opening = { nearness: nearnessBy(engine), threads: config.parse.threads };
  const { reader, missing } = await openReader(config.ask.reader, opening);
  stack.use(reader);
  if (missing) tell({ kind: 'message', level: 'warn', message: `${missing.message}: answers are chosen by rules` });
  const session = new SearchSession(index, { engine, reader, mode, works, graph, hasGraph: graph.exists });
  stack.move();
  return session;
}

/** Opens the model that made an index's vectors; one that is not embedded only if the settings name it. */
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
  if (opened.kind === 'missing') return opened;
  // Its queries are comparable with the index's vectors, so they count as that model's.
  if (isSame(opened.engine.model, model)) return { kind: 'engine', engine: { ...opened.engine, model } };
  await opened.engine[Symbol.asyncDispose]();
  return { kind: 'missing', reason: other(model) };
}

/** The embedded model's vectors are comparable in any precision: WebAssembly queries int8 vectors in fp32. */
function isSame(opened: ModelIdentity, wanted: ModelIdentity): boolean {
  const precision = embeddedPrecision(wanted) && embeddedPrecision(opened) ? wanted.precision : opened.precision;
  return canonicalJson({ ...opened, precision }) === canonicalJson(wanted);
}

function other({ name, revision, precision }: ModelIdentity): AppError {
  const full = [name, revision, precision].filter(Boolean).join(', ');
  return new AppError('INDEX_MODEL', `the passages were embedded with another model than the configured one: ${full}`, {
    hint: 'embed again with docparse embed, set parse.dense, parse.embed_url and parse.embed_model to that model, or search with --lexical',
  });
}

/** What to search: the named folder, else the newest run, else the outputs of `docparse`. */
export function findSearchPlace(config: Config, named: string | undefined): DocumentPlace {
  const { data_root: dataRoot } = config.parse;
  const runs = dirname(config.download.out);
  const places =
    named === undefined
      ? [...newestRuns(runs), { folder: dirname(dataRoot), dataRoot }]
      : [
          { folder: named, dataRoot: join(named, 'Data') },
          { folder: dirname(resolve(named)), dataRoot: named },
        ];
  const place = places.find((each) => isSearchable(each, config));
  if (place) return place;
  throw named === undefined ? nothing(`no passages in ${runs} or ${dataRoot}`) : nothingIn(named);
}

export function requireSearchable(folder: string, config: Config): void {
  if (!isSearchable({ folder, dataRoot: config.parse.data_root }, config)) throw nothingIn(folder);
}

function isSearchable({ folder, dataRoot }: DocumentPlace, config: Config): boolean {
  return chunkFormat(dataRoot, config) !== undefined || hasIndex(folder);
}

function nothingIn(folder: string): AppError {
  if (isFleetFolder(folder))
    return new AppError('SEARCH_NOTHING', `no passages of the fleet are in ${folder}`, { hint: wholeCommand(folder) });
  return nothing(existsSync(folder) ? `no passages in ${folder}` : `folder not found: ${folder}`);
}

function nothing(message: string): AppError {
  return new AppError('SEARCH_NOTHING', message, {
    hint: 'create some with docstokg run or docparse parse, or name their folder',
  });
}

function newestRuns(folder: string): DocumentPlace[] {
  return (existsSync(folder) ? readdirSync(folder) : [])
    .map((name) => ({ folder: join(folder, name), dataRoot: join(folder, name, 'Data') }))
    .sort((a, b) => writtenAt(b) - writtenAt(a));
}

function writtenAt({ folder, dataRoot }: DocumentPlace): number {
  const times = [chunkFolder(dataRoot), join(folder, 'Index')].map(
    (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}
