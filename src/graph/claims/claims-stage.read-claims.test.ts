import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkClaims } from './claims-stage.ts';

const PASSAGE =
  'Warm water bleached corals within 12 days. In the control tank at 24.50 °C, 1,200 polyps were counted and none was pale.';

function claim(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    statement: 'Warm water bleaches corals in 12 days.',
    quote: 'Warm water bleached corals within 12 days',
    subject: 'warm water',
    relation: 'causes',
    object: 'bleaching',
    ...more,
  };
}

const response = (...claims: unknown[]): string => JSON.stringify({ claims });

test('a claim is stored with the offsets of its quote in the passage', () => {
  const checked = checkClaims(response(claim()), PASSAGE);
  assert.deepEqual(checked?.dropped, {});
  assert.deepEqual(
    checked?.claims.map(({ start, end }) => PASSAGE.slice(start, end)),
    ['Warm water bleached corals within 12 days'],
  );
});

test('invented claims are dropped and counted by reason', () => {
  const checked = checkClaims(
    response(
      claim(),
      claim(),
      claim({ quote: 'Warm water bleached all corals within 12 days' }),
      claim({ quote: 'warm Water bleached corals within 12 days' }),
      claim({ statement: 'Warm water bleaches corals in 13 days.' }),
      claim({ object: '40 % bleaching' }),
      claim({ quote: 'In the control tank at 24.50 °C, 1,200 polyps', statement: '1200 polyps lived at 24.5 °C.' }),
      claim({ quote: 'Warm water' }),
      claim({ relation: 'believes' }),
      claim({ statement: 7 }),
      claim({ statement: 'x'.repeat(601) }),
      'a text',
      null,
    ),
    PASSAGE,
  );
  assert.equal(checked?.claims.length, 2);
  assert.deepEqual(checked.dropped, {
    repeated: 1,
    'quote-not-in-passage': 2,
    'number-not-in-quote': 2,
    malformed: 6,
  });
  assert.deepEqual(checkClaims(response(...Array.from({ length: 100 }, () => null)), PASSAGE)?.dropped, {
    malformed: 100,
  });
});

test('reasoning before a response and a code fence around it are ignored; anything else is unreadable', () => {
  const whole = response(claim());
  for (const content of [`<think>hm {"claims": []}</think>\n${whole}`, `\`\`\`json\n${whole}\n\`\`\``, ` ${whole}\n`])
    assert.equal(checkClaims(content, PASSAGE)?.claims.length, 1, content);
  for (const content of ['', 'I am sorry', whole.slice(0, -3), '[]', '{"claims": {}}', 'null', '7'])
    assert.equal(checkClaims(content, PASSAGE), undefined, content);
});
