import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Clock } from '../../base/index.ts';
import { AppError, JsonlWriter, readJsonl, sha256 } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { ObjectStore } from '../../objects/index.ts';
import { openObjects } from '../../objects/index.ts';
import { openSharedLog } from '../../queue/kept/index.ts';
import type { Runtime } from '../queue/open-queue.ts';
import { FleetLogs, remembered } from './fleet-logs.ts';
import { OBJECTS_LOG, SharedFiles } from './shared-files.ts';

/** Parts of a corpus outside its folder: files in a store and, in a fleet, the logs. */
export interface Shared extends AsyncDisposable {
  readonly files: SharedFiles;
  readonly logs: FleetLogs | undefined;
}

/** Opens the shared parts that are configured; undefined if the corpus is only in its folder. */
export async function openShared(config: Config, runtime: Runtime): Promise<Shared | undefined> {
  const { store, queue, download } = config;
  if (queue.fleet && (store.url === '' || queue.backend !== 'postgres'))
    throw new AppError('USAGE_FLEET', 'a fleet needs a PostgreSQL server for its logs and a store for its files', {
      hint: 'give --fleet postgres://user@host/database and --store s3://bucket/prefix',
    });
  if (store.url === '') return undefined;
  const folder = download.out;
  await using stack = new AsyncDisposableStack();
  const objects = openObjects(store, runtime.clock, join(folder, 'state'));
  let logs: FleetLogs | undefined;
  if (queue.fleet) {
    const log = stack.use(
      await openSharedLog(queue.url, {
        schema: queue.schema,
        pooler: queue.pooler,
        timeoutMs: queue.timeout_sec * 1000,
        clock: runtime.clock,
        report: (event) =>
          event.kind === 'queue-unreachable' &&
          runtime.log('warn', `the fleet server is unreachable (${event.message})`),
      }),
    );
    logs = stack.use(await FleetLogs.open(log, folder, join(config.parse.data_root, 'Manifests'), runtime.clock));
  }
  await checkOwner(objects, logs, folder, runtime.clock);
  const append =
    logs && (async (lines: readonly string[]): Promise<void> => void (await logs.append([{ log: 'objects', lines }])));
  const files = stack.use(await SharedFiles.open({ folder, objects, clock: runtime.clock, ...(append && { append }) }));
  const opened = stack.move();
  return { files, logs, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/**
 * Rejects a store that does not exist, cannot be used, or belongs to another corpus, before anything is requested:
 * `store check --repair` would remove the other corpus's files. The first run, or machine of a fleet, claims its store.
 */
async function checkOwner(
  objects: ObjectStore,
  logs: FleetLogs | undefined,
  folder: string,
  clock: Clock,
): Promise<void> {
  let owner = await objects.owner();
  const ours = logs?.identity ?? remembered(folder).fleet ?? (await corpusIdentity(folder, clock));
  if (owner === undefined && (!logs || logs.lines('objects') === 0)) {
    await objects.claim(ours);
    // Another process may have claimed it at the same time: the last claim counts.
    owner = await objects.owner();
  }
  if (owner === ours) return;
  throw owner === undefined
    ? new AppError('OBJECT_STORE_OTHER', `${objects.name} has no files of this fleet`, {
        hint: 'give all machines of a fleet the same --store',
      })
    : new AppError('OBJECT_STORE_OTHER', `${objects.name} has the files of another corpus`, {
        hint: 'give each corpus its own prefix: --store s3://bucket/prefix; a fleet with a new database needs a new prefix',
      });
}

/** A corpus without a fleet is identified by the first line of its objects log, which all copies of the log share. */
async function corpusIdentity(folder: string, clock: Clock): Promise<string> {
  const path = join(folder, OBJECTS_LOG);
  const read = async (): Promise<string | undefined> => {
    if (!existsSync(path)) return undefined;
    for await (const line of readJsonl(path)) return sha256(JSON.stringify(line));
    return undefined;
  };
  const known = await read();
  if (known !== undefined) return known;
  {
    await using writer = await JsonlWriter.open(path, { clock, durable: true });
    await writer.append({ corpus: randomUUID() });
  }
  return (await read()) ?? '';
}
