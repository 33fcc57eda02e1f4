import type { Clock, Timer } from '../../base/index.ts';
import { errorInfo } from '../../base/index.ts';
import { hostFigures } from '../../ask/index.ts';
import type { Corpus } from '../../corpus/index.ts';
import type { WorkQueue } from '../../queue/index.ts';
import type { HostKnowledge, HostLine } from './queue-watch.ts';
import { hostLines, watchQueue } from './queue-watch.ts';
import type { RunWatch } from './run-watch.ts';
import { watchRun } from './run-watch.ts';
import { Watchers } from './watchers.ts';

/** Polling interval while there are watchers; without them polling is rare, for the figures over time. */
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

export type Monitor = ReturnType<typeof openMonitor>;

/** Current state of everything monitored; sends changes to subscribers. */
export function openMonitor({ runs: given, queue: store, hosts: known, clock, log }: Watched) {
  const runs: ReadonlyMap<string, RunWatch> = new Map(given.map(({ id, corpus }) => [id, watchRun(id, corpus, clock)]));
  const queue = store && watchQueue(store, clock, known);
  const watchers = new Watchers();
  const sent = new Map<string, string>();
  let hosts: readonly HostLine[] = [];
  let looking: Promise<void> | undefined;
  let [lookedAt, askedAt, hostsAt, beatAt, lookMs] = [-Infinity, -Infinity, -Infinity, 0, 0];
  let timer: Timer | undefined;
  let hasFailed = false;
  let isReady = false;

  const sendFigures = (name: 'now' | 'queue' | 'hosts', figures: unknown, run: string | null): void => {
    if (watchers.size === 0) return;
    const [key, json] = [`${name} ${run ?? ''}`, JSON.stringify(figures)];
    if (sent.get(key) === json) return;
    sent.set(key, json);
    watchers.figures(name, json, run);
  };

  const lookAtAll = async (): Promise<void> => {
    const startedAt = clock.monotonic();
    for (const run of runs.values()) {
      const events = await run.look();
      // Send only the last events of a burst: hundreds of lines per second cannot be read.
      watchers.events(
        events.slice(-MOST_SENT).map((event) => {
          const title = event.document === null ? null : (run.view.works.ofDocument(event.document)?.title ?? null);
          return { ...event, title, run: run.id };
        }),
      );
      sendFigures('now', run.figures(), run.id);
    }
    if (queue) sendFigures('queue', await queue.look(), null);
    const now = clock.monotonic();
    if (now - hostsAt >= HOSTS_MS) {
      hostsAt = now;
      const logs = [...runs.values()].map(({ view }) => hostFigures(view.store));
      hosts = hostLines((await queue?.hosts()) ?? [], logs, clock.now());
      sendFigures('hosts', { items: hosts.slice(0, 200) }, null);
    }
    lookedAt = clock.monotonic();
    // The first poll reads everything; later ones only what is new.
    if (isReady) lookMs = lookedAt - startedAt;
    isReady = true;
  };

  /** Reads new data and notifies subscribers; concurrent calls share one poll. */
  const look = (): Promise<void> => (looking ??= lookAtAll().finally(() => (looking = undefined)));

  const pauseMs = (shortest: number): number => Math.max(shortest, Math.min(LONGEST_PAUSE_MS, LOOK_SHARE * lookMs));

  const poll = async (): Promise<void> => {
    const now = clock.monotonic();
    if (now - beatAt >= BEAT_MS) {
      beatAt = now;
      watchers.beat();
    }
    const isWatched = watchers.size > 0 || now - askedAt < ASKED_LATELY_MS;
    if (isWatched || !isReady || now - lookedAt >= IDLE_LOOK_MS) {
      try {
        await look();
        hasFailed = false;
      } catch (error) {
        // Reported once; the next poll may succeed.
        if (!hasFailed) log('error', `monitoring failed: ${errorInfo(error).message}`);
        hasFailed = true;
      }
    }
    timer = clock.setTimer(pauseMs(LOOK_MS), () => void poll());
    timer.unref();
  };

  return {
    runs,
    queue,
    watchers,
    look,
    /** Polls for the first time, then regularly. */
    start: () => void poll(),
    /** Whether everything has been read once. */
    get isReady(): boolean {
      return isReady;
    },
    get hosts(): readonly HostLine[] {
      return hosts;
    },
    /** Called for every request: polls if the data is too old for a response. */
    async refresh(): Promise<void> {
      askedAt = clock.monotonic();
      if (!isReady || askedAt - lookedAt >= pauseMs(FRESH_MS)) await look();
    },
    /** Polls again after a change made here. */
    async lookAgain(): Promise<void> {
      await looking;
      hostsAt = -Infinity;
      await look();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      timer?.[Symbol.dispose]();
      watchers.close();
      await looking?.catch(() => undefined);
      timer?.[Symbol.dispose]();
      for (const run of runs.values()) await run[Symbol.asyncDispose]();
      await store?.[Symbol.asyncDispose]();
    },
  };
}
