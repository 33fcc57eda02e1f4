import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PASSES } from './passes.ts';

test('each pass reads only what passes before it have given, and has a name and a job of its own', () => {
  const given = new Set<string>(['contents', 'outline', 'information']);
  for (const { name, job, needs, gives } of PASSES) {
    for (const need of needs) assert.ok(given.has(need), `${name} needs ${need}, which no pass before it gives`);
    for (const each of gives) given.add(each);
    assert.ok(job.length > 10);
  }
  assert.equal(new Set(PASSES.map(({ name }) => name)).size, PASSES.length);
  assert.ok(given.has('drafts'));
});
