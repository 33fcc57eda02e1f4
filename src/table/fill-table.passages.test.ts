import assert from 'node:assert/strict';
import { test } from 'node:test';

import { citedHit } from '../../test/support/cited-hit.ts';
import type { CitedHit } from '../corpus/index.ts';
import { checkedColumns, parseColumns } from './columns.ts';
import { passagesFor, sharedOut } from './fill-table.ts';

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

test('a model gets the whole paper if it fits, else also the passages that rules would fill cells from', () => {
  const software = hit('All analyses were performed using SPSS version 11.0.1 (SPSS Inc., Chicago, IL).', 'methods', ['Methods', 'Statistical analysis']); // prettier-ignore
  const others = Array.from({ length: 40 }, (_, at) =>
    hit(`Number ${at}. ${'Corals were heated in tanks. '.repeat(9)}`),
  );
  const references = hit('Somebody, S. (2001). Something.', 'references');
  const passages = [...others, software, references];
  const open = checkedColumns(parseColumns('columns: [software]', 'test'), 'test');
  const given = (contextTokens: number): readonly CitedHit[] =>
    passagesFor(open, {
      paper: { facts: undefined, passages },
      found: new Map(open.map((column) => [column, others.slice(0, 6)])),
      contextTokens,
    });
  assert.deepEqual(given(100_000), [...others, software]);
  const few = given(3_000);
  assert.ok(few.length < 10 && few.includes(software));
});
