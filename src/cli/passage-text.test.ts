import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CitedHit } from '../corpus/index.ts';
import { passageText } from './passage-text.ts';
import type { Terminal } from './terminal.ts';

/** A terminal that shows styles as brackets. */
function terminal(columns: number): Terminal {
  const nothing = (): void => undefined;
  return {
    live: false,
    columns,
    print: nothing,
    note: nothing,
    status: nothing,
    clear: nothing,
    style: (style, text) => (Array.isArray(style) ? `[${text}]` : text),
  };
}

function hit(text: string, more: Partial<CitedHit['passage']> = {}): CitedHit {
  const place = { headings: ['Results'], section: 'results' as const, page: 3, boxes: [], file: undefined };
  const passage = { id: 'x', document: 'd', title: 'A Title', ...place, hasTable: false, hasFigure: false, text };
  return { rank: 1, score: 0.5, fit: 1, by: 'words', passage: { ...passage, ...more }, work: null, link: null };
}

const plainOf = (text: string): string[] => text.replaceAll(/[[\]]/g, '').split('\n');

test('a short passage is printed in full, with its location and the query words in any inflection', () => {
  const shown = passageText(
    hit('Corals bleach (bleaching) when\n it is hot.'),
    { query: 'coral bleached?', full: false, link: 'PDF/a.pdf' },
    terminal(60),
  );
  assert.deepEqual(shown.split('\n'), [
    `1.  A Title${' '.repeat(45)}0.50`,
    '    Results · page 3',
    '    [Corals] [bleach] ([bleaching]) when it is hot.',
    '    PDF/a.pdf',
  ]);
});

test('a long passage is cut to the four lines with the most query words, or printed in full on request', () => {
  const filler = 'Nothing of interest is said in this sentence. '.repeat(12);
  const text = `${filler}Here the penguin marches over the ice. ${filler}`;
  const view = { query: 'marching penguins', link: undefined };
  const shown = passageText(hit(text), { ...view, full: false }, terminal(80)).split('\n');
  assert.equal(shown.length, 2 + 4);
  assert.match(shown[2] ?? '', /^ {4}… Here the \[penguin\] \[marches\] over the ice\./);
  assert.match(shown.at(-1) ?? '', / …$/);
  assert.ok(passageText(hit(text), { ...view, full: true }, terminal(80)).split('\n').length > 12);
});

test('no line is wider than the terminal, whatever it contains', () => {
  const texts = [
    'x'.repeat(500),
    '温度を測る実験を行った。'.repeat(30),
    'word '.repeat(200),
    'https://a.example/'.repeat(20),
  ];
  for (const columns of [40, 80, 200]) {
    for (const text of texts) {
      const shown = passageText(
        hit(text, { title: text, headings: [text] }),
        { query: '温度', full: true, link: undefined },
        terminal(columns),
      );
      for (const line of plainOf(shown)) {
        const width = line.length + (line.match(/[\u3000-\u9FFF]/g)?.length ?? 0);
        assert.ok(width <= Math.min(columns, 100), `${width} columns of ${columns}: ${line}`);
      }
    }
  }
});

test('control characters are removed, and a passage without title or page is printed', () => {
  const shown = passageText(
    hit('\u001B[31mred\u001B[0m \u202Ereversed', { title: '', headings: [], page: undefined }),
    { query: 'red', full: false, link: 'a\u0007.pdf' },
    terminal(80),
  );
  assert.deepEqual(plainOf(shown).slice(1), ['    red reversed', '    a.pdf']);
  assert.match(shown, /^1\. {2}d /);
});
