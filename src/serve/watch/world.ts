import type { Clock, Timer } from '../../base/index.ts';
import { errorInfo } from '../../base/index.ts';
import { hostFigures } from '../../ask/index.ts';
import type { Corpus } from '../../corpus/index.ts';
import type { WorkQueue } from '../../queue/index.ts';
import type { HostKnowledge, HostLine } from './queue-watch.ts';
import { hostLines, QueueWatch } from './queue-watch.ts';
import { RunWatch } from './run-watch.ts';
import { Watchers } from './watchers.ts';

/** Polling interval while somebody is watching; otherwise polling is rare, for the figures over time. */
const LOOK_MS = 1_000;
const IDLE_LOOK_MS = 10_000;
const ASKED_LATELY_MS = 30_000;
/** Maximum age of data in a response, unless polling takes longer. */
const FRESH_MS = 250;
/** Maximum share of time spent on polling; with much data, polling is less frequent. */
const LOOK_SHARE = 20;
const LONGEST_PAUSE_MS = 5_000;
const BEAT_MS = 15_000;
const HOSTS_MS = 2_000;
const MOST_SENT = 200;

export interface Watched {
  readonly runs: readonly { readonly id: string; readonly corpus: Corpus }[];
  readonly queue: WorkQueue | undefined;
  readonly hosts?: HostKnowledge | undefined;
  readonly clock: Clock;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
}

/** Current state of everything monitored; sends changes to subscribers. */
export class World implements AsyncDisposable {
  readonly runs: ReadonlyMap<string, RunWatch>;
  readonly queue: QueueWatch | undefined;
  readonly watchers = new Watchers();
  readonly #clock: Clock;
  readonly #log: Watched['log'];
  readonly #sent = new Map<string, string>();
  #looking: Promise<void> | undefined;
  #lookedAt = -Infinity;
  #lookMs = 0;
  #askedAt = -Infinity;
  #beatAt = 0;
  #hostsAt = -Infinity;
  #hosts: readonly HostLine[] = [];
  #timer: Timer | undefined;
  #hasFailed = false;
  #isReady = false;

  constructor({ runs, queue, hosts, clock, log }: Watched) {
    this.runs = new Map(runs.map(({ id, corpus }) => [id, new RunWatch(id, corpus, clock)]));
    this.queue = queue && new QueueWatch(queue, clock, hosts);
    this.#clock = clock;
    this.#log = log;
  }

  /** Polls for the first time, then regularly. */
  start(): void {
    void this.#poll();
  }

  /** Whether everything has been read once. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get hosts(): readonly HostLine[] {
    return this.#hosts;
  }

  /** Called for every request: polls if the data is too old for a response. */
  async refresh(): Promise<void> {
    const now = this.#clock.monotonic();
    this.#askedAt = now;
    if (!this.#isReady || now - this.#lookedAt >= this.#pauseMs(FRESH_MS)) await this.look();
  }

  /** Polls again after a change made here. */
  async lookAgain(): Promise<void> {
    await this.#looking;
    this.#hostsAt = -Infinity;
    await this.look();
  }

  /** Reads new data and notifies subscribers; concurrent calls share one poll. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  #pauseMs(shortest: number): number {
    return Math.max(shortest, Math.min(LONGEST_PAUSE_MS, LOOK_SHARE * this.#lookMs));
  }

  async #look(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    for (const run of this.runs.values()) {
      const events = await run.look();
      // Send only the last events of a burst: hundreds of lines per second cannot be read.
      this.watchers.events(
        events.slice(-MOST_SENT).map((event) => {
          const title = event.document === null ? null : (run.view.works.ofDocument(event.document)?.title ?? null);
          return { ...event, title, run: run.id };
        }),
      );
      this.#sendFigures('now', `now ${run.id}`, run.figures(), run.id);
    }
    if (this.queue) {
      this.#sendFigures('queue', 'queue', await this.queue.look(), null);
    }
    const now = this.#clock.monotonic();
    if (now - this.#hostsAt >= HOSTS_MS) {
      this.#hostsAt = now;
      const logs = [...this.runs.values()].map(({ view }) => hostFigures(view.store));
      this.#hosts = hostLines((await this.queue?.hosts()) ?? [], logs, this.#clock.now());
      this.#sendFigures('hosts', 'hosts', { items: this.#hosts.slice(0, 200) }, null);
    }
    this.#lookedAt = this.#clock.monotonic();
    // The first poll reads everything; later ones only what is new.
    if (this.#isReady) this.#lookMs = this.#lookedAt - startedAt;
    this.#isReady = true;
  }

  #sendFigures(name: 'now' | 'queue' | 'hosts', key: string, figures: unknown, run: string | null): void {
    if (this.watchers.size === 0) return;
    const json = JSON.stringify(figures);
    if (this.#sent.get(key) === json) return;
    this.#sent.set(key, json);
    this.watchers.figures(name, json, run);
  }

  async #poll(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#beatAt >= BEAT_MS) {
      this.#beatAt = now;
      this.watchers.beat();
    }
    const isWatched = this.watchers.size > 0 || now - this.#askedAt < ASKED_LATELY_MS;
    if (isWatched || !this.#isReady || now - this.#lookedAt >= IDLE_LOOK_MS) {
      try {
        await this.look();
        this.#hasFailed = false;
      } catch (error) {
        // Reported once; the next poll may succeed.
        if (!this.#hasFailed) this.#log('error', `monitoring failed: ${errorInfo(error).message}`);
        this.#hasFailed = true;
      }
    }
    this.#timer = this.#clock.setTimer(this.#pauseMs(LOOK_MS), () => void this.#poll());
    this.#timer.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    this.watchers.close();
    await this.#looking?.catch(() => undefined);
    this.#timer?.[Symbol.dispose]();
    for (const run of this.runs.values()) await run[Symbol.asyncDispose]();
    await this.queue?.queue[Symbol.asyncDispose]();
  }
}
