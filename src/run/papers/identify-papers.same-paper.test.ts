import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { WorkRecord } from '../../works/index.ts';
import { emptyRecord, parsePersonName } from '../../works/index.ts';
import { isSamePaper } from './identify-papers.ts';

function record(title: string, ...names: string[]): WorkRecord {
  const authors = names.map((name) => ({ ...parsePersonName(name), orcid: null, institutions: [] }));
  return { ...emptyRecord('doi:10.5555/1'), title, authors };
}

const TITLE = 'Recovery of coral reefs where fishing is banned';
const BODY = 'We counted corals on forty reefs for a decade and tell what became of them. '.repeat(4);

test('the titles of a paper and of the work whose id it contains must agree', () => {
  const face = { title: TITLE, authors: [], head: `${TITLE}\nAda Stone\n${BODY}` };
  assert.ok(isSamePaper(face, record('Recovery of Coral Reefs Where Fishing Is Banned', 'Ada Stone')));
  assert.ok(isSamePaper(face, record(`${TITLE}: a decade of counts`, 'Ada Stone')), 'with a subtitle');
  assert.ok(!isSamePaper(face, record('Bleaching of corals in warm summers', 'Ada Stone')), 'a work it cites');
  assert.ok(!isSamePaper(face, record('', 'Ada Stone')));
});

test('a correction is not the work that it corrects, though it contains its title and authors', () => {
  const face = {
    title: `Correction to: ${TITLE}`,
    authors: ['Ada Stone'],
    head: `Correction to: ${TITLE}\nAda Stone\n${BODY}`,
  };
  assert.ok(!isSamePaper(face, record(TITLE, 'Ada Stone')));
  assert.ok(isSamePaper(face, record(`Correction to: ${TITLE}`, 'Ada Stone')));
});

test('if another line was taken for the title, title and author at the head of the text decide', () => {
  const face = {
    title: 'Research Article',
    authors: [],
    head: `Research Article\n${TITLE}\nAda Stone and Bo Hill\n${BODY}`,
  };
  assert.ok(isSamePaper(face, record(TITLE, 'A. Stone')));
  assert.ok(!isSamePaper(face, record(TITLE, 'C. Field')), 'other authors');
  assert.ok(!isSamePaper(face, record(TITLE)), 'none are known');
});

test('a short title proves nothing without an author', () => {
  const face = { title: 'Introduction', authors: ['Ada Stone'], head: `Introduction\nAda Stone\n${BODY}` };
  assert.ok(isSamePaper(face, record('Introduction', 'Ada Stone')));
  assert.ok(!isSamePaper(face, record('Introduction', 'Bo Hill')));
});
