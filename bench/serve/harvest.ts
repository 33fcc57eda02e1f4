import { join } from 'node:path';

import { systemClock } from '../../src/base/index.ts';
import { ManifestFolder } from '../../src/harvest/index.ts';
import { openStore, WorkQueue } from '../../src/queue/index.ts';
import { rowOf } from './corpus.ts';

// What a harvest writes, and nothing else: rows into the manifest, jobs put in, leased and settled. Tells its processor seconds.
const [folder = '', name = '', works = '0'] = process.argv.slice(2);
const before = process.cpuUsage();
{
  await using queue = new WorkQueue(await openStore(join(folder, 'state', 'workqueue.sqlite')));
  await using manifest = await ManifestFolder.open({ folder, runId: name, clock: systemClock });
  for (let number = 0; number < Number(works); number += 50) {
    const ids = Array.from({ length: 50 }, (_, at) => `${name}-${number + at}`);
    await queue.bulkImport(ids.map((artifactId) => ({ artifactId, artifact: {}, priority: 1_000 })));
    const leased = await queue.lease(name, 50);
    await Promise.all(ids.map((id, at) => manifest.write({ ...rowOf(number + at), work: id })));
    await Promise.all(leased.map((job) => queue.ack(job)));
  }
}
const { user, system } = process.cpuUsage(before);
process.stdout.write(String((user + system) / 1e6));
