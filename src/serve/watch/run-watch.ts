import { basename } from 'node:path';

import type { z } from 'zod';

import type { Clock } from '../../base/index.ts';
import { outcomesOf } from '../../ask/index.ts';
import type { Corpus, CorpusView, RunEvent, RunFile, StepCount } from '../../corpus/index.ts';
import { screeningOnDemand } from '../../screen/index.ts';
import type { Screening } from '../../screen/index.ts';
import type { figures, run } from '../api/shapes.ts';
import { secondsLeft, Series } from './series.ts';

export type RunLine = z.output<typeof run>;

export type RunFigures = z.output<typeof figures>;

type StepName = StepCount['name'];

/** A run monitored while it grows. */
export class RunWatch implements AsyncDisposable {
  readonly id: string;
  readonly corpus: Corpus;
  readonly view: CorpusView;
  readonly series = new Series<StepName>();
  readonly search: ReturnType<Corpus['liveSearch']>;
  readonly #clock: Clock;
  #file: RunFile | undefined;
  readonly screening: (() => Screening) & Disposable;

  constructor(id: string, corpus: Corpus, clock: Clock) {
    this.id = id;
    this.corpus = corpus;
    this.view = corpus.view();
    this.screening = screeningOnDemand(corpus.folder, corpus.config);
    this.#clock = clock;
    this.search = corpus.liveSearch({ asItIs: true });
  }

  /** Reads new data and returns what happened. */
  async look(): Promise<readonly RunEvent[]> {
    const events = await this.view.refresh();
    // An incomplete run.json is being written; keep the previous one.
    this.#file = await this.corpus.account().catch(() => this.#file);
    const counts = Object.fromEntries(this.view.steps().map(({ name, done }) => [name, done])) as Record<
      StepName,
      number
    >;
    this.series.add({ ...counts, at: this.#clock.now() });
    return events;
  }

  /** Query and result as written by the run. */
  get file(): RunFile | undefined {
    return this.#file;
  }

  line(): RunLine {
    const [works, saved, parsed] = this.view.steps();
    const { folder } = this.corpus;
    return {
      id: this.id,
      title: titleOf(this.#file) ?? basename(folder),
      folder: basename(folder),
      state: this.#file?.state ?? 'unknown',
      started_at: this.#file?.started_at ?? null,
      ended_at: this.#file?.ended_at ?? null,
      works: works?.of ?? 0,
      saved: saved?.done ?? 0,
      documents: parsed?.done ?? 0,
      has_search: this.search.isThere,
      has_graph: this.corpus.graph.exists,
    };
  }

  figures(): RunFigures {
    const stages = this.view.steps().map((step) => {
      const rate = this.series.perMinute(step.name);
      const left = step.of === null ? null : Math.max(0, step.of - step.done - step.failed);
      return {
        ...step,
        per_minute: rate === null ? null : Math.round(rate * 10) / 10,
        seconds_left: secondsLeft(step.name === 'saved' ? 0 : left, rate),
      };
    });
    const known = stages.map(({ seconds_left: seconds }) => seconds);
    return {
      run: this.id,
      state: this.#file?.state ?? 'unknown',
      stages,
      outcomes: outcomesOf(this.view.account()),
      rate_per_minute: stages[0]?.per_minute ?? null,
      // The slowest step determines the estimate; if one is unknown, so is the total.
      seconds_left: known.includes(null) ? null : Math.max(...known.map((seconds) => seconds ?? 0)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.screening[Symbol.dispose]();
    await this.search[Symbol.asyncDispose]();
    this.view[Symbol.dispose]();
    await this.corpus[Symbol.asyncDispose]();
  }
}

function titleOf(file: RunFile | undefined): string | undefined {
  const { topic, input } = file?.asked ?? {};
  if (topic !== undefined && topic !== '') return topic;
  return input === undefined || input.length === 0
    ? undefined
    : `Works of ${input.map((path) => basename(path)).join(', ')}`;
}
