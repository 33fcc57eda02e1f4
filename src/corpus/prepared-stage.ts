import type { StageOptions, StagePlan, StageWorker, WorkerModule, WorkItem } from '../stage/index.ts';

/** A stage with everything it needs but its documents. */
export interface PreparedStage {
  readonly stageName: string;
  readonly worker: StageWorker | WorkerModule;
  readonly options: StageOptions;
  /** Given to every worker; plain data. */
  readonly data?: unknown;
}

/** A stage that takes documents as they arrive: files, or ids of what the stage before has written. */
export interface FlowingStage extends PreparedStage {
  /** Undefined where there is nothing to do. */
  readonly item: (document: string) => WorkItem | undefined;
}

/** A stage that is run over everything on the disk, and what it holds open until then. */
export interface ClosingStage extends PreparedStage, AsyncDisposable {
  readonly plan: StagePlan & { readonly items: readonly WorkItem[] };
}
