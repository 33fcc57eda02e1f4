export type TellingWork<Event> = (tell: (event: Event) => void, signal: AbortSignal) => Promise<void>;

/** The events of some work. Leaving the loop stops the work and waits for its end; its error is thrown. */
export async function* eventStream<Event>(work: TellingWork<Event>, signal?: AbortSignal): AsyncGenerator<Event, void> {
  const left = new AbortController();
  const waiting: Event[] = [];
  let isOver = false;
  let changed = Promise.withResolvers<void>();
  const wake = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const working = work(
    (event) => {
      waiting.push(event);
      wake();
    },
    signal ? AbortSignal.any([signal, left.signal]) : left.signal,
  ).finally(() => {
    isOver = true;
    wake();
  });
  working.catch(() => undefined);
  try {
    for (;;) {
      const { promise } = changed;
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event;
      if (isOver && waiting.length === 0) return;
      await promise;
    }
  } finally {
    left.abort('nobody listens any more');
    await working;
  }
}
