import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { AppError, FileLock } from '../base/index.ts';
import type { RunAccount } from './account.ts';
import type { RunAsked, RunFile } from './run-file.ts';
import { readRunFile, RUN_SCHEMA, writeRunFile } from './run-file.ts';

/** A run folder that is being worked on: by one process at a time, and its `run.json` says by which. */
export class RunFolder implements Disposable {
  readonly path: string;
  readonly #clock: Clock;
  readonly #held: DisposableStack;
  #file: RunFile;

  private constructor(path: string, clock: Clock, held: DisposableStack, file: RunFile) {
    this.path = path;
    this.#clock = clock;
    this.#held = held;
    this.#file = file;
  }

  /** Takes the folder, which is made where there is none; the lock goes with the process, however that ends. */
  static async open(path: string, asked: RunAsked, clock: Clock): Promise<RunFolder> {
    await mkdir(join(path, 'state'), { recursive: true });
    using held = new DisposableStack();
    const lock = held.use(new FileLock(join(path, 'state', 'run.lock'), clock));
    const taken = lock.tryTake();
    const before = await readRunFile(path);
    if (!taken) {
      const { pid, host } = before?.process ?? { pid: '?', host: '?' };
      throw new AppError(
        'RUN_FOLDER_BUSY',
        `process ${pid} on ${host} has been working on ${path} since ${before?.started_at}`,
        { hint: 'let it finish, stop it with Ctrl-C, or use another --out for a separate run' },
      );
    }
    held.use(taken);
    const file: RunFile = {
      schema: RUN_SCHEMA,
      asked,
      state: 'running',
      started_at: new Date(clock.now()).toISOString(),
      ended_at: null,
      process: { pid: process.pid, host: hostname() },
      account: before?.account ?? null,
    };
    await writeRunFile(path, file);
    return new RunFolder(path, clock, held.move(), file);
  }

  /** Writes down how it ended; without an account the last one stays. */
  async end(state: 'done' | 'stopped' | 'failed', account?: RunAccount): Promise<void> {
    this.#file = {
      ...this.#file,
      state,
      ended_at: new Date(this.#clock.now()).toISOString(),
      ...(account && { account }),
    };
    await writeRunFile(this.path, this.#file);
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }
}
