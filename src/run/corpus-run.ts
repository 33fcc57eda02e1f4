import type { ItemOutcome, StageErrorInfo, StageEvent, StageOutcome, WorkItem } from '../stage/index.ts';
import type { FlowingStage } from './stages/prepare-stages.ts';
import type { StoredOutputs } from './stages/run-stages.ts';
import { runPrepared } from './stages/run-stages.ts';

/** Documents that may wait between two stages: enough to keep each busy, few enough to lose when a run stops. */
const WAITING = 64;
/** Niceness of parsing, which should fill the gaps of the model: it has a thread per core but waits often. */
const PARSING_GIVES_WAY = 5;

export type CorpusStageName = 'doctags' | 'chunk' | 'embed';

export type CorpusReport = (stage: CorpusStageName, event: StageEvent) => void;

/** Adds a document to the run; resolves when there is room for the next one. */
export type Arrive = (file: string) => Promise<void>;

export interface CorpusStages {
  readonly doctags: FlowingStage;
  readonly chunk: FlowingStage;
  /** Undefined if neither dense nor sparse vectors can be made. */
  readonly embed: FlowingStage | undefined;
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
  /** All documents with chunks, also those of other runs, which get vectors of the same model. */
  readonly chunked?: () => readonly string[];
  /** Builds the index; called when all documents have gone through all stages, in a fleet with their ids. */
  readonly index: (documents?: readonly string[]) => Promise<Indexed>;
  readonly report: CorpusReport;
  /** Stores the outputs of a stage; undefined if the corpus is only in its folder. */
  readonly store?: (() => StoredOutputs) | undefined;
}

/**
 *   gather → doctags → chunk → embed        as documents arrive, each line bounded
 *                                └→ index    when there are no more
 *
 * An abort, or a stage that cannot continue, stops all: running items are finished, others left to the next run.
 */
export async function runCorpus<Gathered, Indexed>(options: CorpusRunOptions<Gathered, Indexed>, signal: AbortSignal) {
  const { stages, gather, chunked: onDisk = () => [], index, report, store, files = new ArrivedFiles() } = options;
  const halt = new AbortController();
  const either = AbortSignal.any([signal, halt.signal]);
  const parsed = new Channel<string>(WAITING);
  const chunked = new Channel<string>(WAITING);
  /** Resolves when a document is being processed and will reach the later stages. */
  const { promise: expecting, resolve: expect } = Promise.withResolvers<void>();
  const outcomes: Partial<Record<CorpusStageName, StageOutcome>> = {};

  const flow = async (
    name: CorpusStageName,
    stage: FlowingStage,
    from: Channel<string>,
    to?: Channel<string>,
    documents: AsyncIterable<string> = from,
  ): Promise<void> => {
    const abandon = (): void => void from.return();
    either.addEventListener('abort', abandon, { once: true });
    // In order of arrival: sorting by size would mean taking all documents first.
    const inOrder = { ...stage.options, scheduling: 'fifo' } as const;
    const how = name === 'doctags' ? { ...inOrder, niceness: PARSING_GIVES_WAY } : inOrder;
    try {
      const plan = { stageName: stage.stageName, items: itemsOf(stage, documents, to) };
      const outcome = await runPrepared(name, { ...stage, options: how }, plan, {
        report,
        signal: either,
        hooks: {
          beforeItem: () => expect(),
          afterItem: (item, ended) => void (isThere(ended) && to?.offer(item.itemId)),
        },
        stored: store?.(),
        // The first stage gets its documents at once.
        ...(name !== 'doctags' && { expecting }),
      });
      outcomes[name] = outcome;
      if (outcome.cancelled) halt.abort(outcome.stopReason ?? `${name} stopped`);
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
    flow('chunk', stages.chunk, parsed, stages.embed && chunked),
    ...(stages.embed ? [flow('embed', stages.embed, chunked, undefined, withOthers(chunked, onDisk))] : []),
  ];
  for (const part of parts) part.catch(() => halt.abort('failed'));
  // Whatever fails, the other parts are stopped and awaited.
  await Promise.allSettled([gathering, ...parts]);
  await Promise.all(parts);
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
  from: AsyncIterable<string>,
  to: Channel<string> | undefined,
): AsyncGenerator<WorkItem> {
  for await (const document of from) {
    await to?.room();
    const item = stage.item(document);
    if (item) yield item;
  }
}

/** The documents of a line, then those that it did not have. */
async function* withOthers(line: AsyncIterable<string>, all: () => readonly string[]): AsyncGenerator<string> {
  const seen = new Set<string>();
  for await (const document of line) {
    seen.add(document);
    yield document;
  }
  for (const document of all()) if (!seen.has(document)) yield document;
}

/** Whether the next stage finds its input, made now or earlier. */
function isThere(ended: ItemOutcome | StageErrorInfo): boolean {
  if (!('status' in ended)) return false;
  return ended.status === 'success' || (ended.status === 'skip' && ended.reason === 'resume-satisfied');
}

export function reasonOf(signal: AbortSignal): string {
  return typeof signal.reason === 'string' ? signal.reason : 'asked to stop';
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
