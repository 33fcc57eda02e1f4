import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { AskedRun } from './question.ts';
import { searchQuestion } from './search.ts';

test('a search says how many works it left out because screening excluded them', async () => {
  const session = { search: async () => [], mode: 'lexical', passages: 90, worksScreenedOut: 2 };
  const run = {
    id: 'reefs',
    corpus: { chooseWorks: (text: string | undefined) => text },
    search: { use: async (ask: (of: unknown) => unknown) => await ask(session) },
  } as unknown as AskedRun;
  const ask = async (works?: string) =>
    await searchQuestion.ask({ question: 'heat', top: 10, works }, [run], new AbortController().signal);
  const head = { question: 'heat', searched_by: 'words', passages_searched: 90 };
  const { summary, ...found } = await ask();
  assert.deepEqual(found.head, { ...head, works_screened_out: 2 });
  assert.match(summary, /Without 2 works that screening excluded\./);
  const chosen = await ask('excluded');
  assert.deepEqual(chosen.head, { ...head, works_screened_out: 0 });
  assert.doesNotMatch(chosen.summary, /Without/);
});
