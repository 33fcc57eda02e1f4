import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Warn } from '../base/index.ts';
import { requireWhole } from './fleet-part.ts';
import { sharedPlace } from './shared-place.ts';
import type { Asking, Clocks, SharedCorpus, StageCall } from '../run/index.ts';
import {
  eventStream,
  modelClient,
  modelPrices,
  modelSettings,
  openAlexAccess,
  openAsking,
  stageSettings,
} from '../run/index.ts';
import { AppError } from '../base/index.ts';
import { Graph, stageManifestFolder } from '../library/index.ts';
import type { Config } from '../config/index.ts';
import type {
  Catalogue,
  ExtractedFindings,
  FindingsEstimate,
  FindingsRequest,
  DecidedNode,
  Directory,
  KnownWork,
  LookedUp,
  NamedWorks,
} from '../graph/index.ts';
import {
  DECIDED_OWNER,
  answersPath,
  findingsEstimate,
  readFindings,
  graphPlan,
  graphSources,
  graphWorker,
  hasFacts,
  lookUpNames,
  lookUpReferences,
} from '../graph/index.ts';
import { taggerFault } from '../tagger/index.ts';
import type { StageEvent, StageOutcome } from '../stage/index.ts';
import { parsedDocuments } from '../parse/index.ts';
import { cpuWorkers, runStage } from '../stage/index.ts';
import type { GraphUpdate } from '../database/graph/index.ts';
import {
  hasGraph,
  isGraphUnfinished,
  referenceAnswers,
  updateGraph,
  updateGraphSoon,
} from '../database/graph/index.ts';
import { CorpusStore, Records } from '../database/index.ts';
import type { WorkRecord } from '../works/index.ts';
import { iterateOpenAlex, yearOf } from '../works/index.ts';

export type GraphEvent =
  | { readonly kind: 'stage'; readonly event: StageEvent }
  | { readonly kind: 'warning'; readonly message: string }
  | {
      readonly kind: 'built';
      readonly path: string;
      readonly outcome: StageOutcome;
      readonly change: GraphUpdate;
      /** Null unless references were to be looked up. */
      readonly lookedUp: LookedUp | null;
      /** Likewise for works that records cite by id only. */
      readonly named: NamedWorks | null;
    };

type FindingsEvent =
  | { readonly kind: 'estimated'; readonly estimate: FindingsEstimate }
  | { readonly kind: 'stage'; readonly event: StageEvent }
  | { readonly kind: 'extracted'; readonly extracted: ExtractedFindings };

/** What of the papers is put into the graph. */
export interface GraphRequest {
  /** A custom vocabulary: a table, SKOS in Turtle, or OBO. */
  readonly vocabulary?: string | undefined;
  /** Only these works and their documents are in the graph. */
  readonly works?: ReadonlySet<string> | undefined;
  /** Options of the extraction stage; by default those of the settings. */
  readonly flags?: StageCall | undefined;
}

/** A decision about nodes, by their ids or names: `node` is the same as `into`, or what papers print as `name` is not `node`. */
export type NodeDecision =
  | { readonly kind: 'merge' | 'undo merge'; readonly node: string; readonly into: string }
  | { readonly kind: 'split' | 'undo split'; readonly node: string; readonly name: string };

/** Parsed papers and facts of them, in the folder and in a store. */
const PARSED = 'Data/DocTagsFiles/';
const FACTS = 'Data/GraphFacts/';

/** Identifies files with their contents. */
function stampOf(files: Iterable<{ readonly path: string; readonly sha256: string }>): string {
  const hash = createHash('sha256');
  for (const { path, sha256: content } of files) hash.update(`${path} ${content}\n`);
  return hash.digest('hex');
}

/** The files with facts that are here, by their paths in the folder. */
function factFiles(folder: string): string[] {
  return readdirSync(join(folder, FACTS)).map((name) => `${FACTS}${name}`);
}

function* sourcesIn(
  store: CorpusStore,
  dataRoot: string,
  works?: ReadonlySet<string>,
): ReturnType<typeof graphSources> {
  const records = new Records(store);
  for (const source of graphSources({
    dataRoot,
    records,
    answers: referenceAnswers(store),
    decided: records.decidedNodes(),
  })) {
    const { kind, owner } = source;
    const work = kind === 'record' ? owner.slice('record:'.length) : records.ofDocument(owner)?.id;
    if (!works || works.has(work ?? '') || owner === DECIDED_OWNER) yield source;
  }
}

