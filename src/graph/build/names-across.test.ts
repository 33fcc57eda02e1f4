import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DecidedNode } from './decided.ts';
import { namesAcross } from './names-across.ts';

/** The facts of a paper that names these nodes and writes out these short forms, as "SHORT = long". */
function facts(names: readonly string[], forms: readonly string[] = []): string {
  const edges = [
    ...names.map((target) => ({ source: '@work', kind: 'names', target, evidence: {} })),
    ...forms.map((form) => {
      const [short, long] = form.split(' = ');
      return { source: '@work', kind: 'defines', target: 'term:text:x', evidence: { detail: { short, long } } };
    }),
  ];
  return JSON.stringify({ contribution: { edges } });
}

function merged(papers: readonly string[], decided: readonly DecidedNode[] = []): readonly string[] {
  const across = namesAcross(decided);
  for (const paper of papers) across.add(paper);
  return (across.merges()?.edges ?? []).map(({ source, target }) => `${source} = ${target}`);
}

const WRITTEN = facts(['disease:name:chronic kidney disease'], ['CKD = chronic kidney disease']);
const SHORT = facts(['disease:name:ckd']);

test('a short form that other papers write out is what they say', () => {
  assert.deepEqual(merged([WRITTEN, SHORT]), ['disease:name:ckd = disease:name:chronic kidney disease']);
  assert.deepEqual(merged([SHORT, WRITTEN]), merged([WRITTEN, SHORT]));
});

test('a short form with two meanings, of another kind, of two letters, or decided by somebody stays apart', () => {
  assert.deepEqual(merged([WRITTEN, SHORT, facts([], ['CKD = cracked knee disorder'])]), []);
  assert.deepEqual(merged([WRITTEN, facts(['gene:name:ckd'])]), []);
  assert.deepEqual(merged([facts(['gene:name:il1', 'gene:name:il2'], ['IL-2 = IL-1'])]), []);
  const two = facts(['disease:name:diabetes mellitus'], ['DM = diabetes mellitus']);
  assert.deepEqual(merged([two, facts(['disease:name:dm'])]), []);
  assert.equal(merged([two, two, two, facts(['disease:name:dm'])]).length, 1);
  assert.deepEqual(merged([WRITTEN, SHORT], [{ node: 'disease:name:ckd', of: '', name: 'CKD', at: '' }]), []);
});

test('the short form of a species is the only one of the corpus with these letters', () => {
  const short = facts(['organism:name:s aureus']);
  const full = facts(['organism:name:staphylococcus aureus']);
  assert.deepEqual(merged([short, full]), ['organism:name:s aureus = organism:name:staphylococcus aureus']);
  assert.deepEqual(merged([short, full, facts(['organism:name:stenus aureus'])]), []);
});
