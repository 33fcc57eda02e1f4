import type {
  ItemOutcome,
  ManifestSink,
  StageErrorInfo,
  StageEvent,
  StageHooks,
  StageOutcome,
  StagePlan,
  WorkItem,
} from '../stage/index.ts';
import type { ClosingStage, FlowingStage, PreparedStage } from './stages/prepare-stages.ts';
import type { StoredOutputs } from './stages/run-stages.ts';
import { runPrepared } from './stages/run-stages.ts';

/** Documents that may wait between two stages: enough to keep each busy, few enough to lose when a run stops. */
const WAITING = 64;
/** Niceness of parsing, which should fill the gaps of the model: it has a thread per core but waits often. */
const PARSING_GIVES_WAY = 5;

/** `dense` makes vectors ahead of `embed`. */
export type CorpusStageName = 'doctags' | 'chunk' | 'dense' | 'embed';

export type CorpusReport = (stage: CorpusStageName, event: StageEvent) => void;

/** Adds a document to the run; resolves when there is room for the next one. */
export type Arrive = (file: string) => Promise<void>;

export interface CorpusStages {
  readonly doctags: FlowingStage;
  readonly chunk: FlowingStage;
  /** Undefined if dense vectors are not wanted or not available. */
  readonly dense: FlowingStage | undefined;
  /** Called when all documents are chunked: BM25 counts the words of all. Undefined: no vectors at all. */
  readonly openEmbed: () => Promise<ClosingStage | undefined>;
}

/** Files on their way from the download to the parser, each only once. */
export class ArrivedFiles {
  readonly line = new Channel<string>(WAITING);
  readonly #seen = new Set<string>();

