import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

import { systemClock } from '../../base/index.ts';
import { describeQueueStore } from '../../testing/index.ts';
import { SqliteStore } from './store.ts';

const folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-queue-'));
after(() => folder.remove());
let files = 0;

describeQueueStore('SQLite', () =>
  SqliteStore.open({ path: join(folder.path, `queue-${(files += 1)}.sqlite`), clock: systemClock }),
);
