import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

import { wait } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { ManifestRow } from '../../download/index.ts';
import type { DownloadAssembly, Runtime } from '../../harvest/index.ts';
import { DOCTAGS_FOLDER } from '../../parse/index.ts';
import type { StageEvent, StageOutcome, WorkItem } from '../../stage/index.ts';
import { RowsByItem, runStage } from '../../stage/index.ts';
import type { CorpusOutcome } from '../corpus-run.ts';
import type { ClosingStage, FlowingStage, PreparedStage } from '../prepared-stage.ts';
import { DocumentNotices } from '../document-notices.ts';
import type { FleetListing } from './listing.ts';
import type { StageSource, StageSourceParts } from './stage-source.ts';
import { openStageSource } from './stage-source.ts';

/** How often what others have written is copied. */
const PULL_MS = 1_000;
const STATISTICS = 'Data/Embeddings/bm25-statistics.json';

type FleetStageName = 'doctags' | 'chunk' | 'embed';

export interface FleetRunOptions<Gathered, Indexed> {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly shared: StageSourceParts['shared'];
  readonly listing: FleetListing;
  readonly download: DownloadAssembly;
  readonly stages: {
    readonly doctags: FlowingStage;
    readonly chunk: FlowingStage;
    readonly openEmbed: () => Promise<ClosingStage | undefined>;
  };
  readonly gather: (signal: AbortSignal) => Promise<Gathered>;
  /** Makes everything searchable, on one machine; it is given the ids of all documents. */
  readonly index: (documents: readonly string[]) => Promise<Indexed>;
  readonly report: (stage: FleetStageName, event: StageEvent) => void;
}

/**
 * One machine's part of a run that any number of machines make together. Downloads, parsing and chunking continue at the same
 * time, each shared through a queue; vectors weigh words by all documents, so they are made when all are chunked.
 *
 *   works queue → files → doctags queue → DocTags → chunk queue → chunks        as long as anybody downloads
 *                                                    └→ embed queue → vectors   when all machines have chunked
 *                                                         └→ index              on one machine, by a lease
 *
 * Whatever is made is in the store, and the logs say so, before the job that made it is settled. A machine may start, stop or
 * die at any moment: its leases go to others.
 */
export class FleetRun<Gathered, Indexed> {
  readonly #options: FleetRunOptions<Gathered, Indexed>;
  #doctags: StageSource | undefined;

  constructor(options: FleetRunOptions<Gathered, Indexed>) {
    this.#options = options;
  }

  /** A file was saved, by this machine or an earlier one: it waits to be parsed. */
  async saved({ work, kind }: Pick<ManifestRow, 'work' | 'kind'>): Promise<void> {
    const { download, stages } = this.#options;
    const item = stages.doctags.item(download.files.friendly(work, (kind ?? 'pdf') as 'pdf'));
    if (item) await this.#doctags?.add([item]);
  }

  async run(signal: AbortSignal): Promise<CorpusOutcome<Gathered, Indexed>> {
    const { stages, shared, gather, listing, index } = this.#options;
    const halt = new AbortController();
    const either = AbortSignal.any([signal, halt.signal]);
    const outcomes: Partial<Record<FleetStageName, StageOutcome>> = {};
    this.#options.runtime.log('info', `joined the fleet; its files are in ${shared.files.objects.name}`);
    const pulling = this.#keepPulling(either);
    try {
      await using stack = new AsyncDisposableStack();
      const rows = { doctags: new RowsByItem(), chunk: new RowsByItem() };
      const chunk = stack.use(await this.#open(stages.chunk, rows.chunk));
      const doctags = stack.use(
        await this.#open(stages.doctags, rows.doctags, async (itemId) => {
          const item = stages.chunk.item(itemId);
          if (item) await chunk.add([item]);
        }),
      );
      this.#doctags = doctags;
      const stage = async (name: 'doctags' | 'chunk', source: StageSource): Promise<void> => {
        outcomes[name] = await this.#stage(name, stages[name], source, rows[name], either);
        if (outcomes[name].cancelled) halt.abort(outcomes[name].stopReason ?? `${name} stopped`);
      };
      const gathering = gather(either);
      const parsing = stage('doctags', doctags);
      const chunking = stage('chunk', chunk);
      for (const part of [gathering, parsing, chunking]) part.catch(() => halt.abort('failed'));
      await Promise.allSettled([gathering]);
      doctags.items.close();
      await Promise.allSettled([parsing]);
      chunk.items.close();
      await Promise.allSettled([chunking]);
      const gathered = await gathering;
      await Promise.all([parsing, chunking]);
      if (!either.aborted) {
        const embedded = await this.#embed(either);
        if (embedded) outcomes.embed = embedded;
      }
      await this.#pull();
      let indexed: Indexed | undefined;
      if (!either.aborted) {
        const makeSearchable = async (stop: AbortSignal): Promise<Indexed> => {
          await shared.files.bringAll('Data/', undefined, stop);
          return await index(this.#documents());
        };
        indexed = await listing.once(String(shared.logs.lines('embed')), makeSearchable, either);
        await this.#pull();
      }
      const stopReason = either.aborted ? reasonOf(either) : undefined;
      return {
        gathered,
        documents: this.#options.download.manifest.saved().length,
        stages: outcomes,
        index: indexed,
        stopReason,
      };
    } finally {
      this.#doctags = undefined;
      halt.abort('ended');
      await pulling;
    }
  }

