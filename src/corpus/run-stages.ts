import { existsSync } from 'node:fs';

import type { Config } from '../config/index.ts';
import type { Runtime } from '../harvest/index.ts';
import { AppError } from '../base/index.ts';
import type { EmbedEngines } from '../parse/index.ts';
import { chunkPlan, doctagsPlan, unreachableEngine } from '../parse/index.ts';
import type { StageOutcome, StagePlan, WorkItem } from '../stage/index.ts';
import { runStage } from '../stage/index.ts';
import type { CorpusEvent } from './events.ts';
import { chunkSettings, doctagsSettings, openEmbedEngines } from './parse-settings.ts';
import { prepareChunk, prepareDoctags, prepareEmbed } from './prepare-stages.ts';
import type { PreparedStage } from './prepared-stage.ts';
import { startStageTelemetry } from '../telemetry/index.ts';
import type { StageCall } from './stage-settings.ts';
import { ScanCount } from './scan-count.ts';
import { openSharedPlan } from './shared-plan.ts';

/** The stages that turn papers into vectors, in their order. */
/** The stages in their order. */
export const PARSE_STAGES = ['doctags', 'chunk', 'embed'] as const;
export type ParseStage = (typeof PARSE_STAGES)[number];

/** Which papers are parsed, and how far. */
export interface ParseRequest extends StageCall {
  /** A folder of papers, or one paper; the DocTags stage needs it, the others go on with what that has written. */
  readonly input?: string | undefined;
  /** All of them unless told otherwise, without DocTags where there is no input. */
  readonly stages?: readonly ParseStage[] | undefined;
}

interface RunningStages extends ParseRequest {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly tell: (event: CorpusEvent) => void;
  readonly signal: AbortSignal;
}

/** Runs stages one after the other, each over everything that is there. */
export async function runStages(call: RunningStages): Promise<void> {
  const { input, signal, config, runtime } = call;
  await using telemetry = await startStageTelemetry(config.telemetry, (message) => runtime.log('warn', message));
  const tell = (event: CorpusEvent): void => {
    if (event.kind === 'stage') telemetry.report(event.stage, event.event);
    call.tell(event);
  };
  for (const name of call.stages ?? PARSE_STAGES.slice(input === undefined ? 1 : 0)) {
    const outcome = await RUN[name]({ ...call, tell });
    // A failed paper is no reason to leave the others; a stopped run is.
    if (outcome?.cancelled || signal.aborted) return;
  }
}

const RUN: Readonly<Record<ParseStage, (call: RunningStages) => Promise<StageOutcome | undefined>>> = {
  async doctags(call) {
    const { input, config } = call;
    if (input === undefined)
      throw new AppError('USAGE_INPUT', 'no input folder given', {
        hint: 'use docparse doctags --input FOLDER',
      });
    const plan = doctagsPlan(input, config.parse.data_root, doctagsSettings(config));
    return await runPrepared('doctags', prepareDoctags(config, call), plan, call);
  },
  async chunk(call) {
    const { config } = call;
    const plan = await chunkPlan(config.parse.data_root, chunkSettings(config), config.parse.format);
    return await runPrepared('chunk', await prepareChunk(config, call), plan, call);
  },
  async embed(call) {
    const { config, runtime } = call;
    let fault: AppError | undefined;
    const engines = await openEmbedEngines(config, runtime).catch((error: unknown): EmbedEngines => {
      // A server that is away at the start is met by the first document, so that the manifest tells of it.
      if (!(error instanceof AppError) || !error.code.startsWith('EMBED_')) throw error;
      fault = error;
      const { embed_model: name, embed_revision: revision } = config.parse;
      return { dense: unreachableEngine(name, revision, error), sparse: undefined };
    });
    if (!engines.dense && !engines.sparse) {
      runtime.log('warn', 'neither dense nor sparse vectors can be made; nothing to do');
      return undefined;
    }
    await using stage = prepareEmbed(config, engines, { ...call, warn: (message) => runtime.log('warn', message) });
    if (!fault) return await runPrepared('embed', stage, stage.plan, call);
    const items = stage.plan.items.filter(({ outputs }) => !existsSync(outputs['vectors'] ?? ''));
    if (items.length === 0) throw fault;
    return await runPrepared('embed', stage, { ...stage.plan, items, totalItems: items.length }, call);
  },
};

/** Runs a stage over a whole plan, alone or together with other runners. */
async function runPrepared(
  name: ParseStage,
  { worker, options, data }: PreparedStage,
  whole: StagePlan & { readonly items: readonly WorkItem[] },
  { config, runtime, tell, signal }: RunningStages,
): Promise<StageOutcome> {
  await using plan = await openSharedPlan(whole, options, { config, runtime });
  const scans = new ScanCount();
  const outcome = await runStage(plan, worker, { ...options, handleSignals: false }, scans.counting({}), {
    report: (event) => tell({ kind: 'stage', stage: name, event }),
    signal,
    workerData: data,
  });
  const warning = scans.warning();
  if (warning !== undefined) runtime.log('warn', warning);
  return outcome;
}
