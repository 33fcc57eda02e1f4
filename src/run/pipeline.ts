import type { StageOutcome } from '../stage/index.ts';
import type { Machine, StageLine } from './machine.ts';
import type { FlowingStage } from './stages/prepare-stages.ts';
import type { CorpusReport, CorpusStageName } from './stages/run-prepared.ts';
import { runPrepared } from './stages/run-prepared.ts';

/** Niceness of parsing, which should fill the gaps of the model: it has a thread per core but waits often. */
const PARSING_GIVES_WAY = 5;

/** Adds documents to the line of a stage; resolves when they are in it. */
export type Offer = (documents: readonly string[]) => Promise<void>;

export interface CorpusStages {
  readonly doctags: FlowingStage;
  readonly chunk: FlowingStage;
  /** Undefined if neither dense nor sparse vectors can be made. */
  readonly embed: FlowingStage | undefined;
}

export interface PipelineOptions<Fed, Indexed> {
  readonly machine: Machine;
  readonly stages: CorpusStages;
  /** Offers files to the first stage until there are no more, and returns its result. */
  readonly feed: (offer: Offer, signal: AbortSignal) => Promise<Fed>;
  /** Builds the index when all documents have gone through all stages; gets the documents of other machines. */
  readonly index: (documents: readonly string[]) => Promise<Indexed>;
  readonly report: CorpusReport;
}

export interface PipelineOutcome<Fed, Indexed> {
  readonly fed: Fed;
  /** How many documents were offered to the first stage. */
  readonly documents: number;
  readonly stages: Readonly<Partial<Record<CorpusStageName, StageOutcome>>>;
  /** Undefined if the run was stopped before, or another machine has built it. */
  readonly index: Indexed | undefined;
  readonly stopReason: string | undefined;
}

interface Step {
  readonly name: CorpusStageName;
  readonly stage: FlowingStage;
  readonly line: StageLine;
  readonly offer: Offer;
}

/**
 * ```
 *   files ──▶ [doctags] ──▶ [chunk] ──▶ [embed] ──▶ index
 * ```
 *
 * Each stage has a line of its own, and a document is offered to the next line before it is settled in its own. When
 * nobody offers more to a line it is closed, and ends with its last document; then the next one is closed. An abort, or
 * a stage that cannot continue, stops all: running items are finished, others are left to the next run.
 */
export async function runPipeline<Fed, Indexed>(
  { machine, stages, feed, index, report }: PipelineOptions<Fed, Indexed>,
  signal: AbortSignal,
): Promise<PipelineOutcome<Fed, Indexed>> {
  const halt = new AbortController();
  const either = AbortSignal.any([signal, halt.signal]);
  const outcomes: Partial<Record<CorpusStageName, StageOutcome>> = {};
  /** Resolves when a document is being processed and will reach the later stages. */
  const { promise: expecting, resolve: expect } = Promise.withResolvers<void>();
  await using lines = new AsyncDisposableStack();
  const steps = await openSteps(machine, stages, lines, either);

  const run = async ({ name, stage, line }: Step): Promise<void> => {
    const isFirst = name === 'doctags';
    const options = isFirst ? { ...stage.options, niceness: PARSING_GIVES_WAY } : stage.options;
    const plan = { stageName: stage.stageName, items: line };
    const outcome = await runPrepared(name, { ...stage, options }, plan, {
      report,
      signal: either,
      sink: line.rows,
      hooks: { beforeItem: () => expect() },
      // The first stage gets its documents at once.
      ...(!isFirst && { expecting }),
    });
    outcomes[name] = outcome;
    if (outcome.cancelled) halt.abort(outcome.stopReason ?? `${name} stopped`);
  };

  const offered = new Set<string>();
  const offerFiles: Offer = async (documents) => {
    for (const document of documents) offered.add(document);
    await steps.at(0)?.offer(documents);
  };
  // If feeding fails, the documents found so far are still processed; the error is thrown at the end.
  const feeding = feed(offerFiles, either);
  const running = steps.map(run);
  const closing = closeInTurn(steps, [feeding, ...running], async ({ name, offer }) => {
    // With other settings of this stage, documents that this run does not chunk get new vectors too.
    if (name === 'embed' && !either.aborted)
      await machine.once({ name: 'embed' }, () => offer(machine.chunked()), either);
  });
  feeding.catch(() => undefined);
  for (const part of [closing, ...running]) part.catch(() => halt.abort('failed'));
  // Whatever fails, the other parts are stopped and awaited.
  await Promise.allSettled([feeding, closing, ...running]);
  await Promise.all([closing, ...running]);
  await machine.catchUp();
  const after = steps.at(-1)?.name ?? 'chunk';
  const indexed = either.aborted
    ? undefined
    : await machine.once({ name: 'index', after }, async (stop) => index(await machine.collect(stop)), either);
  await machine.catchUp();
  return {
    fed: await feeding,
    documents: offered.size,
    stages: outcomes,
    index: indexed,
    stopReason: either.aborted ? reasonOf(either) : undefined,
  };
}

/** From the last to the first: a stage offers what it has made to the next line. */
async function openSteps(
  machine: Machine,
  { doctags, chunk, embed }: CorpusStages,
  lines: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const [name, stage] of Object.entries({ embed, chunk, doctags }) as [CorpusStageName, FlowingStage?][]) {
    if (!stage) continue;
    const next = steps.at(0);
    const line = lines.use(await machine.openLine(stage, async (document) => await next?.offer([document])));
    const offer: Offer = (documents) => line.offer(documents.map(stage.item), signal);
    steps.unshift({ name, stage, line, offer });
  }
  return steps;
}

/** Closes each line when the part before it has ended, after `last` has offered what else there is. */
async function closeInTurn(
  steps: readonly Step[],
  before: readonly Promise<unknown>[],
  last: (step: Step) => Promise<void>,
): Promise<void> {
  for (const [at, step] of steps.entries()) {
    await Promise.allSettled([before[at]]);
    await last(step);
    step.line.close();
  }
}

function reasonOf(signal: AbortSignal): string {
  return typeof signal.reason === 'string' ? signal.reason : 'asked to stop';
}
