import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Asking } from '../run/index.ts';
import { HeldClock, loopbackClient, openLoopback, Wire } from '../testing/index.ts';
import { crossrefCatalogue, openAlexDirectory } from './corpus-graph.ts';

const names = Array.from({ length: 150 }, (_, at) => `Author ${at}`);

test('at most 30 authors of a cited work are stored from OpenAlex, and 100 from Crossref', async () => {
  const clock = new HeldClock();
  const wire = new Wire(clock);
  await using server = await openLoopback((_request, response) => {
    const authorships = names.map((name) => ({ author: { display_name: name } }));
    const results = [{ id: 'https://openalex.org/W1', doi: null, title: 'Corals', locations: [], authorships }];
    response.end(JSON.stringify({ meta: { count: 1, next_cursor: null }, results }));
  });
  await using client = loopbackClient(server, { clock, report: wire.report });
  const services = { base: () => new URL('http://api.openalex.test/'), credentials: () => [] };
  const directory = openAlexDirectory({
    send: client.send,
    contact: 'a@example.org',
    services: services as unknown as Asking['services'],
  });
  const { signal } = new AbortController();
  const { result: answer } = await wire.settle(directory.ask(['W1'], signal));
  assert.ok(answer.kind === 'answered');
  const known = answer.works.get('W1');
  assert.deepEqual(known?.kind === 'known' && known.authors, names.slice(0, 30));

  const candidate = { doi: '10.1/x', title: 'Corals', authors: names, year: 2020, venue: null, score: 1 };
  const crossref = crossrefCatalogue({ byTitle: async () => ({ kind: 'found', candidate }) as never });
  const found = await crossref.ask({} as never, signal);
  assert.ok(found.kind === 'found');
  assert.equal(found.authors.length, 100);
});
