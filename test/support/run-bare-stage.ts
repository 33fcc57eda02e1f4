import { bareItem, Workspace } from '../fixtures/stage/workspace.ts';
import { runStage } from '../../src/stage/index.ts';
import type {
  ItemOutcome,
  StageHooks,
  StageOptions,
  StageOutcome,
  StageRuntime,
  StageWorker,
} from '../../src/stage/index.ts';

/** What a worker reports of an item without a fault. */
export const SUCCESS: ItemOutcome = { status: 'success' };

interface Setting {
  readonly options?: Partial<StageOptions>;
  readonly hooks?: StageHooks;
  readonly runtime?: StageRuntime;
}

/** Runs items without inputs and outputs in a folder of its own. */
export async function runBare(
  ids: readonly string[],
  worker: StageWorker,
  setting: Setting = {},
): Promise<StageOutcome> {
  using workspace = new Workspace();
  return await runStage(
    { stageName: 'test', items: ids.map((id) => bareItem(id)) },
    worker,
    { ...workspace.options, ...setting.options },
    setting.hooks,
    setting.runtime,
  );
}

/** Ids `i0`, `i1`, … */
export const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `i${at}`);