/** The graph of a corpus: building it, asking it, exporting it. */
export interface CorpusGraph {
  /** Opens the graph for reading; builds it first if only the facts of documents exist. The caller disposes of it. */
  readonly open: (warn?: Warn) => Graph;
  /** Whether there is a graph, or facts to build it from. */
  readonly exists: boolean;
  /** Takes over what other machines have built; false if there is nothing new. Only for a corpus in PostgreSQL. */
  catchUp(signal?: AbortSignal): Promise<boolean>;
  /** Merges nodes, splits a printed name off a node, or undoes it. Gives what was decided; the graph has it at once. */
  decide(change?: NodeDecision): Promise<readonly DecidedNode[]>;
  /** Fills the graph tables from facts extracted before; returns the number of nodes. */
  refill(store: CorpusStore): Promise<number>;
  /** Updates the graph from documents and records; with `graph.lookup` also from OpenAlex and Crossref. */
  build(request?: GraphRequest, signal?: AbortSignal): AsyncGenerator<GraphEvent, void>;
  /** Has the configured model extract findings from sections; the next `build` adds them to the graph. */
  findings(
    request?: {
      readonly estimateOnly?: boolean | undefined;
      /** Only the documents of these works. */
      readonly works?: ReadonlySet<string> | undefined;
      readonly flags?: StageCall | undefined;
    },
    signal?: AbortSignal,
  ): AsyncGenerator<FindingsEvent, void>;
}

/** A corpus, and what it shares with other machines. */
interface GraphPlace {
  readonly folder: string;
  readonly config: Config;
  readonly shared: SharedCorpus | undefined;
}

