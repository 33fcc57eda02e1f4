import { join } from 'node:path';

import { dumpOf } from './corpus-logs.ts';
import { CorpusStore, removeStore } from '../../src/database/corpus-store.ts';

/** The rows of a database that is removed and built again from the logs of its folder. */
export function rebuilt(folder: string): string {
  removeStore(folder);
  using store = CorpusStore.open(folder);
  store.ingest();
  return dumpOf(store);
}

/** The path of a log in a run folder. */
export function pathOf(folder: string, log: string): string {
  return log.startsWith('docparse') ? join(folder, 'Data', 'Manifests', log) : join(folder, log);
}
