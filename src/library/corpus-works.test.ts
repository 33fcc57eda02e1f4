import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { sidecarPath } from '../parse/index.ts';
import { documentLink } from './corpus-works.ts';

test('the link of a document leads to the file that was parsed, whatever a crash left beside it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'link-'));
  const dataRoot = join(folder.path, 'Data');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const name of ['PDF/W1.pdf', 'HTML/W1.html', 'XML/W2.xml']) write(join(folder.path, name), 'x');
  const link = (document: string): string | undefined => documentLink({ folder: folder.path, dataRoot }, document);
  assert.deepEqual([link('W1'), link('W2'), link('W3')], [join('PDF', 'W1.pdf'), join('XML', 'W2.xml'), undefined]);
  write(sidecarPath(dataRoot, 'W1'), '{ "source": "W1.html", "source_kind": "html" }');
  assert.equal(link('W1'), join('HTML', 'W1.html'));
});
