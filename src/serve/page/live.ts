import { address } from './ask.ts';

type Hear = (data: unknown) => void;

/** What happens, as the server tells it: one connection for the whole page. */
export class Live {
  readonly #hearers = new Map<string, Set<Hear>>();
  readonly #state: (connected: boolean) => void;
  #source: EventSource | undefined;

  constructor(state: (connected: boolean) => void) {
    this.#state = state;
  }

  /** Calls back whenever something of a kind is told; answers how to stop that. */
  on(kind: 'now' | 'queue' | 'hosts' | 'event', hear: Hear): () => void {
    const hearers = this.#hearers.get(kind) ?? new Set();
    hearers.add(hear);
    this.#hearers.set(kind, hearers);
    return () => hearers.delete(hear);
  }

  /** Begins to listen. */
  connect(): void {
    this.#source ??= new EventSource(address('/events'));
    this.#source.addEventListener('open', () => this.#state(true));
    // The browser connects again by itself, and the server goes on behind the last event.
    this.#source.addEventListener('error', () => this.#state(false));
    for (const kind of ['now', 'queue', 'hosts', 'event'])
      this.#source.addEventListener(kind, (event) => {
        const data = JSON.parse((event as MessageEvent<string>).data) as unknown;
        for (const hear of this.#hearers.get(kind) ?? []) hear(data);
      });
  }
}