  readonly add: Arrive = async (file) => {
    await this.line.room();
    if (this.#seen.has(file)) return;
    this.#seen.add(file);
    this.line.offer(file);
  };

  get count(): number {
    return this.#seen.size;
  }
}

export interface CorpusRunOptions<Gathered, Indexed> {
  readonly stages: CorpusStages;
  readonly files?: ArrivedFiles;
  /** Adds documents until there are no more, and returns its result. */
  readonly gather: (arrive: Arrive, signal: AbortSignal) => Promise<Gathered>;
  /** Builds the index; called when all documents have gone through all stages, in a fleet with their ids. */
  readonly index: (documents?: readonly string[]) => Promise<Indexed>;
  readonly report: CorpusReport;
  /** Stores the outputs of a stage; undefined if the corpus is only in its folder. */
  readonly store?: (() => StoredOutputs) | undefined;
}

/**
 *   gather → doctags → chunk → dense (into the cache)          as documents arrive, each line bounded
 *                                     └→ embed → index          when there are no more
 *
 * An abort, or a stage that cannot continue, stops all: running items are finished, others left to the next run.
 */
export async function runCorpus<Gathered, Indexed>(options: CorpusRunOptions<Gathered, Indexed>, signal: AbortSignal) {
  const { stages, gather, index, report, store, files = new ArrivedFiles() } = options;
  const halt = new AbortController();
  const either = AbortSignal.any([signal, halt.signal]);
  const parsed = new Channel<string>(WAITING);
  const chunked = new Channel<string>(WAITING);
  /** Resolves when a document is being processed and will reach the later stages. */
  const { promise: expecting, resolve: expect } = Promise.withResolvers<void>();
  const outcomes: Partial<Record<CorpusStageName, StageOutcome>> = {};

  const run = async (
    name: CorpusStageName,
    stage: PreparedStage,
    plan: StagePlan,
    hooks: StageHooks = {},
  ): Promise<void> => {
    const outcome = await runPrepared(name, stage, plan, {
      report,
      signal: either,
      hooks,
      stored: name === 'dense' ? undefined : store?.(),
      // The first stage gets its documents at once; the last one starts when all are there.
      ...((name === 'chunk' || name === 'dense') && { expecting }),
      // Filling the cache is not an outcome: the embed stage writes the document's row.
      ...(name === 'dense' && { sink: quietSink() }),
    });
    outcomes[name] = outcome;
    if (outcome.cancelled) halt.abort(outcome.stopReason ?? `${name} stopped`);
  };

  const flow = async (
    name: CorpusStageName,
    stage: FlowingStage,
    from: Channel<string>,
    to?: Channel<string>,
  ): Promise<void> => {
    const abandon = (): void => void from.return();
    either.addEventListener('abort', abandon, { once: true });
    // In order of arrival: sorting by size would mean taking all documents first.
    const inOrder = { ...stage.options, scheduling: 'fifo' } as const;
    const how = name === 'doctags' ? { ...inOrder, niceness: PARSING_GIVES_WAY } : inOrder;
    try {
      await run(
        name,
        { ...stage, options: how },
        { stageName: stage.stageName, items: itemsOf(stage, from, to) },
        { beforeItem: () => expect(), afterItem: (item, ended) => void (isThere(ended) && to?.offer(item.itemId)) },
      );
    } finally {
      either.removeEventListener('abort', abandon);
      abandon();
      to?.close();
    }
  };

  // If gathering fails, the documents found so far are still processed; the error is thrown at the end.
  const gathering = gather(files.add, either).finally(() => files.line.close());
  gathering.catch(() => undefined);
  const parts = [
    flow('doctags', stages.doctags, files.line, parsed),
    flow('chunk', stages.chunk, parsed, stages.dense && chunked),
    ...(stages.dense ? [flow('dense', stages.dense, chunked)] : []),
  ];
  for (const part of parts) part.catch(() => halt.abort('failed'));
  // Whatever fails, the other parts are stopped and awaited.
  await Promise.allSettled([gathering, ...parts]);
  await Promise.all(parts);
  if (!either.aborted) {
    await using stage = await stages.openEmbed();
    if (stage) await run('embed', stage, stage.plan);
  }
  const indexed = either.aborted ? undefined : await index();
  return {
    gathered: await gathering,
    documents: files.count,
    stages: outcomes,
    /** Undefined if the run was stopped before. */
    index: indexed,
    stopReason: either.aborted ? reasonOf(either) : undefined,
  };
}

/** Items as documents arrive; the next one is taken only if the next stage has room. */
async function* itemsOf(
  stage: FlowingStage,
  from: Channel<string>,
  to: Channel<string> | undefined,
): AsyncGenerator<WorkItem> {
  for await (const document of from) {
    await to?.room();
    const item = stage.item(document);
    if (item) yield item;
  }
}

/** Whether the next stage finds its input, made now or earlier. */
function isThere(ended: ItemOutcome | StageErrorInfo): boolean {
  if (!('status' in ended)) return false;
  return ended.status === 'success' || (ended.status === 'skip' && ended.reason === 'resume-satisfied');
}

export function reasonOf(signal: AbortSignal): string {
  return typeof signal.reason === 'string' ? signal.reason : 'asked to stop';
}

function quietSink(): ManifestSink {
  return {
    logSuccess: () => undefined,
    logSkip: () => undefined,
    logFailure: () => undefined,
    logAttempt: () => undefined,
    flush: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** A queue for one consumer. `offer` never waits; producers await `room` first, which bounds the queue. */
export class Channel<T> implements AsyncIterableIterator<T> {
  readonly #bound: number;
  readonly #waiting: T[] = [];
  #isClosed = false;
  #change = Promise.withResolvers<void>();

  constructor(bound: number) {
    this.#bound = bound;
  }

  offer(value: T): void {
    if (this.#isClosed) return;
    this.#waiting.push(value);
    this.#wake();
  }

  /** Also resolves when the queue is closed. */
  async room(): Promise<void> {
    while (this.#waiting.length >= this.#bound && !this.#isClosed) await this.#change.promise;
  }

  /** No more values will be offered; waiting ones are still taken. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<T>> {
    while (this.#waiting.length === 0 && !this.#isClosed) await this.#change.promise;
    if (this.#waiting.length === 0) return { done: true, value: undefined };
    const value = this.#waiting.shift() as T;
    this.#wake();
    return { done: false, value };
  }

  /** The consumer is gone: producers need not wait for room. */
  async return(): Promise<IteratorResult<T>> {
    this.#waiting.length = 0;
    this.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}

export type TellingWork<Event> = (tell: (event: Event) => void, signal: AbortSignal) => Promise<void>;

/** The events of some work. Leaving the loop stops the work and waits for its end; its error is thrown. */
export async function* eventStream<Event>(work: TellingWork<Event>, signal?: AbortSignal): AsyncGenerator<Event, void> {
  const left = new AbortController();
  const events = new Channel<Event>(Infinity);
  const working = work(
    (event) => events.offer(event),
    signal ? AbortSignal.any([signal, left.signal]) : left.signal,
  ).finally(() => events.close());
  working.catch(() => undefined);
  try {
    yield* events;
  } finally {
    left.abort('nobody listens any more');
    await working;
  }
}
