import { Channel } from './channel.ts';

/** Work that tells what happens, and can be stopped. */
export type TellingWork<Event> = (tell: (event: Event) => void, signal: AbortSignal) => Promise<void>;

/**
 * The events of some work, which begins when the first one is asked for. Aborting the signal lets it end in good order.
 * Who stops listening stops the work, and waits for its end; its failure is thrown to whoever listens or stops.
 */
export async function* eventStream<Event>(work: TellingWork<Event>, signal?: AbortSignal): AsyncGenerator<Event, void> {
  const left = new AbortController();
  const events = new Channel<Event>(Infinity);
  const working = work(
    (event) => events.offer(event),
    signal ? AbortSignal.any([signal, left.signal]) : left.signal,
  ).finally(() => events.close());
  working.catch(() => undefined);
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) yield next.value;
  } finally {
    left.abort('nobody listens any more');
    await working;
  }
}
