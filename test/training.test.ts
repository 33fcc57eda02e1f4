import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { evidenceHash, QUESTIONS, readQuestions, writtenQuestion } from '../training/reader/questions.ts';

test('every written question has its fields, none of them long, and evidence by hashes only', () => {
  const questions = readQuestions(QUESTIONS);
  assert.ok(questions.length > 7_000, `${questions.length}`);
  for (const question of questions)
    for (const [name, value] of Object.entries(question))
      for (const text of [value ?? []].flat()) assert.ok(text.length <= 400, `${question.paper}: ${name}`);
  const lines = readFileSync(QUESTIONS, 'utf8').trimEnd().split('\n');
  assert.equal(new Set(lines).size, lines.length, 'a line occurs twice');
});

test('papers that are left out to measure with have questions', () => {
  const leftOut = JSON.parse(readFileSync(join(QUESTIONS, '..', 'left-out.json'), 'utf8')) as string[];
  const asked = new Set(readQuestions(QUESTIONS).map(({ paper }) => paper));
  assert.deepEqual(
    [...new Set(leftOut)].filter((paper) => asked.has(paper)),
    leftOut,
  );
});

test('a line with a long field, an unknown field or a quote as evidence is refused', () => {
  const line = {
    paper: 'p',
    column: 'Country',
    question: 'Where was it done?',
    type: 'text',
    evidence: ['0123456789ab'],
  };
  assert.deepEqual(writtenQuestion.parse(line), line);
  for (const changed of [{ question: 'x'.repeat(401) }, { quote: 'In Peru.' }, { evidence: ['It was done in Peru.'] }])
    assert.equal(writtenQuestion.safeParse({ ...line, ...changed }).success, false, JSON.stringify(changed));
});

test('evidence is the same whatever the spacing, hyphens, ligatures and capitals', () => {
  assert.equal(evidenceHash('Eﬃcient larvae died (40 h).'), evidenceHash('efficient  lar-\nvae died: 40h'));
  assert.notEqual(evidenceHash('Larvae died after 40 h.'), evidenceHash('Larvae died after 41 h.'));
});
