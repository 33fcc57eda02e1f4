import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import type { z } from 'zod';

import type { event } from '../api/shapes.ts';

export type NumberedEvent = z.output<typeof event>;

const KEPT = 1_000;

export class EventLog {
  /** Random prefix: event numbers of another process are not comparable. */
  readonly #mark = randomBytes(4).toString('hex');
  #events: NumberedEvent[] = [];
  #next = 1;

  add(event: Omit<NumberedEvent, 'id'>): NumberedEvent {
    const numbered = { id: this.#next, ...event };
    this.#next += 1;
    this.#events.push(numbered);
    if (this.#events.length > KEPT * 2) this.#events = this.#events.slice(-KEPT);
    return numbered;
  }

  /** Newest first. */
  last(count: number, run: string | null): readonly NumberedEvent[] {
    return this.#events
      .filter((event) => run === null || event.run === null || event.run === run)
      .slice(-count)
      .toReversed();
  }

  /** Events after a stream id; empty for ids of another process. */
  since(streamId: string | null): readonly NumberedEvent[] {
    const [mark, number] = (streamId ?? '').split('-');
    if (mark !== this.#mark || number === undefined || !/^\d{1,15}$/.test(number)) return [];
    return this.#events.slice(-KEPT).filter(({ id }) => id > Number(number));
  }

  streamId({ id }: NumberedEvent): string {
    return `${this.#mark}-${id}`;
  }
}

/** Maximum buffered bytes per subscriber; slower subscribers are disconnected and may reconnect. */
const MOST_WAITING_BYTES = 256 * 1024;
const MOST_WATCHERS = 2_000;

interface Watcher {
  readonly response: ServerResponse;
  readonly run: string | null;
}

/**
 * Event stream subscribers: each message is serialised once and written to all, with a bounded buffer per subscriber.
 */
export class Watchers {
  readonly #all = new Set<Watcher>();
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
  }

  get size(): number {
    return this.#all.size;
  }

  get isFull(): boolean {
    return this.#all.size >= MOST_WATCHERS;
  }

  /** Adds a response whose headers are sent; replays missed events. */
  add(response: ServerResponse, run: string | null, lastId: string | null): void {
    const watcher = { response, run };
    this.#all.add(watcher);
    response.on('close', () => this.#all.delete(watcher));
    write(watcher, Buffer.from('retry: 2000\n\n'));
    for (const event of this.#log.since(lastId))
      if (isFor(watcher, event.run)) write(watcher, Buffer.from(this.#eventText(event)));
  }

  /** Sends events in one write per subscriber. */
  events(events: readonly NumberedEvent[]): void {
    const [first] = events;
    if (!first || this.#all.size === 0) return;
    this.#send(Buffer.from(events.map((event) => this.#eventText(event)).join('')), first.run);
  }

  figures(name: 'now' | 'queue' | 'hosts', json: string, run: string | null): void {
    if (this.#all.size > 0) this.#send(Buffer.from(`event: ${name}\ndata: ${json}\n\n`), run);
  }

  /** Keeps connections open through proxies, and detects closed ones. */
  beat(): void {
    this.#send(Buffer.from(': hello\n\n'), null);
  }

  close(): void {
    for (const { response } of this.#all) response.end();
    this.#all.clear();
  }

  #eventText(event: NumberedEvent): string {
    return `id: ${this.#log.streamId(event)}\nevent: event\ndata: ${JSON.stringify(event)}\n\n`;
  }

  #send(message: Buffer, run: string | null): void {
    for (const watcher of this.#all) if (isFor(watcher, run)) write(watcher, message);
  }
}

function isFor(watcher: Watcher, run: string | null): boolean {
  return run === null || watcher.run === null || watcher.run === run;
}

function write({ response }: Watcher, message: Buffer): void {
  if (response.writableLength + message.length > MOST_WAITING_BYTES) response.destroy();
  else response.write(message);
}
