import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HOSTILE_DOCUMENT } from '../../../../test/support/hostile-document.ts';
import { writeMarkdown } from './markdown.ts';

test('Markdown keeps the structure and escapes text that looks like markup', () => {
  const text = writeMarkdown(HOSTILE_DOCUMENT);
  assert.match(text, /^# Ducks \\<img/);
  assert.match(text, /\n## Methods\n/);
  assert.match(text, /\\# not a heading, snake_case \\\*stars\\\* \[1\\\]\(x\)/);
  assert.match(text, /\n3\. third\n {4}- inner\n/);
  assert.match(text, /\n````Python\nx = "```"\n````\n/);
  assert.match(text, /Table 1\n\n\| head \|  \|\n\| - \| - \|\n\| a\\\|b \| 1 \|/);
  assert.match(text, /\n- \[1\] Smith 2020\n/);
  assert.doesNotMatch(text, /running head/);
});
