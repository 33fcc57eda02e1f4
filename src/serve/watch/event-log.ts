import { randomBytes } from 'node:crypto';

import type { RunEvent } from '../../corpus/index.ts';

/** An event as it is told: numbered, with the run it is of. */
export interface ToldEvent extends Omit<RunEvent, 'kind'> {
  readonly id: number;
  readonly run: string | null;
  /** Of the document. */
  readonly title: string | null;
  readonly kind: RunEvent['kind'] | 'queue' | 'steering';
}

const KEPT = 1_000;

/** The last events of everything that is watched. */
export class EventLog {
  /** Numbers of another process mean nothing here. */
  readonly #mark = randomBytes(4).toString('hex');
  #events: ToldEvent[] = [];
  #next = 1;

  add(event: Omit<ToldEvent, 'id'>): ToldEvent {
    const told = { id: this.#next, ...event };
    this.#next += 1;
    this.#events.push(told);
    if (this.#events.length > KEPT * 2) this.#events = this.#events.slice(-KEPT);
    return told;
  }

  /** The newest first. */
  last(count: number, run: string | null): readonly ToldEvent[] {
    return this.#events
      .filter((event) => run === null || event.run === null || event.run === run)
      .slice(-count)
      .toReversed();
  }

  /** What came after an id that a stream has told; of ids that are not ours, nothing. */
  since(streamId: string | null): readonly ToldEvent[] {
    const [mark, number] = (streamId ?? '').split('-');
    if (mark !== this.#mark || number === undefined || !/^\d{1,15}$/.test(number)) return [];
    return this.#events.slice(-KEPT).filter(({ id }) => id > Number(number));
  }

  /** The id of an event in a stream. */
  streamId({ id }: ToldEvent): string {
    return `${this.#mark}-${id}`;
  }
}
