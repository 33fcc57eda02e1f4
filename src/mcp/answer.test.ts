import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openTokenizer } from '../parse/index.ts';
import { packAnswer, writeCursor } from './answer.ts';

const HEADING = 'Heterogeneity of the recovery of corals at different depths';
const PARAGRAPH = 'Bleached corals recovered within a decade wherever fishing was banned and the water stayed cool. ';

async function packed(
  headings: number,
  maxTokens: number,
): Promise<{ readonly whole: string; readonly words: number }> {
  const outline = Array.from({ length: headings }, (_, at) => ({ heading: `${HEADING} ${at}`, level: 2, page: at }));
  const draft = {
    head: { run: 'reefs', work: 'W1', title: 'Corals', outline },
    summary: `Corals (work W1 of reefs)\nHeadings: ${outline.map(({ heading }) => heading).join(' · ')}`,
    list: 'text',
    items: [{ page: 1, text: PARAGRAPH.repeat(20) }],
    text: 'text',
    line: ({ text }: Readonly<Record<string, unknown>>) => String(text),
  };
  const { structured, content } = await packAnswer(draft, {
    place: { at: 0, within: 0 },
    maxTokens,
    tokenizer: await openTokenizer('cl100k'),
    cursorAt: (place) => writeCursor(place, { work: 'W1' }),
  });
  const [first] = structured['text'] as readonly { readonly text: string }[];
  return { whole: JSON.stringify({ structured, content }), words: first?.text.split(/\s+/).length ?? 0 };
}

test('a long outline leaves room for the text, also in a short answer', async () => {
  const tokenizer = await openTokenizer('cl100k');
  for (const [headings, maxTokens, least] of [
    [60, 500, 60],
    [60, 600, 90],
    [0, 600, 120],
    [60, 2_000, 250],
  ] as const) {
    const { whole, words } = await packed(headings, maxTokens);
    assert.ok(words >= least, `${words} words of text in ${maxTokens} tokens beside ${headings} headings`);
    assert.ok(tokenizer.count(whole) <= maxTokens, `${tokenizer.count(whole)} tokens`);
  }
});
