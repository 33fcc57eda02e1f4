import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Answer } from '../../ask/index.ts';
import type { Session } from '../session.ts';
import { printAnswer } from './ask.ts';

test('what is to be known of an answer is warned of', () => {
  const warnings: string[] = [];
  const session = { terminal: { print: () => {} }, json: false, warn: (message: string) => warnings.push(message) };
  const none = {
    sentences: [],
    nearest: [],
    disagreements: [],
    uncertain: [],
    passages: [],
    searches: [],
    dropped: {},
    cut: false,
    failure: null,
  };
  for (const note of ['read by its words', null])
    printAnswer(
      { question: 'Wie viele?', model: null, note, ...none } as unknown as Answer,
      'text',
      session as unknown as Session,
    );
  assert.deepEqual(warnings, ['read by its words']);
});

test('a row of a table is printed with its columns, and its table once', () => {
  const printed: string[] = [];
  const session = {
    terminal: { print: (text: string) => printed.push(text), style: (_name: string, text: string) => text },
    json: false,
    info: () => {},
    warn: () => {},
  };
  const row = {
    table: 'Table 1: Doses',
    group: null,
    row: 'Drug',
    cells: [{ column: 'Dose', value: '20', unit: 'mg' }],
  };
  const quote = {
    text: 'Drug | 20',
    title: 'A trial',
    document: 'd',
    page: 2,
    link: null,
    row,
    cites: null,
    unread: 0,
    work: null,
  };
  const sentences = [{ text: 'Table 1: Doses | Drug; Dose: 20', fit: 1, quotes: [quote] }];
  const none = { disagreements: [], uncertain: [], passages: [], searches: [], dropped: {}, cut: false };
  printAnswer(
    { question: 'Which dose?', model: null, note: null, failure: null, sentences, ...none } as unknown as Answer,
    'text',
    session as unknown as Session,
  );
  assert.deepEqual(printed[0]?.trimEnd().split('\n'), ['Drug; Dose: 20', '    A trial, page 2, Table 1: Doses']);
});
