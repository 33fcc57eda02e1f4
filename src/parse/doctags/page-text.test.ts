import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { line, makePdf } from '../../../test/support/make-pdf.ts';
import { readPageText } from './page-text.ts';

test('each printed line has its place, columns are lines of their own, and no page is made up', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'page-text-'));
  const file = join(folder.path, 'paper.pdf');
  await writeFile(
    file,
    await makePdf((pdf) => {
      line(pdf, 'Corals bleach early', { x: 72, y: 100, size: 12 });
      line(pdf, 'in warm years', { x: 72, y: 116, size: 12 });
      line(pdf, 'Second column', { x: 320, y: 100, size: 9 });
    }),
  );
  const page = await readPageText(file, 1);
  assert.deepEqual(
    page?.lines.map(({ text, left, size }) => [text, Math.round(left / 10) * 10, Math.round(size)]),
    [
      ['Corals bleach early', 70, 12],
      ['in warm years', 70, 12],
      ['Second column', 320, 9],
    ],
  );
  const [first] = page?.lines ?? [];
  assert.ok(first && first.right > first.left + 60 && first.right < 320, JSON.stringify(first));
  assert.ok(first.baseline > 90 && first.baseline < 125, `baseline ${first.baseline}`);
  assert.equal(await readPageText(file, 2), undefined);
});
