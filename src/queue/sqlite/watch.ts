import type { StatementSync } from 'node:sqlite';

import type { Timer } from '../../base/index.ts';
import type { StoreChange } from '../types.ts';
import type { SqliteConnection } from './connection.ts';

/** How often to check whether another process wrote to the file, which reads one number from shared memory. */
const POLL_MS = 250;

/** Reports changes of the queue: at once when this process made them, within POLL_MS when another did. */
export class SqliteWatch implements Disposable {
  readonly #connection: SqliteConnection;
  readonly #dataVersion: StatementSync;
  readonly #control: StatementSync;
  readonly #listeners = new Set<(change: StoreChange) => void>();
  #timer: Timer | undefined;
  #seenData = 0;
  #seenControl = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#dataVersion = connection.prepare('PRAGMA data_version');
    this.#control = connection.prepare('SELECT version FROM control');
  }

  add(listener: (change: StoreChange) => void): Disposable {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#seenData = this.#readData();
      this.#seenControl = this.#readControl();
      this.#arm();
    }
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this[Symbol.dispose]();
      },
    };
  }

  /** Something changed through this store. */
  notify(change: StoreChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #arm(): void {
    // A database in memory has no other connection.
    if (this.#connection.path === ':memory:') return;
    this.#timer = this.#connection.clock.setTimer(POLL_MS, () => {
      this.#arm();
      this.#poll();
    });
    this.#timer.unref();
  }

  #poll(): void {
    // The data version changes only when another connection commits.
    const data = this.#readData();
    if (data === this.#seenData) return;
    this.#seenData = data;
    const control = this.#readControl();
    if (control !== this.#seenControl) this.notify('control');
    this.#seenControl = control;
    this.notify('jobs');
  }

  #readData(): number {
    return (this.#dataVersion.get() as { data_version: number }).data_version;
  }

  #readControl(): number {
    return (this.#control.get() as { version: number }).version;
  }
}
