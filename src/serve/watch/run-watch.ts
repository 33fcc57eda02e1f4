import { statSync } from 'node:fs';
import { basename, isAbsolute, join, relative } from 'node:path';

import type * as z from 'zod';

import type { Clock } from '../../base/index.ts';
import type { CorpusView, KeptOpen } from '../../library/index.ts';
import { outcomesOf } from '../../library/index.ts';
import type { Corpus, RunEvent, RunFile, SearchSession, StepCount } from '../../corpus/index.ts';
import type { Screening } from '../../screen/index.ts';
import { screeningOnDemand } from '../../screen/index.ts';
import { tablesStamp } from '../../table/index.ts';
import type { now, run } from '../api/shapes.ts';
import { secondsLeft, Series } from './series.ts';

type RunLine = z.output<typeof run>;

type RunFigures = Omit<z.output<typeof now>, 'run' | 'events'>;

type StepName = StepCount['name'];

/** A run that a server watches, and what it opens of it. */
export interface RunWatch extends AsyncDisposable {
  readonly id: string;
  readonly corpus: Corpus;
  readonly view: CorpusView;
  readonly series: Series<StepName>;
  readonly search: KeptOpen<SearchSession>;
  readonly screening: () => Screening;
  /** Its `run.json`, as it was read last. */
  readonly file: RunFile | undefined;
  /** Reads what is new; returns the new events. */
  readonly look: () => Promise<readonly RunEvent[]>;
  readonly line: () => RunLine;
  readonly figures: () => RunFigures;
  /** What is different once decisions, or filled tables, have changed: here or at another server. */
  readonly changed: () => { readonly decisions: string; readonly tables: string };
}

export function watchRun(id: string, corpus: Corpus, clock: Clock): RunWatch {
  const { folder } = corpus;
  const opened = new AsyncDisposableStack();
  opened.use(corpus);
  const view = opened.use(corpus.view());
  const search = opened.use(corpus.liveSearch({ asItIs: true }));
  const screening = opened.use(screeningOnDemand(corpus));
  const series = new Series<StepName>();
  let file: RunFile | undefined;
  let changed = { decisions: '', tables: '' };
  return {
    id,
    corpus,
    view,
    series,
    search,
    screening,
    get file(): RunFile | undefined {
      return file;
    },

    async look(): Promise<readonly RunEvent[]> {
      // Looked at before they are read: what is said to be there has been read.
      const seen = { decisions: decisionsStamp(corpus), tables: tablesStamp(corpus) };
      const events = await view.refresh();
      changed = seen;
      // An incomplete run.json is being written; keep the previous one.
      file = await corpus.account().catch(() => file);
      const counts = Object.fromEntries(view.steps().map(({ name, done }) => [name, done]));
      series.add({ ...(counts as Record<StepName, number>), at: clock.now() });
      return events;
    },

    changed: () => changed,

    line(): RunLine {
      const [works, saved, parsed] = view.steps();
      return {
        id,
        title: titleOf(file) ?? basename(folder),
        folder: typedFolder(folder),
        state: file?.state ?? 'unknown',
        started_at: file?.started_at ?? null,
        ended_at: file?.ended_at ?? null,
        works: works?.of ?? 0,
        saved: saved?.done ?? 0,
        documents: parsed?.done ?? 0,
        has_search: search.isThere,
        has_graph: corpus.graph.exists,
      };
    },

    figures(): RunFigures {
      const stages = view.steps().map((step) => {
        const rate = series.perMinute(step.name);
        const left = step.of === null ? null : Math.max(0, step.of - step.done - step.failed);
        return {
          ...step,
          per_minute: rate === null ? null : Math.round(rate * 10) / 10,
          seconds_left: secondsLeft(step.name === 'saved' ? 0 : left, rate),
        };
      });
      const known = stages.map(({ seconds_left: seconds }) => seconds);
      return {
        state: file?.state ?? 'unknown',
        stages,
        outcomes: outcomesOf(view.account()),
        rate_per_minute: stages[0]?.per_minute ?? null,
        // The slowest step determines the estimate; if one is unknown, so is the total.
        seconds_left: known.includes(null) ? null : Math.max(...known.map((seconds) => seconds ?? 0)),
      };
    },

    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A folder as one types it where this process was started. */
function typedFolder(folder: string): string {
  const path = relative('', folder) || '.';
  return path.startsWith('..') || isAbsolute(path) ? folder : path;
}

function titleOf(file: RunFile | undefined): string | undefined {
  const { topic, input } = file?.asked ?? {};
  if (topic !== undefined && topic !== '') return topic;
  return input === undefined || input.length === 0
    ? undefined
    : `Works of ${input.map((path) => basename(path)).join(', ')}`;
}

/** All machines have the same lines of decisions, in one order. */
function decisionsStamp({ folder }: Corpus): string {
  return String(statSync(join(folder, 'decisions.jsonl'), { throwIfNoEntry: false })?.size ?? 0);
}
