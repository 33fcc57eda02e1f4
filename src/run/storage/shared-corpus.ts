import { mkdirSync } from 'node:fs';

import { AppError } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { withoutPasswords } from '../../config/index.ts';
import type { FleetSettings, Journal, StorePlace } from '../../journal/index.ts';
import { readFleetSettings, sharedToken } from '../../journal/index.ts';
import type { PostgresConnection } from '../../queue/kept/index.ts';
import { readPostgresStamp } from '../../search/index.ts';
import type { RunFile } from '../run-file.ts';
import { checkedRun } from '../run-file.ts';
import type { Runtime } from '../queue/open-queue.ts';
import { openCorpusServer } from '../queue/open-queue.ts';
import type { StoredFiles } from './corpus-files.ts';
import { keepCopying } from './keep-copying.ts';
import { openStored } from './storage.ts';

/**
 * A corpus whose logs and index are in PostgreSQL and whose files are in a store. The folder is a cache: copies of the
 * logs, what is derived from them, and files that were looked at. It may be deleted whenever nobody has it open.
 */
export interface SharedCorpus extends AsyncDisposable {
  readonly journal: Journal;
  readonly files: StoredFiles;
  /** To the server, for the index. */
  readonly connection: PostgresConnection;
  /** Changes when another index is searched; null if there is none. */
  readonly indexStamp: string | null;
  /** Calls back after lines of other machines were copied, one call after the other, until the corpus is disposed of. */
  onCopied(work: (signal: AbortSignal) => Promise<void>): void;
  /** Resolves when everything that was said is durable on the server, and in the logs here. */
  settle(): Promise<void>;
  /** What was asked, and how the last run on any machine ended. */
  run(): Promise<RunFile | undefined>;
  /** The token of the pages, the same on all machines. */
  token(offered: () => string): Promise<string>;
}

/** What the server says of its corpus; throws if it has none. */
export async function findDatabase(
  config: Config,
  runtime: Runtime,
): Promise<{ readonly fleet: string; readonly store: StorePlace | undefined; readonly run: RunFile | undefined }> {
  await using connection = await openCorpusServer(config, runtime);
  const { fleet, store, run }: FleetSettings = await readFleetSettings(connection);
  const { url, schema } = config.queue;
  if (fleet === undefined)
    throw new AppError('DATABASE_EMPTY', `${withoutPasswords(url)} has no corpus in its schema ${schema}`, {
      hint: 'docstokg run --fleet … --store … makes one; for another schema add --set queue.schema=NAME',
    });
  if (config.store.url === '' && store === undefined)
    throw new AppError('DATABASE_NO_STORE', `${withoutPasswords(url)} does not say where the files of its corpus are`, {
      hint: 'add the --store of its runs',
    });
  return { fleet, store, run: run && checkedRun(run, withoutPasswords(url)) };
}

/** Opens a corpus in PostgreSQL, and follows its logs until it is disposed of. */
export async function openShared(config: Config, runtime: Runtime): Promise<SharedCorpus> {
  mkdirSync(config.download.out, { recursive: true, mode: 0o700 });
  await using stack = new AsyncDisposableStack();
  const stop = new AbortController();
  const stopped = { ...runtime, stop: AbortSignal.any([stop.signal, runtime.stop ?? stop.signal]) };
  const { journal, files } = stack.use(await openStored(config, stopped, false));
  const connection = stack.use(await openCorpusServer(config, stopped));
  let indexStamp = await readPostgresStamp(connection);
  const followers: ((signal: AbortSignal) => Promise<void>)[] = [];
  stack.use(
    keepCopying(
      runtime.clock,
      {
        async copy() {
          await files.refresh();
          for (const each of followers) await each(stop.signal);
          indexStamp = await readPostgresStamp(connection);
        },
        warn: (message) => runtime.log('warn', message),
      },
      stop,
    ),
  );
  const opened = stack.move();
  return {
    journal,
    files,
    connection,
    get indexStamp() {
      return indexStamp;
    },
    onCopied: (work) => void followers.push(work),
    async settle() {
      await journal.append([]);
      await files.refresh();
    },
    async run() {
      const { run } = await readFleetSettings(connection);
      return run && checkedRun(run, withoutPasswords(config.queue.url));
    },
    token: (offered) => sharedToken(connection, offered),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
