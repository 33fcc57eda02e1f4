import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import type { z } from 'zod';

import type { event } from '../api/shapes.ts';

type NumberedEvent = z.output<typeof event>;

/** Events kept for the page and for streams that resume. */
const KEPT = 1_000;
/** Maximum buffered bytes per subscriber; slower subscribers are disconnected and may reconnect. */
const MOST_WAITING_BYTES = 256 * 1024;
const MOST_WATCHERS = 2_000;

interface Watcher {
  readonly response: ServerResponse;
  readonly run: string | null;
}

/**
 * The latest events, and the subscribers of the event stream: each message is serialised once and written to all, with
 * a bounded buffer per subscriber.
 */
export class Watchers {
  readonly #all = new Set<Watcher>();
  /** Random prefix of stream ids: event numbers of another process are not comparable. */
  readonly #mark = randomBytes(4).toString('hex');
  #events: NumberedEvent[] = [];
  #last = 0;

  get size(): number {
    return this.#all.size;
  }

  get isFull(): boolean {
    return this.#all.size >= MOST_WATCHERS;
  }

  /** Adds a response whose headers are sent; replays the events after its last one. */
  add(response: ServerResponse, run: string | null, lastId: string | null): void {
    const watcher = { response, run };
    this.#all.add(watcher);
    response.on('close', () => this.#all.delete(watcher));
    write(watcher, Buffer.from('retry: 2000\n\n'));
    for (const event of this.#since(lastId))
      if (isFor(watcher, event.run)) write(watcher, Buffer.from(this.#eventText(event)));
  }

  /** Logs events of one run, or of none, and sends them in one write per subscriber. */
  events(events: readonly Omit<NumberedEvent, 'id'>[]): void {
    const [first] = events;
    if (!first) return;
    const numbered = events.map((event) => ({ id: (this.#last += 1), ...event }));
    this.#events = [...this.#events, ...numbered].slice(-KEPT);
    this.#send(numbered.map((event) => this.#eventText(event)).join(''), first.run);
  }

  /** Newest first. */
  last(count: number, run: string): readonly NumberedEvent[] {
    const seen = this.#events.filter((event) => event.run === null || event.run === run);
    return seen.slice(-count).toReversed();
  }

  figures(name: 'now' | 'queue' | 'hosts', json: string, run: string | null): void {
    this.#send(`event: ${name}\ndata: ${json}\n\n`, run);
  }

  /** Keeps connections open through proxies, and detects closed ones. */
  beat(): void {
    this.#send(': hello\n\n', null);
  }

  close(): void {
    for (const { response } of this.#all) response.end();
    this.#all.clear();
  }

  /** Events after a stream id; empty for ids of another process. */
  #since(streamId: string | null): readonly NumberedEvent[] {
    const [mark, number] = (streamId ?? '').split('-');
    if (mark !== this.#mark || number === undefined || !/^\d{1,15}$/.test(number)) return [];
    return this.#events.filter(({ id }) => id > Number(number));
  }

  #eventText(event: NumberedEvent): string {
    return `id: ${this.#mark}-${event.id}\nevent: event\ndata: ${JSON.stringify(event)}\n\n`;
  }

  #send(text: string, run: string | null): void {
    const message = Buffer.from(text);
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
