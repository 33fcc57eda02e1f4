import { join, resolve } from 'node:path';

import { AppError, duration } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { proxyOf } from '../../config/index.ts';
import { CorpusStore } from '../../database/index.ts';
import type { Journal, StorePlace } from '../../journal/index.ts';
import { FolderJournal, LogFolder, openPostgresJournal } from '../../journal/index.ts';
import type { ObjectStore } from '../../objects/index.ts';
import { openObjects } from '../../objects/index.ts';
import type { Runtime } from '../queue/open-queue.ts';
import { patienceOf } from '../queue/open-queue.ts';
import type { CorpusFiles } from './corpus-files.ts';
import { FolderFiles, StoredFiles } from './corpus-files.ts';

/** What a run writes to: logs and files, in its folder or shared with other machines. */
export interface CorpusStorage<Files extends CorpusFiles = CorpusFiles> extends AsyncDisposable {
  readonly journal: Journal;
  readonly files: Files;
}

/** Whether a store without an owner may be claimed: by a corpus without files in it, never, or by any (`again`). */
type MayClaim = boolean | 'again';

/** Opens a corpus for a run: in its folder, with its files in a store, or as one machine of a fleet. */
export async function openStorage(config: Config, runtime: Runtime): Promise<CorpusStorage> {
  const { store: where, queue } = config;
  if (queue.fleet && (where.url === '' || queue.backend !== 'postgres'))
    throw new AppError('USAGE_FLEET', 'a fleet needs a PostgreSQL server for its logs and a store for its files', {
      hint: 'give --fleet postgres://user@host/database and --store s3://bucket/prefix',
    });
  if (where.url !== '') return await openStored(config, runtime);
  const journal = await openJournal(config, runtime);
  return { journal, files: new FolderFiles(journal), [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose]() };
}

/** Where the files are, for other machines. */
export function storePlace({ store }: Pick<Config, 'store'>): StorePlace {
  const { url, endpoint, region, path_style } = store;
  return { url: url.startsWith('s3:') ? url : resolve(url), endpoint, region, path_style };
}

/** Opens a corpus whose files are in a store. */
export async function openStored(
  config: Config,
  runtime: Runtime,
  mayClaim: MayClaim = true,
): Promise<CorpusStorage<StoredFiles>> {
  const state = join(config.download.out, 'state');
  const objects = openObjects(config.store, { clock: runtime.clock, state, proxy: proxyOf(config) });
  if (mayClaim === false && (await objects.owner()) === undefined) throw noFiles(objects);
  await using stack = new AsyncDisposableStack();
  const journal = stack.use(await openJournal(config, runtime));
  const warn = (message: string): void => runtime.log('warn', message);
  const store = stack.use(CorpusStore.create(journal.logs.path, { journal, warn }));
  // A shortened log would make the other objects orphans, which `docstokg store --repair` removes.
  store.mendLogs();
  store.ingest();
  await checkOwner(objects, journal, mayClaim === 'again' || (mayClaim && store.count('objects') === 0));
  const files = new StoredFiles({ journal, store, objects, clock: runtime.clock });
  const opened = stack.move();
  return { journal, files, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** On the server of the fleet, or in the folder. */
async function openJournal({ queue, download, parse }: Config, { clock, log, stop }: Runtime): Promise<Journal> {
  const logs = new LogFolder(download.out, join(parse.data_root, 'Manifests'));
  if (!queue.fleet) return new FolderJournal(logs, { clock, rotateBytes: download.rotate_bytes });
  return await openPostgresJournal(logs, {
    url: queue.url,
    schema: queue.schema,
    pooler: queue.pooler,
    ...patienceOf(queue),
    clock,
    stop,
    report: (event) =>
      event.kind === 'queue-unreachable'
        ? log(
            'warn',
            `the database is unreachable (${event.message}); waiting for it, for ${duration(queue.outage_sec * 1000)} at most`,
          )
        : log('info', `the database is back after ${(event.outageMs / 1000).toFixed(1)} s`),
  });
}

/** Rejects a store of another corpus: `docstokg store --repair` would remove that corpus's files. */
async function checkOwner(objects: ObjectStore, journal: Journal, mayClaim: boolean): Promise<void> {
  const ours = await journal.identity();
  let owner = await objects.owner();
  if (owner === undefined && mayClaim) {
    await objects.claim(ours);
    // Another process may have claimed it at the same time: the first claim counts.
    owner = await objects.owner();
  }
  if (owner === ours) return;
  throw owner === undefined
    ? noFiles(objects)
    : new AppError('OBJECT_STORE_OTHER', `${objects.name} has the files of another corpus`, {
        hint: 'give each corpus, and a fleet with a new database, its own prefix: --store s3://bucket/prefix',
      });
}

function noFiles(objects: ObjectStore): AppError {
  return new AppError('OBJECT_STORE_OTHER', `${objects.name} has no files of this corpus`, {
    hint: 'give the --store of its runs; if it was emptied, docstokg store --push uploads the files that a machine has',
  });
}
