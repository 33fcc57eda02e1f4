import { randomBytes } from 'node:crypto';

import type { RunEvent } from '../../corpus/index.ts';

/** A numbered event with its run. */
export interface NumberedEvent extends Omit<RunEvent, 'kind'> {
  readonly id: number;
  readonly run: string | null;
  /** Id of the document. */
  readonly title: string | null;
  readonly kind: RunEvent['kind'] | 'queue' | 'steering';
}

const KEPT = 1_000;

/** Keeps the latest events of all runs. */
export class EventLog {
  /** Random prefix: event numbers of another process are not comparable. */
  readonly #mark = randomBytes(4).toString('hex');
  #events: NumberedEvent[] = [];
  #next = 1;

  add(event: Omit<NumberedEvent, 'id'>): NumberedEvent {
    const told = { id: this.#next, ...event };
    this.#next += 1;
    this.#events.push(told);
    if (this.#events.length > KEPT * 2) this.#events = this.#events.slice(-KEPT);
    return told;
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
