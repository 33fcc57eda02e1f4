import { after } from 'node:test';

import { startPostgres } from '../../../test/postgres.ts';
import { systemClock } from '../../base/index.ts';
import { describeQueueStore } from '../../testing/index.ts';
import { PostgresStore } from './store.ts';

const server = await startPostgres();
after(() => server[Symbol.asyncDispose]());
let schemas = 0;

describeQueueStore('PostgreSQL', () =>
  PostgresStore.open({
    url: server.url,
    schema: `conformance_${process.pid}_${(schemas += 1)}`,
    clock: systemClock,
    leaseClock: 'caller',
  }),
);
