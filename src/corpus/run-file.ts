import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostname } from 'node:os';

import { AppError, FileLock, writeFileAtomic } from '../base/index.ts';
import type { WantedWorks } from '../harvest/index.ts';
import type { Clock } from '../base/index.ts';
import type { RunAccount } from './account.ts';

/** The version of `run.json`; it changes when a field changes its meaning. */
const RUN_SCHEMA = 'docstokg/run/2';
/** Its summary has other fields, so its counts are read from the database. */
const OLD_SCHEMA = 'docstokg/run/1';
const NAME = 'run.json';

/** `run.json`: the request and its last outcome. Times are ISO 8601. */
export interface RunFile {
  readonly schema: string;
  /** The request, as options of the command. */
  readonly asked: RunAsked;
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  readonly started_at: string;
  readonly ended_at: string | null;
  /** The process that works, or last worked, on it. */
  readonly process: { readonly pid: number; readonly host: string };
  /** From the last completed run, even while it runs again. */
  readonly account: RunAccount | null;
}

/** The documents of a run, and the contact address. */
export interface RunAsked extends WantedWorks {
  readonly ids?: readonly string[] | undefined;
  /** Which works are downloaded, as in `--works`; all by default. */
  readonly works?: string | undefined;
  /** The contact address, so that the folder alone is enough to resume. */
  readonly mailto?: string | undefined;
}

/** The content of `run.json`; undefined if there is none. */
export async function readRunFile(folder: string): Promise<RunFile | undefined> {
  const path = join(folder, NAME);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const file = JSON.parse(text) as RunFile;
    if (file.schema === RUN_SCHEMA) return file;
    if (file.schema === OLD_SCHEMA) return { ...file, schema: RUN_SCHEMA, account: null };
  } catch {
    // Reported below as the same error.
  }
  throw new AppError('RUN_FILE', `${path} was not written by this version of docstokg run`, {
    hint: 'move it away; all other files in the folder are reused',
  });
}

/** Replaces `run.json` atomically. */
async function writeRunFile(folder: string, file: RunFile): Promise<void> {
  await writeFileAtomic(join(folder, NAME), `${JSON.stringify(file, undefined, 2)}\n`);
}

/** A run folder in use: by one process at a time, named in its `run.json`. */
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

  /** Locks the folder, creating it if needed; the lock ends with the process, even if it is killed. */
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

  /** Records how the run ended; without an account the last one stays. */
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
