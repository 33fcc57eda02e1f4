import assert from 'node:assert/strict';
import { test } from 'node:test';

import { drawnPage } from '../../../../../test/support/drawn-page.ts';
import type { Draft } from '../draft.ts';
import { textOf } from '../draft.ts';
import { begin, PASSES } from '../layout.ts';
import type { RoleScores } from './line-roles.ts';
import { splitReferences } from './reference.ts';

/** The paragraphs of a page, before anything is known of them. */
function paragraphsOf(page: string): Draft[] {
  let found = begin([drawnPage(page)], [], '');
  for (const pass of PASSES) {
    found = { ...found, ...pass.run(found) };
    if (pass.name === 'paragraphs') return found.drafts;
  }
  throw new RangeError('no pass cuts paragraphs');
}

const SURE = 3;

/** Lines that match are in the role, others are not. */
function scoresBy(patterns: Readonly<Partial<Record<Parameters<RoleScores>[1], RegExp>>>): RoleScores {
  return ({ text }, role) => (patterns[role]?.test(text) === true ? SURE : -SURE);
}

test('a list of references without heading and labels is found by the look of its lines', () => {
  const drafts = paragraphsOf(`
ducks swim on every pond that is there and eat what they find
and look for weeds in the shallow water others do not come to

Bird A, Fish C. Ducks of the north. J Ponds 2001, 3, 14-18 and
more about them.
Cow E. Geese and their meadows. J Ponds 2004, 7, 1-8 with maps
of all of them.
Dog F. Herons. J Ponds 2008, 9, 1-8.
Eel G. Storks and other birds. J Ponds 2009, 10, 11-18.
Fox H. Swans. J Ponds 2010, 11, 21-28.
`);
  const isEntry = /^(?:Bird|Cow|Dog|Eel|Fox)\b/u;
  const found = splitReferences(drafts, () => scoresBy({ reference: /Ponds 20|^more|^of all/u, start: isEntry }));
  const entries = found.filter(({ kind }) => kind === 'reference').map((draft) => textOf(draft).split(' ')[0]);
  assert.deepEqual(entries, ['Bird', 'Cow', 'Dog', 'Eel', 'Fox']);
});

test('a list that the rules find is left to them', () => {
  const drafts = paragraphsOf(`
[1] Bird A. Ducks. J Ponds 2001.
[2] Cow E. Geese. J Ponds 2004.
[3] Dog F. Herons. J Ponds 2008.
[4] Eel G. Storks. J Ponds 2009.
[5] Fox H. Swans. J Ponds 2010.
[6] Gnu I. Terns. J Ponds 2011.
[7] Hen J. Crows. J Ponds 2012.
`);
  const found = splitReferences(drafts, () => scoresBy({ reference: /2004/u }));
  assert.equal(found.filter(({ kind }) => kind === 'reference').length, 7);
});
