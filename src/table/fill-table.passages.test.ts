import assert from 'node:assert/strict';
import { test } from 'node:test';

import { citedHit } from '../../test/support/cited-hit.ts';
import type { CitedHit } from '../corpus/index.ts';
import { sharedOut } from './fill-table.ts';

function hit(text: string, section: CitedHit['passage']['section'] = 'results', headings: string[] = []): CitedHit {
  return citedHit('d', text, { id: `d#${text.slice(0, 12)}`, section, headings, page: 2 });
}

test('each column has its share of the passages, and the abstract is always there', () => {
  const list = (name: string): CitedHit[] => Array.from({ length: 6 }, (_, at) => hit(`${name}${at} is a passage.`));
  const lists = Array.from('abcdefgh', list);
  const abstract = hit('Abstract of the paper', 'abstract');
  const chosen = sharedOut(lists, [abstract], 100_000);
  assert.equal(chosen.length, 24);
  assert.equal(chosen[0], abstract);
  for (const own of lists) assert.ok(own.filter((each) => chosen.includes(each)).length >= 2);
  const few = sharedOut(lists, [abstract], 1_024);
  assert.ok(few.length < 24 && few.includes(abstract));
});
