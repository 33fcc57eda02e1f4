import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CitedWork } from '../works/index.ts';
import type { Candidate } from './match-title.ts';
import { chooseCandidate, scoreCandidate } from './match-title.ts';

const LIMITS = { accept: 0.9, review: 0.6 };

const cited = (title: string, more: Partial<CitedWork> = {}): CitedWork => ({
  title,
  authors: ['Berg', 'Liu'],
  year: 2020,
  text: title,
  ...more,
});
const candidate = (title: string, more: Partial<Candidate> = {}): Candidate => ({
  doi: '10.5555/one',
  title,
  authors: ['Berg', 'Liu', 'Okafor'],
  year: 2020,
  venue: 'Reef Studies',
  type: 'article',
  ...more,
});
const TITLE = 'Coral bleaching under repeated marine heat waves in the southern lagoon';

test('the same title and authors match, despite accents, case, punctuation and the year', () => {
  const variants = [
    candidate(TITLE.toUpperCase()),
    candidate(`${TITLE}.`, { year: 2021 }),
    candidate(`${TITLE}: a field study`),
    candidate(TITLE.replace('under', 'during')),
    candidate(TITLE, { authors: ['Bèrg'] }),
  ];
  for (const each of variants) assert.equal(chooseCandidate(cited(TITLE), [each], LIMITS).kind, 'accepted', each.title);
});

test('a correction, another part, other authors and reordered words do not match', () => {
  const others = [
    candidate(`Correction to: ${TITLE}`),
    candidate(`Comment on "${TITLE}"`),
    candidate(`${TITLE}, part 2`, { year: 2012 }),
    candidate(TITLE, { authors: ['Schmidt', 'Rossi'] }),
    candidate('Lagoon heat waves in repeated coral marine bleaching under the southern'),
    candidate('A theory of inflation in open economies'),
  ];
  for (const each of others)
    assert.notEqual(chooseCandidate(cited(TITLE), [each], LIMITS).kind, 'accepted', each.title);
  assert.equal(
    chooseCandidate(cited(TITLE), [candidate('A theory of inflation', { authors: ['X'] })], LIMITS).kind,
    'none',
  );
});

test('a short title without authors proves nothing, and ambiguous matches need review', () => {
  const alone = { authors: [], year: null };
  assert.equal(chooseCandidate(cited('Introduction', alone), [candidate('Introduction')], LIMITS).kind, 'doubtful');
  assert.equal(chooseCandidate(cited('Introduction'), [candidate('Introduction')], LIMITS).kind, 'accepted');
  const twins = [candidate(TITLE), candidate(TITLE, { doi: '10.5555/two', authors: ['Rossi'] })];
  assert.equal(chooseCandidate(cited(TITLE, alone), twins, LIMITS).kind, 'doubtful');
  assert.equal(chooseCandidate(cited(TITLE), twins, LIMITS).kind, 'accepted');
});

test('a candidate found twice is not ambiguous with itself', () => {
  const twice = [candidate(TITLE, { authors: [] }), candidate(TITLE, { authors: [] })];
  assert.equal(chooseCandidate(cited(TITLE, { authors: [] }), twice, LIMITS).kind, 'accepted');
});

test('of a preprint and its article, the article is chosen', () => {
  const posted = candidate(TITLE, { doi: '10.1101/1', type: 'preprint' });
  const verdict = chooseCandidate(cited(TITLE), [posted, candidate(TITLE)], LIMITS);
  assert.equal(verdict.kind === 'accepted' && verdict.candidate.doi, '10.5555/one');
});

test('a line of text matches a work whose title and first author it contains', () => {
  const line = (text: string): CitedWork => ({ title: null, authors: [], year: null, text });
  const full = `3. A. Berg, W. Liu, "${TITLE}," Reef Studies, vol. 3, pp. 1–9, 2020.`;
  assert.equal(chooseCandidate(line(full), [candidate(TITLE)], LIMITS).kind, 'accepted');
  assert.equal(
    chooseCandidate(line(full.replace('Berg', 'Rossi').replace('Liu', 'X')), [candidate(TITLE)], LIMITS).kind,
    'doubtful',
  );
  assert.equal(chooseCandidate(line('A. Berg, Reef Studies 3, 1 (2020)'), [candidate(TITLE)], LIMITS).kind, 'none');
  assert.ok(scoreCandidate(line(full.replace('2020', '1998')), candidate(TITLE)).score < 1);
});

test('a line that is only a title, with year and venue or without, is no line with other authors', () => {
  const line = (text: string): CitedWork => ({ title: null, authors: [], year: null, text });
  for (const text of [
    TITLE,
    `12) ${TITLE}.`,
    `${TITLE} (2020)`,
    `"${TITLE}", Reef Studies, vol. 3, 2020`,
    `${TITLE} [pdf]`,
    TITLE.toLowerCase(),
  ])
    assert.equal(chooseCandidate(line(text), [candidate(TITLE)], LIMITS).kind, 'accepted', text);
  for (const text of [
    `Rossi M. ${TITLE}. 2020`,
    `rossi, schmidt and okoro: ${TITLE.toLowerCase()}`,
    `${TITLE} in Ecuador`,
    `Comment on ${TITLE}`,
    `${TITLE}, part 2`,
    `${TITLE} (1998)`,
  ])
    assert.notEqual(chooseCandidate(line(text), [candidate(TITLE)], LIMITS).kind, 'accepted', text);
  const short = chooseCandidate(line('On coral reefs'), [candidate('On coral reefs')], LIMITS);
  assert.equal(short.kind, 'doubtful', 'three words are in too many titles');
});

test('a title alone fits a preprint and its article, which have the same authors, but not two works of others', () => {
  const line: CitedWork = { title: null, authors: [], year: null, text: TITLE };
  const posted = candidate(TITLE, { doi: '10.1101/1', type: 'preprint', year: 2019 });
  const chosen = chooseCandidate(line, [posted, candidate(TITLE)], LIMITS);
  assert.equal(chosen.kind === 'accepted' && chosen.candidate.doi, '10.5555/one');
  const other = candidate(TITLE, { doi: '10.5555/two', authors: ['Rossi'] });
  assert.equal(chooseCandidate(line, [other, candidate(TITLE)], LIMITS).kind, 'doubtful');
});
