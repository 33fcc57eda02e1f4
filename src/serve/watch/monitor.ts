import { randomBytes } from 'node:crypto';

import type * as z from 'zod';

import type { Clock, Timer } from '../../base/index.ts';
import { loggedError, wait } from '../../base/index.ts';
import { hostFigures } from '../../library/index.ts';
import type { Corpus } from '../../corpus/index.ts';
import type { WorkQueue } from '../../queue/index.ts';
import type { event } from '../api/shapes.ts';
import type { HostKnowledge, HostLine, QueueWatch } from './queue-watch.ts';
import { hostLines, watchQueue } from './queue-watch.ts';
import type { RunWatch } from './run-watch.ts';
import { watchRun } from './run-watch.ts';

/** How often an event stream looks for changes. */
const STREAM_MS = 1_000;
/** Polling interval without requests, for the figures over time. */
const IDLE_LOOK_MS = 10_000;
/** Maximum age of data in a response, unless polling takes longer. */
const FRESH_MS = 250;
/** Maximum share of time spent on polling; with much data, polling is less frequent. */
const LOOK_SHARE = 20;
const LONGEST_PAUSE_MS = 5_000;
const HOSTS_MS = 2_000;
/** Hosts in an event stream; those not listed have not changed lately. */
const MOST_HOSTS_SENT = 200;
/** Events of a run kept from one poll: hundreds of lines per second cannot be read. */
const MOST_AT_ONCE = 200;
/** Events kept for the page and for streams that resume. */
const KEPT = 1_000;

type NumberedEvent = z.output<typeof event>;

export interface Watched {
  readonly runs: readonly { readonly id: string; readonly corpus: Corpus }[];
  readonly queue: WorkQueue | undefined;
  readonly hosts?: HostKnowledge | undefined;
  readonly clock: Clock;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
}

/** Watches runs, the queue and hosts, and tells streams what is new. */
export interface Monitor extends AsyncDisposable {
  readonly runs: ReadonlyMap<string, RunWatch>;
  readonly queue: QueueWatch | undefined;
  /** Whether everything was looked at once. */
  readonly isReady: boolean;
  readonly hosts: readonly HostLine[];
  /** How many streams are open. */
  readonly streams: number;
  readonly start: () => void;
  readonly look: () => Promise<void>;
  /** Looks unless that was done a moment ago. */
  readonly refresh: () => Promise<void>;
  /** Looks again after a change made here. */
  readonly lookAgain: () => Promise<void>;
  readonly addEvents: (added: readonly Omit<NumberedEvent, 'id'>[]) => void;
  readonly lastEvents: (count: number, of: string) => readonly NumberedEvent[];
  /** The messages of an event stream, without end: events after `lastId`, and figures whenever they have changed. */
  readonly stream: (
    of: string | null,
    lastId: string | undefined,
    signal: AbortSignal,
  ) => AsyncGenerator<string, never>;
}

