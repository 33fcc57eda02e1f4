import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ManifestRow } from './manifest-row.ts';
import { ResolverAccount } from './resolver-account.ts';

test('counts per resolver: queries, answers, plans, saved files, rejections by reason, and unsaved works with a plan', () => {
  const account = new ResolverAccount();
  const row = (more: object): void =>
    account.add({
      asked: ['arxiv', 'core'],
      attempts: [],
      problems: [],
      resolver: null,
      ...more,
    } as unknown as ManifestRow);
  row({
    outcome: 'saved',
    resolver: 'core',
    attempts: [
      { resolver: 'arxiv', reason: 'not-found' },
      { resolver: 'core', reason: 'success' },
    ],
  });
  row({
    outcome: 'skipped',
    attempts: [{ resolver: 'arxiv', reason: 'bot-wall' }],
    problems: [{ resolver: 'core', message: 'not-json: <' }],
  });
  row({ outcome: 'skipped', problems: [{ resolver: 'core', message: 'not-json: {' }] });
  assert.deepEqual(account.lines, {
    arxiv: {
      asked: 3,
      answered: 3,
      plans: 2,
      kept: 0,
      refused: { 'not-found': 1, 'bot-wall': 1 },
      would_have_given: 1,
    },
    core: { asked: 3, answered: 1, plans: 1, kept: 1, refused: {}, would_have_given: 0 },
  });
  assert.deepEqual(account.problems, { core: { works: 2, first: 'not-json: <' } });
});
