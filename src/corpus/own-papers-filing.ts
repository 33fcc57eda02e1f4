import { join } from 'node:path';

import type { Config } from '../config/index.ts';
import type { Asking, IdentifiedPapers, Runtime } from '../harvest/index.ts';
import { identifyPapers, openAsking, writeWorksFile } from '../harvest/index.ts';
import { RecordStore } from '../works/index.ts';
import type { FlowingStage } from './prepared-stage.ts';

/** Notes which documents are one's own papers as they are parsed, and gives them their records at the end of a run. */
export class OwnPapersFiling implements AsyncDisposable {
  readonly #files: ReadonlySet<string>;
  readonly #documents: string[] = [];
  readonly #config: Config;
  readonly #runtime: Runtime;
  readonly #asking: (Asking & AsyncDisposable) | undefined;
  #identified: IdentifiedPapers | null = null;

  constructor(files: readonly string[], config: Config, runtime: Runtime) {
    this.#files = new Set(files);
    this.#config = config;
    this.#runtime = runtime;
    // Services are asked by somebody who says who is asking.
    const mayAsk = files.length > 0 && config.download.identify && config.http.contact !== '';
    this.#asking = mayAsk ? openAsking(config, runtime) : undefined;
  }

  /** How they were told apart; null before, and where there are none. */
  get identified(): IdentifiedPapers | null {
    return this.#identified;
  }

  /** The DocTags stage, seen by this: it gives files the names of their documents. */
  seeing(stage: FlowingStage): FlowingStage {
    return {
      ...stage,
      item: (file) => {
        const item = stage.item(file);
        if (item && this.#files.has(file)) this.#documents.push(item.itemId);
        return item;
      },
    };
  }

  /** Writes the records into the table of a download that is open, or into that of the folder. */
  async file(opened: RecordStore | undefined, signal: AbortSignal): Promise<void> {
    if (this.#documents.length === 0) return;
    const { out } = this.#config.download;
    using stack = new DisposableStack();
    const records = opened ?? stack.use(new RecordStore(join(out, 'manifest.sqlite3')));
    const dataRoot = this.#config.parse.data_root;
    const now = (): number => this.#runtime.clock.now();
    this.#identified = await identifyPapers(this.#documents, { dataRoot, records, asking: this.#asking, now }, signal);
    if (!opened && records.changes > 0) await writeWorksFile(out, records.all());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#asking?.[Symbol.asyncDispose]();
  }
}