  async #embed(signal: AbortSignal): Promise<StageOutcome | undefined> {
    const { stages, shared } = this.#options;
    await this.#pull();
    await shared.files.bringAll('Data/ChunkedDocTagFiles/', undefined, signal);
    await shared.files.bring(STATISTICS, signal);
    await using stage = await stages.openEmbed();
    if (!stage) return undefined;
    // Measured from all chunks, which everybody has: whoever stores it stores the same.
    if (globSync(STATISTICS, { cwd: shared.files.folder }).length > 0) await shared.files.save([STATISTICS]);
    const rows = new RowsByItem();
    await using source = await this.#open(stage, rows, undefined, stage.plan.items[0]?.cfgHash);
    await source.add(stage.plan.items);
    source.items.close();
    return await this.#stage('embed', stage, source, rows, signal);
  }

  #open(
    stage: PreparedStage & { readonly item?: (document: string) => WorkItem | undefined },
    rows: RowsByItem,
    made?: (itemId: string) => Promise<void>,
    cfgHash = stage.item?.('settings')?.cfgHash,
  ): Promise<StageSource> {
    const { config, runtime, shared } = this.#options;
    return openStageSource(stage, { config, runtime, shared, rows, cfgHash, ...(made && { made }) });
  }

  async #stage(
    name: FleetStageName,
    stage: PreparedStage,
    source: StageSource,
    sink: RowsByItem,
    signal: AbortSignal,
  ): Promise<StageOutcome> {
    const notices = new DocumentNotices(this.#options.config.parse.dense === 'embedded');
    const plan = { stageName: stage.stageName, items: source.items };
    const options = { ...stage.options, handleSignals: false };
    const outcome = await runStage(plan, stage.worker, options, name === 'doctags' ? notices.collecting({}) : {}, {
      report: (event) => this.#options.report(name, event),
      signal,
      workerData: stage.data,
      sink,
    });
    for (const message of notices.warnings()) this.#options.report(name, { kind: 'warning', message });
    return outcome;
  }

  #documents(): string[] {
    const folder = join(this.#options.config.parse.data_root, DOCTAGS_FOLDER);
    return globSync('*.jsonl', { cwd: folder })
      .sort()
      .map((name) => basename(name, '.jsonl'));
  }

  async #keepPulling(signal: AbortSignal): Promise<void> {
    const { runtime } = this.#options;
    while (!signal.aborted) {
      try {
        await wait(runtime.clock, PULL_MS, signal);
        await this.#pull();
      } catch (error) {
        if (!signal.aborted) runtime.log('warn', `logs of the fleet could not be copied: ${String(error)}`);
      }
    }
  }

  async #pull(): Promise<void> {
    const { shared, download } = this.#options;
    await shared.logs.pull();
    await shared.files.refresh();
    download.manifest.flush();
  }
}

function reasonOf(signal: AbortSignal): string {
  return typeof signal.reason === 'string' ? signal.reason : 'asked to stop';
}
