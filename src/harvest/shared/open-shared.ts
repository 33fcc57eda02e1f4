import { join } from 'node:path';

import { AppError } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { openObjects } from '../../objects/index.ts';
import { openSharedLog } from '../../queue/kept/index.ts';
import type { Runtime } from '../queue/open-queue.ts';
import { FleetLogs } from './fleet-logs.ts';
import { SharedFiles } from './shared-files.ts';

/** What of a corpus is not in its folder alone: files in a store, and in a fleet the logs. */
export interface Shared extends AsyncDisposable {
  readonly files: SharedFiles;
  readonly logs: FleetLogs | undefined;
}

/** Opens what the configuration shares; undefined where all of a corpus is in its folder. */
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
  const append =
    logs && (async (lines: readonly string[]): Promise<void> => void (await logs.append([{ log: 'objects', lines }])));
  const files = stack.use(await SharedFiles.open({ folder, objects, clock: runtime.clock, ...(append && { append }) }));
  const opened = stack.move();
  return { files, logs, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
