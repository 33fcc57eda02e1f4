import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError, writeFileAtomic } from '../base/index.ts';
import type { WantedWorks } from '../harvest/index.ts';
import type { RunAccount } from './account.ts';

/** The version of `run.json`; it changes when a field changes its meaning. */
export const RUN_SCHEMA = 'docstokg/run/2';
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
export async function writeRunFile(folder: string, file: RunFile): Promise<void> {
  await writeFileAtomic(join(folder, NAME), `${JSON.stringify(file, undefined, 2)}\n`);
}
