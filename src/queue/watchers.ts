import type { StoreChange } from './types.ts';

type Changed = (change: StoreChange) => void;

/** Listens for changes by other processes while there are callbacks. */
export class Watchers implements Disposable {
  readonly #watchers = new Set<Changed>();
  readonly #listen: (changed: Changed) => Disposable;
  #listening: Disposable | undefined;

  constructor(listen: (changed: Changed) => Disposable) {
    this.#listen = listen;
  }

  add(watcher: Changed): Disposable {
    this.#watchers.add(watcher);
    this.#listening ??= this.#listen((change) => this.notify(change));
    return {
      [Symbol.dispose]: () => {
        this.#watchers.delete(watcher);
        if (this.#watchers.size === 0) this[Symbol.dispose]();
      },
    };
  }

  notify(change: StoreChange): void {
    for (const watcher of this.#watchers) watcher(change);
  }

  [Symbol.dispose](): void {
    this.#listening?.[Symbol.dispose]();
    this.#listening = undefined;
  }
}
