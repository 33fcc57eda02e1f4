import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Answer } from '../../ask/index.ts';
import type { Session } from '../session.ts';
import { printAnswer } from './ask.ts';

test('a question in another language is answered with a word on what the reader has learnt', () => {
  const warned = (question: string): readonly string[] => {
    const warnings: string[] = [];
    const said: Pick<Answer, 'model' | 'failure' | 'cut' | 'searches' | 'dropped' | 'sentences' | 'passages'> = {
      model: null,
      failure: null,
      cut: false,
      searches: [],
      dropped: {},
      sentences: [],
      passages: [],
    };
    const session = { terminal: { print: () => {} }, json: false, warn: (message: string) => warnings.push(message) };
    printAnswer({ ...said, question } as unknown as Answer, 'text', session as unknown as Session);
    return warnings;
  };
  const [warning = '', ...others] = warned(
    'Wie viele Patienten sind innerhalb eines Jahres nach der Operation gestorben?',
  );
  assert.match(warning, /English only/);
  assert.deepEqual(others, []);
  assert.deepEqual(warned('How many of the patients died within a year after the operation?'), []);
});
