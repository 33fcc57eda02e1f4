import { errorInfo } from '../../base/index.ts';
import type { StageEvent } from '../events.ts';
import type { ItemOutcome, StageContext, StageErrorInfo, StageHooks, StageOutcome, WorkItem } from '../types.ts';

/** Calls the hooks of a stage; one that throws is reported, and changes nothing else. */
export class HookCaller {
  readonly #hooks: StageHooks;
  readonly #context: StageContext;
  readonly #report: (event: StageEvent) => void;

  constructor(hooks: StageHooks, context: StageContext, report: (event: StageEvent) => void) {
    this.#hooks = hooks;
    this.#context = context;
    this.#report = report;
  }

  /** Whether there is a hook that is told of every item's end. */
  get hearsItems(): boolean {
    return this.#hooks.afterItem !== undefined;
  }

  async beforeStage(): Promise<void> {
    try {
      await this.#hooks.beforeStage?.(this.#context);
    } catch (error) {
      this.#failed('beforeStage', error);
    }
  }

  async afterStage(outcome: StageOutcome): Promise<void> {
    try {
      await this.#hooks.afterStage?.(outcome, this.#context);
    } catch (error) {
      this.#failed('afterStage', error);
    }
  }

  beforeItem(item: WorkItem): void {
    if (!this.#hooks.beforeItem) return;
    try {
      this.#hooks.beforeItem(item, this.#context);
    } catch (error) {
      this.#failed('beforeItem', error, item.itemId);
    }
  }

  afterItem(item: WorkItem, outcome: ItemOutcome | StageErrorInfo): void {
    if (!this.#hooks.afterItem) return;
    try {
      this.#hooks.afterItem(item, outcome, this.#context);
    } catch (error) {
      this.#failed('afterItem', error, item.itemId);
    }
  }

  #failed(hook: string, error: unknown, itemId?: string): void {
    const { message } = errorInfo(error);
    this.#report({ kind: 'hook-failed', hook, message, ...(itemId !== undefined && { itemId }) });
  }
}
