import { randomBytes } from 'node:crypto';

import type { z } from 'zod';

import type { event } from '../api/shapes/operating.ts';

/** A numbered event with its run. */
export type NumberedEvent = z.output<typeof event>;

const KEPT = 1_000;

/** Keeps the latest events of all runs. */
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
