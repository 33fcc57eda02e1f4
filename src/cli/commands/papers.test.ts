import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { line, makePdf } from '../../../test/support/make-pdf.ts';
import { drawPageCommand } from './papers.ts';

const folder = mkdtempSync(join(tmpdir(), 'show-'));
after(() => rmSync(folder, { recursive: true }));
const source = join(folder, 'duck.html');
writeFileSync(source, '<article><h1>Ducks</h1><p>They swim.</p></article>');
const run = (...words: string[]) => drawPageCommand().exitOverride().parseAsync(words, { from: 'user' });

test('a file is drawn into a page of HTML', async () => {
  const out = join(folder, 'page.html');
  await run(source, '--out', out);
  assert.match(readFileSync(out, 'utf8'), /<li value="1"><b style="[^"]*">text<\/b> They swim\.<\/li>/);
});

test('a name that does not end in .html, an absent file and an absent page are refused', async () => {
  await assert.rejects(run(source, '--out', join(folder, 'page.png')), { code: 'SHOW_FORMAT' });
  await assert.rejects(run(join(folder, 'absent.pdf'), '--out', join(folder, 'page.html')), { code: 'PARSE_NO_FILE' });
  const pdf = join(folder, 'duck.pdf');
  writeFileSync(pdf, await makePdf((document) => line(document, 'Ducks swim on every pond.', { x: 72, y: 72 })));
  await assert.rejects(run(pdf, '--page', '9', '--out', join(folder, 'page.html')), { code: 'SHOW_NO_PAGE' });
});
