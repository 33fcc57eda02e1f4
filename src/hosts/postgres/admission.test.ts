import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { systemClock } from '../../base/index.ts';
import { describeAdmission } from '../../testing/index.ts';
import type { TestPostgres } from '../../../test/postgres.ts';
import { startPostgres } from '../../../test/postgres.ts';
import type { HostReport } from '../host-report.ts';
import { HostTable } from '../host-table.ts';
import { openPostgresAdmission } from './admission.ts';
import { readSharedHosts } from './shared-hosts.ts';

let server: TestPostgres | undefined;
let schemas = 0;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
});

test('whoever only looks sees holds, places and turns of the fleet, and is not counted as one of it', async () => {
  const table = new HostTable({ perHost: { perSecond: 0.002, concurrency: 3 } });
  const place = { url: server?.url ?? '', schema: `looked_${process.pid}`, table };
  assert.deepEqual(await readSharedHosts(place), [], 'nobody has shared anything yet');
  await using admission = await openPostgresAdmission(place);
  const turn = await admission.acquire(['busy.org'], { patienceMs: 60_000, longestLineMs: 60_000 });
  admission.observe(['slow.org'], { kind: 'answer', status: 429, retryAt: Date.now() + 3_600_000 });
  // What is told to the fleet is on its way; a look from outside is the only way to see that it has arrived.
  const seen = await until(
    () => readSharedHosts(place),
    (hosts) => hosts.some(({ slowed }) => slowed),
  );
  const at = (host: string): HostReport => seen.find(({ key }) => key === host) ?? assert.fail(host);
  assert.deepEqual([at('busy.org').inFlight, at('busy.org').cap, at('busy.org').hold], [1, 3, null]);
  assert.ok(at('busy.org').nextInMs > 0);
  assert.deepEqual([at('slow.org').hold?.reason, at('slow.org').perSecond], ['rate-limited', 0.001]);
  assert.ok((at('slow.org').hold?.forMs ?? 0) > 3_000_000);
  if (turn.kind === 'go') turn.slot[Symbol.dispose]();
});

async function until<T>(look: () => Promise<T>, isSo: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await look();
    if (isSo(found)) return found;
  }
}

describeAdmission('the authority over hosts that a fleet shares through PostgreSQL', async (options) => {
  schemas += 1;
  const admission = await openPostgresAdmission({
    ...options,
    url: server?.url ?? '',
    schema: `hosts_${process.pid}_${schemas}`,
  });
  return {
    admission,
    clock: systemClock,
    pass: (promise) => promise,
    [Symbol.asyncDispose]: () => admission[Symbol.asyncDispose](),
  };
});