/** The graph of a corpus. */
export function corpusGraph({ folder, config, shared }: GraphPlace, { clock, web }: Clocks): CorpusGraph {
  const dataRoot = config.parse.data_root;
  const { journal } = sharedPlace(shared);
  /** Brings what the graph is made of; undefined if nobody has built one. */
  const bring = async (prefixes: readonly string[], signal?: AbortSignal): Promise<void> => {
    for (const prefix of prefixes) await shared?.files.bringAll(prefix, undefined, signal);
  };

  let known = { logged: 0, stamp: stampOf([]) };
  let catching = Promise.resolve(false);
  const catchUp = async (signal?: AbortSignal): Promise<boolean> => {
    // Facts come with lines about objects.
    const logged = shared?.journal.logs.size('objects') ?? 0;
    if (!shared || logged === known.logged) return false;
    const stamp = stampOf(shared.files.below(FACTS));
    if (stamp === known.stamp) return false;
    await bring([PARSED, FACTS], signal);
    using store = CorpusStore.create(folder, { manifests: stageManifestFolder(config), journal });
    await store.ingestSoon();
    await updateGraphSoon(store, sourcesIn(store, dataRoot), signal);
    known = { logged, stamp };
    return true;
  };

  const open = (warn?: Warn): Graph => {
    using stack = new DisposableStack();
    const store = stack.use(CorpusStore.open(folder, { warn, journal }));
    if (!hasGraph(store)) {
      if (!hasFacts(dataRoot))
        throw new AppError('GRAPH_MISSING', `no graph found in ${folder}`, {
          hint: 'create it with docstokg graph build',
        });
      store.ingest();
      updateGraph(store, sourcesIn(store, dataRoot));
    } else if (isGraphUnfinished(store))
      warn?.('the last graph build has not finished: the graph is incomplete until docstokg graph build has finished');
    stack.move();
    return new Graph(store);
  };

  return {
    open,

    get exists(): boolean {
      using store = CorpusStore.open(folder, { journal });
      return hasGraph(store) || hasFacts(dataRoot);
    },

    catchUp(signal?: AbortSignal): Promise<boolean> {
      catching = catching.catch(() => false).then(() => catchUp(signal));
      return catching;
    },

    async decide(change?: NodeDecision): Promise<readonly DecidedNode[]> {
      using store = CorpusStore.create(folder, { manifests: stageManifestFolder(config), journal });
      await store.ingestSoon();
      const records = new Records(store);
      if (!hasGraph(store)) await updateGraphSoon(store, sourcesIn(store, dataRoot));
      if (change) {
        const at = new Date(clock.now()).toISOString();
        const graph = new Graph(store);
        // What was merged is named by its id: by its name one finds what it was merged into.
        // A node of which every name was split off is in the decisions alone.
        const decided = new Set(records.decidedNodes().map(({ node }) => node));
        const idOf = (name: string): string => (decided.has(name) ? name : graph.nodeNamed(name).id);
        if ('into' in change) {
          const [node, into] = [idOf(change.node), graph.find(change.into).id];
          if (graph.find(change.node).id === into && change.kind === 'merge')
            throw new AppError('USAGE_SAME_NODE', `${node} and ${into} are one already`, {
              hint: 'docstokg graph same RUN lists what was merged',
            });
          records.setSameNode(node, into, change.kind === 'merge', at);
        } else records.setOtherNode(idOf(change.node), change.name, change.kind === 'split', at);
        store.ingest();
        await updateGraphSoon(store, sourcesIn(store, dataRoot));
      }
      return records.decidedNodes();
    },

    async refill(store: CorpusStore): Promise<number> {
      await updateGraphSoon(store, sourcesIn(store, dataRoot));
      return store.count('nodes');
    },

    build(request: GraphRequest = {}, signal?: AbortSignal): AsyncGenerator<GraphEvent, void> {
      return eventStream<GraphEvent>(async (tell, stop) => {
        const vocabulary = request.vocabulary ?? null;
        if (vocabulary !== null && !existsSync(vocabulary))
          throw new AppError('USAGE_VOCABULARY_MISSING', `file not found: ${vocabulary}`, {
            hint: 'use a table (.csv), SKOS in Turtle (.ttl) or OBO (.obo)',
          });
        requireWhole({ folder, dataRoot, shared });
        const { lookup, lookup_most: most } = config.graph;
        const warn = (message: string): void => tell({ kind: 'warning', message });
        // Opened first: a missing contact address is reported before the documents are read.
        await using asking = lookup
          ? openAsking(config, { clock, web, log: (_level, message) => warn(message) })
          : undefined;
        const settings = { vocabulary, entities: await usesTagger(config.graph.entities, warn) };
        await bring([PARSED, FACTS], stop);
        const plan = await graphPlan(dataRoot, settings);
        if (plan.items.length === 0) throw nothingParsed(dataRoot);
        const options = stageSettings(request.flags ?? {}, config, {
          policy: 'cpu',
          workers: cpuWorkers(),
          scheduling: 'lpt',
          // The tagger reads every sentence.
          perItemTimeoutS: 600,
        });
        const report = (event: StageEvent): void => tell({ kind: 'stage', event });
        const runtime = { report, signal: stop, workerData: settings };
        const outcome = await runStage(plan, graphWorker, options, {}, runtime);
        if (outcome.cancelled || options.dryRun) return;
        if (shared) await shared.files.save(factFiles(folder));
        using store = CorpusStore.create(folder, { manifests: stageManifestFolder(config), warn, journal });
        await store.ingestSoon();
        const sources = (): ReturnType<typeof graphSources> => sourcesIn(store, dataRoot, request.works);
        const change = await updateGraphSoon(store, sources(), stop);
        const path = join(folder, 'corpus.sqlite');
        if (!asking) {
          tell({ kind: 'built', path, outcome, change, lookedUp: null, named: null });
          return;
        }
        using graph = open();
        const bounds = { answers: referenceAnswers(store), most, clock, warn };
        const directory = openAlexDirectory(asking);
        const named = await lookUpNames(graph.namelessWorks(directory.origin), directory, bounds, stop);
        const lookedUp = await lookUpReferences(graph.unknownReferences(), crossrefCatalogue(asking), bounds, stop);
        await shared?.settle();
        // Added and removed are what the documents changed; lookups change none of them.
        if (shared) store.ingest();
        const again = lookedUp.found + named.named > 0 ? await updateGraphSoon(store, sources(), stop) : change;
        const { added, removed } = change;
        tell({ kind: 'built', path, outcome, change: { ...again, added, removed }, lookedUp, named });
      }, signal);
    },

    findings(
      request: {
        readonly estimateOnly?: boolean | undefined;
        readonly works?: ReadonlySet<string> | undefined;
        readonly flags?: StageCall | undefined;
      } = {},
      signal?: AbortSignal,
    ): AsyncGenerator<FindingsEvent, void> {
      return eventStream<FindingsEvent>(async (tell, stop) => {
        const { model } = config;
        requireWhole({ folder, dataRoot, shared });
        await bring([PARSED, 'Data/ChunkedDocTagFiles/'], stop);
        const asked = findingsRequest(folder, config, request.works);
        await using client = modelClient(config);
        const estimate = await findingsEstimate(asked, client.send, stop);
        if (estimate.documents === 0) throw nothingParsed(asked.dataRoot);
        tell({ kind: 'estimated', estimate });
        if (request.estimateOnly) return;
        const options = stageSettings(request.flags ?? {}, config, {
          policy: 'io',
          workers: model.concurrency,
          retries: 0,
          // A document has many sections, each with its own limit.
          perItemTimeoutS: 0,
        });
        const report = (event: StageEvent): void => tell({ kind: 'stage', event });
        tell({
          kind: 'extracted',
          extracted: await readFindings(asked, client.send, options, { report, signal: stop }),
        });
      }, signal);
    },
  };
}

