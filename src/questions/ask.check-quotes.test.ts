import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CitedHit, SearchSession } from '../corpus/index.ts';
import { checkQuotesQuestion } from './ask.ts';
import type { AskedRun } from './question.ts';

const TEXT =
  'Temozolomide alone was not sufficiently effective in the older group. Of 48 patients 12 % died within a year.';

type Reader = SearchSession['reader'];

/** A corpus with one work, or with none; its reader may judge support. */
function run(id: string, work: string | null, support?: Reader['support']): AskedRun {
  const hit = {
    rank: 1,
    link: null,
    work: null,
    passage: { id: `${id}#1`, document: work ?? '', title: 'T', headings: [], section: 'results', page: 4, text: TEXT },
  } as unknown as CitedHit;
  const session = {
    documents: ({ works }: { works: ReadonlySet<string> }) =>
      work !== null && works.has(work) ? [{ document: work, work: null, link: null }] : [],
    passagesOf: () => [hit],
    search: async () => [],
    reader: { name: 'rules', ...(support && { support }) },
  } as unknown as SearchSession;
  const corpus = { folder: '', config: { ask: { support: true }, model: { url: '', name: '' }, keys: { model: '' } } };
  return {
    id,
    corpus: corpus as unknown as AskedRun['corpus'],
    search: { use: async (ask) => await ask(session) },
    screening: () => assert.fail('not asked'),
  };
}

interface Verdict {
  readonly verdict: string;
  readonly reason: string | null;
  readonly support: string | null;
  readonly page: number | null;
}

async function check(runs: readonly AskedRun[], ...quotes: object[]): Promise<Verdict[]> {
  const { items } = await checkQuotesQuestion.ask({ quotes }, runs, new AbortController().signal);
  return items as Verdict[];
}

const QUOTE = 'was not sufficiently effective in the older group';

test('the reason for a refusal is that of the corpus that has the work, whatever the order of the corpora', async () => {
  const [other, own] = [run('other', null), run('own', 'W1')];
  for (const runs of [
    [other, own],
    [own, other],
  ]) {
    const [forged, found, unknown] = await check(
      runs,
      { quote: 'was very effective in the older group', work: 'W1' },
      { quote: QUOTE, work: 'W1' },
      { quote: QUOTE, work: 'W2' },
    );
    assert.deepEqual([forged?.verdict, forged?.reason], ['refused', 'quote-not-in-passage']);
    assert.deepEqual([found?.verdict, found?.page], ['found', 4]);
    assert.deepEqual([unknown?.verdict, unknown?.reason], ['refused', 'unknown-work']);
  }
});

test('a wrong number, a contradiction and a quote that does not bear on the sentence are refused for that', async () => {
  const support: Reader['support'] = async (pairs) =>
    pairs.map(({ sentence }) => ({
      verdict: /doubles/.test(sentence) ? 'contradicts' : /liked/.test(sentence) ? 'unrelated' : 'supports',
      probability: /doubles|liked/.test(sentence) ? 0.1 : 0.9,
    }));
  const claims = [
    { quote: QUOTE, work: 'W1', sentence: 'It doubles survival.' },
    { quote: QUOTE, work: 'W1', sentence: 'Patients liked it.' },
    { quote: QUOTE, work: 'W1', sentence: 'It was not enough for the old.' },
    { quote: 'Of 48 patients 12 % died', work: 'W1', sentence: 'Of 48 patients 12 died.' },
    { quote: QUOTE, work: 'W1' },
  ];
  const judged = await check([run('own', 'W1', support)], ...claims);
  assert.deepEqual(
    judged.map(({ verdict, reason, support: said }) => [verdict, reason, said]),
    [
      ['refused', 'contradicted', 'contradicts'],
      ['refused', 'not-supported', 'unrelated'],
      ['found', null, 'supports'],
      ['refused', 'number-not-in-quote', null],
      ['found', null, null],
    ],
  );
  const unjudged = await check([run('own', 'W1')], ...claims);
  assert.deepEqual(
    unjudged.map(({ verdict, support: said }) => [verdict, said]),
    [
      ['found', null],
      ['found', null],
      ['found', null],
      ['refused', null],
      ['found', null],
    ],
  );
});
