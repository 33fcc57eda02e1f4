import { systemClock } from '../../src/base/index.ts';
import type { QueueStore, StoreOptions } from '../../src/queue/index.ts';
import { openStore } from '../../src/queue/index.ts';

/** A queue as it comes, apart from where it is. */
export function openBenchStore(where: Partial<StoreOptions> & Pick<StoreOptions, 'backend'>): Promise<QueueStore> {
  return openStore({
    walMode: true,
    timeoutMs: 10_000,
    path: '',
    url: '',
    schema: 'docstokg',
    durability: 'enqueue',
    clock: systemClock,
    ...where,
  });
}
