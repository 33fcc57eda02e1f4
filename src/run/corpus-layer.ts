import { join } from 'node:path';

import type { Layer } from '../config/index.ts';

/** Settings that put all parts of a corpus into one folder: files, queue and data. */
export function corpusLayer(folder: string, origin: string): Layer {
  return [
    { path: ['download', 'out'], value: folder, origin },
    { path: ['queue', 'path'], value: join(folder, 'state', 'workqueue.sqlite'), origin },
    { path: ['parse', 'data_root'], value: join(folder, 'Data'), origin },
  ];
}