export function openMonitor({ runs: given, queue: store, hosts: known, clock, log }: Watched): Monitor {
  const runs: ReadonlyMap<string, RunWatch> = new Map(given.map(({ id, corpus }) => [id, watchRun(id, corpus, clock)]));
  const queue = store && watchQueue(store, clock, known);
  /** Random prefix of stream ids: event numbers of another process are not comparable. */
  const mark = randomBytes(4).toString('hex');
  let events: NumberedEvent[] = [];
  let lastEvent = 0;
  let streams = 0;
  let hosts: readonly HostLine[] = [];
  let looking: Promise<void> | undefined;
  let [lookedAt, hostsAt, lookMs] = [-Infinity, -Infinity, 0];
  let timer: Timer | undefined;
  let hasFailed = false;
  let isReady = false;

  const addEvents = (added: readonly Omit<NumberedEvent, 'id'>[]): void => {
    events = [...events, ...added.map((each) => ({ id: (lastEvent += 1), ...each }))].slice(-KEPT);
  };

  const lookAtAll = async (): Promise<void> => {
    const startedAt = clock.monotonic();
    for (const run of runs.values()) {
      const found = await run.look();
      addEvents(
        found.slice(-MOST_AT_ONCE).map((each) => {
          const title = each.document === null ? null : (run.view.works.ofDocument(each.document)?.title ?? null);
          return { ...each, title, run: run.id };
        }),
      );
    }
    await queue?.look();
    const now = clock.monotonic();
    if (now - hostsAt >= HOSTS_MS) {
      hostsAt = now;
      const logs = [...runs.values()].map(({ view }) => hostFigures(view.store));
      hosts = hostLines((await queue?.hosts()) ?? [], logs, clock.now());
    }
    lookedAt = clock.monotonic();
    // The first poll reads everything; later ones only what is new.
    if (isReady) lookMs = lookedAt - startedAt;
    isReady = true;
  };

  /** Reads new data; concurrent calls share one poll. */
  const look = (): Promise<void> => (looking ??= lookAtAll().finally(() => (looking = undefined)));

  const refresh = async (): Promise<void> => {
    const pauseMs = Math.max(FRESH_MS, Math.min(LONGEST_PAUSE_MS, LOOK_SHARE * lookMs));
    if (!isReady || clock.monotonic() - lookedAt >= pauseMs) await look();
  };

  const poll = async (): Promise<void> => {
    try {
      await look();
      hasFailed = false;
    } catch (error) {
      // Reported once; the next poll may succeed.
      if (!hasFailed) log('error', `monitoring failed: ${loggedError(error)}`);
      hasFailed = true;
    }
    timer = clock.setTimer(IDLE_LOOK_MS, () => void poll());
    timer.unref();
  };

  /** The number of the last event a stream has had; that of the latest event for ids of another process. */
  const numberOf = (streamId: string | undefined): number => {
    const [, from, number] = /^(\w+)-(\d{1,15})$/.exec(streamId ?? '') ?? [];
    return from === mark ? Number(number) : lastEvent;
  };

  const stream = async function* (of: string | null, lastId: string | undefined, signal: AbortSignal) {
    const sent = new Map<string, string>();
    let after = numberOf(lastId);
    streams += 1;
    try {
      yield 'retry: 2000\n\n';
      for (;;) {
        const isFor = (run: string | null): boolean => run === null || of === null || run === of;
        for (const each of events.filter(({ id, run }) => id > after && isFor(run)))
          yield `id: ${mark}-${each.id}\nevent: event\ndata: ${JSON.stringify(each)}\n\n`;
        after = lastEvent;
        const figures = [
          ...[...runs.values()]
            .filter(({ id }) => isFor(id))
            .flatMap((run) => [
              ['now', run.id, { run: run.id, ...run.figures() }] as const,
              ['changed', run.id, { run: run.id, ...run.changed() }] as const,
            ]),
          ['queue', '', queue?.figures] as const,
          ['hosts', '', { items: hosts.slice(0, MOST_HOSTS_SENT) }] as const,
        ];
        for (const [name, run, value] of figures) {
          const [key, json] = [`${name} ${run}`, JSON.stringify(value)];
          if (json === undefined || sent.get(key) === json) continue;
          sent.set(key, json);
          yield `event: ${name}\ndata: ${json}\n\n`;
        }
        await wait(clock, STREAM_MS, signal);
        // A failure is reported by `poll`.
        await refresh().catch(() => undefined);
      }
    } finally {
      streams -= 1;
    }
  };

  return {
    runs,
    queue,
    addEvents,
    look,
    refresh,
    stream,
    start: () => void poll(),
    get isReady(): boolean {
      return isReady;
    },
    get hosts(): readonly HostLine[] {
      return hosts;
    },
    get streams(): number {
      return streams;
    },
    lastEvents(count: number, of: string): readonly NumberedEvent[] {
      const seen = events.filter(({ run }) => run === null || run === of);
      return seen.slice(-count).toReversed();
    },
    async lookAgain(): Promise<void> {
      await looking;
      hostsAt = -Infinity;
      await look();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      timer?.[Symbol.dispose]();
      await looking?.catch(() => undefined);
      timer?.[Symbol.dispose]();
      // One that fails, because its server is away, does not keep the others open.
      await using opened = new AsyncDisposableStack();
      opened.use(store);
      for (const run of runs.values()) opened.use(run);
    },
  };
}
