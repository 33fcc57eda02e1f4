import { after, before } from 'node:test';

import { systemClock } from '../../base/index.ts';
import { describeAdmission } from '../../testing/index.ts';
import type { TestPostgres } from '../../../test/postgres.ts';
import { startPostgres } from '../../../test/postgres.ts';
import { openPostgresAdmission } from './admission.ts';

let server: TestPostgres | undefined;
let schemas = 0;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
});

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
