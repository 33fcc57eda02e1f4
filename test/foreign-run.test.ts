import assert from 'node:assert/strict';
import { mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { sourcePdf } from '../src/library/view/corpus-view.ts';

test('a run folder from someone else cannot expose PDFs outside it', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'foreign-'));
  const secret = join(root.path, 'secret.pdf');
  await writeFile(secret, '%PDF-1.4 secret');
  const folder = join(root.path, 'run');
  const dataRoot = join(folder, 'Data');
  await mkdir(join(dataRoot, 'DocTagsFiles'), { recursive: true });
  await mkdir(join(folder, 'PDF'));
  for (const [id, source] of Object.entries({ absolute: secret, above: '../secret.pdf', linked: 'PDF/linked.pdf' })) {
    const about = { source, source_kind: 'pdf', source_sha256: 'f'.repeat(64) };
    await writeFile(join(dataRoot, 'DocTagsFiles', `${id}.meta.json`), JSON.stringify(about));
    await writeFile(join(dataRoot, 'DocTagsFiles', `${id}.jsonl`), '');
  }
  await symlink(secret, join(folder, 'PDF', 'linked.pdf'));
  for (const id of ['absolute', 'above', 'linked']) assert.equal(sourcePdf({ folder, dataRoot }, id), undefined, id);
});
