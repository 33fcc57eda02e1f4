import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { AppError } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { Graph, GraphChange } from '../graph/index.ts';
import { graphPlan, graphWorker, openGraph, updateGraph } from '../graph/index.ts';
import type { StageEvent, StageFlags, StageOutcome } from '../stage/index.ts';
import { cpuWorkers, runStage } from '../stage/index.ts';
import { RecordStore } from '../works/index.ts';
import { eventStream } from './event-stream.ts';
import { stageSettings } from './stage-settings.ts';

/** What building a graph tells; the last event has what came of it. */
export type GraphEvent =
  | { readonly kind: 'stage'; readonly event: StageEvent }
  | {
      readonly kind: 'built';
      readonly path: string;
      readonly outcome: StageOutcome;
      readonly change: GraphChange & { readonly documents: number };
    };

/** How a graph is built. */
export interface GraphRequest {
  /** A vocabulary of yours: a table, SKOS in Turtle, or OBO. */
  readonly vocabulary?: string | undefined;
  readonly flags?: StageFlags | undefined;
}

/** Where the graph of a corpus folder is. */
export function graphPath(folder: string): string {
  return join(folder, 'Graph', 'graph.sqlite');
}

/** The graph of a corpus folder: `build` makes it or brings it up to date, `open` asks it. */
export class CorpusGraph {
  readonly path: string;
  readonly #folder: string;
  readonly #config: Config;

  constructor(folder: string, config: Config) {
    this.#folder = folder;
    this.#config = config;
    this.path = graphPath(folder);
  }

  /** Reads what every parsed document says and what records know of their works, and brings the graph up to date with it. */
  build(request: GraphRequest = {}, signal?: AbortSignal): AsyncGenerator<GraphEvent, void> {
    return eventStream<GraphEvent>(async (tell, stop) => {
      const dataRoot = this.#config.parse.data_root;
      const settings = { vocabulary: request.vocabulary ?? null };
      const plan = await graphPlan(dataRoot, settings);
      if (plan.items.length === 0)
        throw new AppError('GRAPH_NOTHING', `there are no parsed documents in ${dataRoot}`, {
          hint: 'make some with docstokg run or docparse doctags',
        });
      const options = stageSettings(request.flags ?? {}, this.#config, {
        policy: 'cpu',
        workers: cpuWorkers(),
        scheduling: 'lpt',
        perItemTimeoutS: 120,
      });
      const outcome = await runStage(
        plan,
        graphWorker,
        { ...options, handleSignals: false },
        {},
        {
          report: (event) => tell({ kind: 'stage', event }),
          signal: stop,
          workerData: settings,
        },
      );
      if (outcome.cancelled || options.dryRun) return;
      const database = join(this.#folder, 'manifest.sqlite3');
      using records = existsSync(database) ? new RecordStore(database) : undefined;
      const change = await updateGraph({ path: this.path, dataRoot, ...(records && { records }) });
      tell({ kind: 'built', path: this.path, outcome, change });
    }, signal);
  }

  /** Opens the graph that was built, for reading. To be disposed of. */
  open(): Graph {
    return openGraph(this.path);
  }
}
