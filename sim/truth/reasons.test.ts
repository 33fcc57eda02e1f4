import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { RULES } from '../log/request-log.ts';
import { DEFAULT_POLICY, RESOLVERS } from './policy.ts';
import { REASONS } from './reasons.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reference', 'simulator.md'), 'utf8');

test('the reference documents every reason, rule, resolver and policy field', () => {
  for (const [word, { scope, later, sentence }] of Object.entries(REASONS))
    assert.ok(page.includes(`| \`${word}\` | ${scope} | ${later ? 'yes' : ''} | ${sentence} |`), word);
  for (const [rule, sentence] of Object.entries(RULES)) assert.ok(page.includes(`| \`${rule}\` | ${sentence} |`), rule);
  for (const resolver of RESOLVERS) assert.ok(page.includes(`\`${resolver}\``), resolver);
  for (const field of Object.keys(DEFAULT_POLICY)) assert.ok(page.includes(`"${field}":`), field);
});

test('the reference documents no unknown reason', () => {
  const documented = [...page.matchAll(/^\| `([a-z0-9-]+)` \| (?:plan|work) \|/gm)].map(([, word = '']) => word);
  assert.deepEqual(documented.sort(), Object.keys(REASONS).sort());
});
