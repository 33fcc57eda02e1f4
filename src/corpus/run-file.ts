import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostname } from 'node:os';

import { AppError, FileLock, writeFileAtomic } from '../base/index.ts';
import type { WantedWorks } from '../harvest/index.ts';
import type { Clock } from '../base/index.ts';
import type { RunAccount } from './account.ts';

/** The version of `run.json`; it changes when a field changes its meaning. */
const RUN_SCHEMA = 'docstokg/run/2';
/** Its account has other fields: what it counted is counted again from the database. */
const OLD_SCHEMA = 'docstokg/run/1';
const NAME = 'run.json';

/** `run.json`: the request and its last outcome. Moments are ISO 8601. */
export interface RunFile {
  readonly schema: string;
  /** What was asked for, as options of the command. */
  readonly asked: RunAsked;
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  readonly started_at: string;
  readonly ended_at: string | null;
  /** Who works or worked on it. */
  readonly process: { readonly pid: number; readonly host: string };
  /** Of the last time it ended, even while it runs again. */
  readonly account: RunAccount | null;
}

/** Which documents a run is about, and who asks for them. */
export interface RunAsked extends WantedWorks {
  readonly ids?: readonly string[] | undefined;
  /** Which of the works are downloaded, as `--works` names them; all where it is not given. */
  readonly works?: string | undefined;
  /** The address that was given to be reached at, so that the folder alone is enough to continue. */
  readonly mailto?: string | undefined;
}

/** What is in a run folder's `run.json`; undefined where there is none. */
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
    // Told below, as the same thing.
  }
  throw new AppError('RUN_FILE', `${path} was not written by this version of docstokg run`, {
    hint: 'move it away; all other files in the folder are reused',
  });
}

/** Replaces `run.json` as a whole. */
async function writeRunFile(folder: string, file: RunFile): Promise<void> {
  await writeFileAtomic(join(folder, NAME), `${JSON.stringify(file, undefined, 2)}\n`);
}

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
