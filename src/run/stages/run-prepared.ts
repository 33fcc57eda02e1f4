import type { StageEvent, StageHooks, StageOutcome, StagePlan, StageRuntime } from '../../stage/index.ts';
import { runStage } from '../../stage/index.ts';
import type { PreparedStage } from './prepare-stages.ts';

/** The stages of a run, in their order. */
export type CorpusStageName = 'doctags' | 'chunk' | 'embed';

export type CorpusReport = (stage: CorpusStageName, event: StageEvent) => void;

interface RunningStage extends Pick<StageRuntime, 'expecting'> {
  readonly report: CorpusReport;
  readonly signal: AbortSignal;
  readonly hooks?: StageHooks;
  /** Receives the rows instead of the stage's own log. */
  readonly sink?: StageRuntime['sink'] | undefined;
}

/** Runs a stage and, at the end, reports what its documents give reason to warn about. */
export async function runPrepared(
  name: CorpusStageName,
  { worker, options, data, notices }: PreparedStage,
  plan: StagePlan,
  { report, signal, hooks = {}, sink, ...more }: RunningStage,
): Promise<StageOutcome> {
  const outcome = await runStage(
    plan,
    worker,
    options,
    {
      ...hooks,
      afterItem: (item, ended, context) => {
        hooks.afterItem?.(item, ended, context);
        if ('status' in ended) notices?.note(item, ended);
      },
    },
    { report: (event) => report(name, event), signal, workerData: data, ...(sink && { sink }), ...more },
  );
  for (const message of notices?.warnings() ?? []) report(name, { kind: 'warning', message });
  return outcome;
}
