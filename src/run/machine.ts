import type { StageLog } from '../journal/index.ts';
import type { ItemEnd, Line, ManifestSink, WorkItem } from '../stage/index.ts';
import type { CorpusFiles } from './storage/corpus-files.ts';
import { MemoryLine } from './lines/memory-line.ts';
import type { SearchEvent } from './make-index.ts';
import type { RunAccount } from './run-file.ts';
import type { FlowingStage } from './stages/prepare-stages.ts';
import { hasOutputs, storeOutputs } from './stages/stored-outputs.ts';

/** The line of a stage, and where the rows of its items go. */
export interface StageLine extends Line, AsyncDisposable {
  /** Undefined if the stage writes them into its own log. */
  readonly rows?: ManifestSink;
}

/** Something that one machine does for all. */
interface SharedJob {
  readonly name: string;
  /** It is done again when this log has grown. */
  readonly after?: StageLog;
}

type IndexAccount = NonNullable<RunAccount['index']>;

/** What a run needs of the machine it is on; a machine alone and one of a fleet differ in nothing else. */
export interface Machine extends AsyncDisposable {
  /** Opens the line of a stage. `made` is called with each document that has outputs, before it is settled. */
  openLine(stage: FlowingStage, made: (document: string) => Promise<void>): Promise<StageLine>;
  /** Does something on one machine; undefined on the others, when it is done. */
  once<T>(job: SharedJob, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T | undefined>;
  /** Whether a downloaded file is still there: in the folder, or in the store of a fleet. */
  hasFile(path: string, bytes: number): Promise<boolean>;
  /** The documents with chunks, made by any run on any machine. */
  chunked(): readonly string[];
  /** Copies what other machines have logged. */
  catchUp(): Promise<void>;
  /** Brings the index up to date; undefined if there are no passages. */
  index(tell: (event: SearchEvent) => void, signal: AbortSignal): Promise<IndexAccount | undefined>;
  /** Brings what other machines have made; returns the documents of all of them, and none if there are no others. */
  collect(signal: AbortSignal): Promise<readonly string[]>;
}

/** Documents that may wait for a stage: enough to keep it busy, few enough to offer again when a run stops. */
const WAITING = 64;

export interface AloneOptions extends Pick<Machine, 'hasFile' | 'chunked' | 'index'> {
  /** The files in a store, where outputs go too; undefined if the corpus is only in its folder. */
  readonly stored: CorpusFiles | undefined;
}

/** A machine that works for itself: its lines are in memory, and what is done once is just done. */
export function aloneMachine({ stored, hasFile, chunked, index }: AloneOptions): Machine {
  return {
    hasFile,
    chunked,
    index,
    async openLine(_stage, made) {
      const ended = async (item: WorkItem, end: ItemEnd): Promise<void> => {
        if (!hasOutputs(end)) return;
        if (stored) await storeOutputs(stored, item, end);
        await made(item.itemId);
      };
      return new MemoryLine({ bound: WAITING, ended });
    },
    once: (_job, work, signal) => work(signal),
    catchUp: async () => undefined,
    collect: async () => [],
    [Symbol.asyncDispose]: async () => undefined,
  };
}
