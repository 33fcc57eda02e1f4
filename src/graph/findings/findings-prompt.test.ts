import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkFindings } from './findings-prompt.ts';

const SECTION =
  'Warm water bleached corals within 12 days. In the control tank at 24.50 °C, 1,200 polyps were counted and none was pale.';

function finding(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    statement: 'Warm water bleaches corals in 12 days.',
    quote: 'Warm water bleached corals within 12 days',
    subject: 'warm water',
    relation: 'increases',
    object: 'bleaching',
    ...more,
  };
}

const response = (...findings: unknown[]): string => JSON.stringify({ findings });

test('a finding is stored with the offsets of its quote in the section', () => {
  const checked = checkFindings(response(finding()), SECTION);
  assert.deepEqual(checked?.dropped, {});
  assert.deepEqual(
    checked?.findings.map(({ start, end }) => SECTION.slice(start, end)),
    ['Warm water bleached corals within 12 days'],
  );
});

test('invented findings are dropped and counted by reason', () => {
  const checked = checkFindings(
    response(
      finding(),
      finding(),
      finding({ quote: 'Warm water bleached all corals within 12 days' }),
      finding({ quote: 'warm Water bleached corals within 12 days' }),
      finding({ statement: 'Warm water bleaches corals in 13 days.' }),
      finding({ object: '40 % bleaching' }),
      finding({ quote: 'In the control tank at 24.50 °C, 1,200 polyps', statement: '1200 polyps lived at 24.5 °C.' }),
      finding({ quote: 'Warm water' }),
      finding({ relation: 'believes' }),
      finding({ statement: 7 }),
      finding({ statement: 'x'.repeat(801) }),
      'a text',
      null,
    ),
    SECTION,
  );
  assert.equal(checked?.findings.length, 2);
  assert.deepEqual(checked.dropped, {
    repeated: 1,
    'quote-not-in-section': 2,
    'number-not-in-quote': 2,
    malformed: 6,
  });
  assert.deepEqual(checkFindings(response(...Array.from({ length: 100 }, () => null)), SECTION)?.dropped, {
    malformed: 100,
  });
});

test('reasoning before a response and a code fence around it are ignored; anything else is unreadable', () => {
  const whole = response(finding());
  for (const content of [`<think>hm {"findings": []}</think>\n${whole}`, `\`\`\`json\n${whole}\n\`\`\``, ` ${whole}\n`])
    assert.equal(checkFindings(content, SECTION)?.findings.length, 1, content);
  for (const content of ['', 'I am sorry', whole.slice(0, -3), '[]', '{"findings": {}}', 'null', '7'])
    assert.equal(checkFindings(content, SECTION), undefined, content);
});
