import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Answer } from '../../ask/index.ts';
import type { Session } from '../session.ts';
import { printAnswer } from './ask.ts';

test('what is to be known of an answer is warned of', () => {
  const warnings: string[] = [];
  const session = { terminal: { print: () => {} }, json: false, warn: (message: string) => warnings.push(message) };
  const none = { sentences: [], passages: [], searches: [], dropped: {}, cut: false, failure: null };
  for (const note of ['read by its words', null])
    printAnswer(
      { question: 'Wie viele?', model: null, note, ...none } as unknown as Answer,
      'text',
      session as unknown as Session,
    );
  assert.deepEqual(warnings, ['read by its words']);
});
