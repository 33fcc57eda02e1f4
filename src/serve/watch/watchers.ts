import type { ServerResponse } from 'node:http';

import type { EventLog, ToldEvent } from './event-log.ts';

/** What waits to be read by one watcher; who is further behind is let go and may come again. */
const MOST_WAITING_BYTES = 256 * 1024;
const MOST_WATCHERS = 2_000;

interface Watcher {
  readonly response: ServerResponse;
  readonly run: string | null;
}

/** Those who watch: every message is made once and written to each, and none of them can make us keep more than a bound. */
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

  /** Adds a response whose head is written; it is told what it missed. */
  add(response: ServerResponse, run: string | null, lastId: string | null): void {
    const watcher = { response, run };
    this.#all.add(watcher);
    response.on('close', () => this.#all.delete(watcher));
    write(watcher, Buffer.from('retry: 2000\n\n'));
    for (const event of this.#log.since(lastId))
      if (isFor(watcher, event.run)) write(watcher, Buffer.from(this.#eventText(event)));
  }

  /** Events of one run, or of none, in one piece: a burst costs each watcher one write. */
  events(events: readonly ToldEvent[]): void {
    const [first] = events;
    if (!first || this.#all.size === 0) return;
    this.#send(Buffer.from(events.map((event) => this.#eventText(event)).join('')), first.run);
  }

  /** Figures as they are now. */
  figures(name: 'now' | 'queue' | 'hosts', json: string, run: string | null): void {
    if (this.#all.size > 0) this.#send(Buffer.from(`event: ${name}\ndata: ${json}\n\n`), run);
  }

  /** Keeps connections open through whatever stands between, and finds those that are gone. */
  beat(): void {
    this.#send(Buffer.from(': hello\n\n'), null);
  }

  close(): void {
    for (const { response } of this.#all) response.end();
    this.#all.clear();
  }

  #eventText(event: ToldEvent): string {
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
