import { join } from 'node:path';

import type { Config } from '../config/index.ts';
import type { Journal } from '../journal/index.ts';
import { FolderJournal, LogFolder, openPostgresJournal } from '../journal/index.ts';
import type { Runtime } from './queue/open-queue.ts';

/** The logs of a run: on the server of its fleet, or in its folder. */
export async function openJournal({ queue, download, parse }: Config, { clock, log }: Runtime): Promise<Journal> {
  const logs = new LogFolder(download.out, join(parse.data_root, 'Manifests'));
  if (!queue.fleet) return new FolderJournal(logs, { clock, rotateBytes: download.rotate_bytes });
  return await openPostgresJournal(logs, {
    url: queue.url,
    schema: queue.schema,
    pooler: queue.pooler,
    timeoutMs: queue.timeout_sec * 1000,
    clock,
    report: (event) =>
      event.kind === 'queue-unreachable' && log('warn', `the fleet server is unreachable (${event.message})`),
  });
}