function findingsRequest(folder: string, config: Config, works?: ReadonlySet<string>): FindingsRequest {
  const { findings, model, parse } = config;
  if (model.url === '' || model.name === '')
    throw new AppError('CONFIG_FINDINGS_OFF', 'no model is configured to extract findings', {
      hint: 'set model.url (up to /v1) and model.name; the rest of the graph works without a model',
    });
  if (model.budget_usd > 0 && model.usd_per_million_input + model.usd_per_million_output === 0)
    throw new AppError('CONFIG_FINDINGS_PRICE', 'model.budget_usd is set, but the token prices are not', {
      hint: 'set model.usd_per_million_input and model.usd_per_million_output, or use model.budget_tokens',
    });
  return {
    dataRoot: parse.data_root,
    answers: answersPath(folder),
    model: modelSettings(config),
    documents: works && documentsOf(folder, parse.data_root, works),
    sectionsPerDocument: findings.sections_per_document,
    prices: modelPrices(config),
  };
}

/** The documents of works. */
function documentsOf(folder: string, dataRoot: string, works: ReadonlySet<string>): ReadonlySet<string> {
  using store = CorpusStore.open(folder);
  store.ingest();
  const records = new Records(store);
  return new Set(parsedDocuments(dataRoot).filter((document) => works.has(records.ofDocument(document)?.id ?? '')));
}

async function usesTagger(choice: Config['graph']['entities'], warn: Warn): Promise<boolean> {
  if (choice === 'off') return false;
  const fault = await taggerFault();
  if (fault && choice === 'trained') throw fault;
  if (fault)
    warn(`the graph has no diseases, chemicals, places and so on: ${fault.message} (${fault.hint ?? fault.code})`);
  return !fault;
}

function nothingParsed(dataRoot: string): AppError {
  return new AppError('GRAPH_NOTHING', `no parsed documents in ${dataRoot}`, {
    hint: 'create some with docstokg run or docparse doctags',
  });
}

/** Limits on stored answers, which may contain anything. */
const LONGEST = 1_000;
const MOST_AUTHORS = { openalex: 30, crossref: 100 } as const;

export function openAlexDirectory(asking: Pick<Asking, 'services' | 'contact' | 'send'>): Directory {
  return {
    origin: 'openalex',
    async ask(ids, signal) {
      const works = new Map<string, KnownWork>();
      const query = { filter: `openalex:${ids.join('|')}` };
      const pages = iterateOpenAlex(query, { ...openAlexAccess(asking), signal });
      for await (const page of pages) {
        if (page.kind === 'page') for (const { record } of page.works) works.set(record.id, knownWork(record));
        else if (page.kind === 'failed') return { kind: 'away', message: page.message };
        else if (page.kind === 'later') return { kind: 'away', message: 'rate-limited' };
      }
      return { kind: 'answered', works };
    },
  };
}

function knownWork(record: WorkRecord): KnownWork {
  return {
    kind: 'known',
    doi: record.ids.doi,
    title: record.title?.slice(0, LONGEST) ?? null,
    authors: record.authors.slice(0, MOST_AUTHORS.openalex).map(({ name }) => name.slice(0, LONGEST)),
    year: yearOf(record),
    venue: record.venue?.slice(0, LONGEST) ?? null,
  };
}

/** Looks up printed references at Crossref, like list entries without ids. */
export function crossrefCatalogue({ byTitle }: Pick<Asking, 'byTitle'>): Catalogue {
  return {
    origin: 'crossref',
    async ask(cited, signal) {
      const finding = await byTitle(cited, signal);
      if (finding.kind === 'away' || finding.kind === 'none') return finding;
      if (finding.kind === 'doubtful') return { kind: 'doubtful' };
      const { doi, title, authors, year, venue, score } = finding.candidate;
      return {
        kind: 'found',
        doi,
        title: title.slice(0, LONGEST),
        authors: authors.slice(0, MOST_AUTHORS.crossref).map((name) => name.slice(0, LONGEST)),
        year,
        venue: venue === null ? null : venue.slice(0, LONGEST),
        score,
      };
    },
  };
}
