import assert from 'node:assert/strict';
import { mkdir, mkdtempDisposable, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { sha256 } from '../../base/index.ts';
import { SourceFiles } from './source-files.ts';

/** A corpus in a folder, with documents that say where they were parsed from and what the hash of that file was. */
async function corpusOf(root: string, sources: Readonly<Record<string, readonly [source: string, hash: string]>>) {
  const folder = join(root, 'run');
  const dataRoot = join(folder, 'Data');
  await mkdir(join(dataRoot, 'DocTagsFiles'), { recursive: true });
  await mkdir(join(folder, 'PDF'));
  for (const [id, [source, hash]] of Object.entries(sources)) {
    const about = { source, source_kind: 'pdf', source_sha256: hash };
    await writeFile(join(dataRoot, 'DocTagsFiles', `${id}.meta.json`), JSON.stringify(about));
    await writeFile(join(dataRoot, 'DocTagsFiles', `${id}.jsonl`), '');
  }
  return { folder, dataRoot };
}

test('a run folder from someone else cannot expose files outside it', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'foreign-'));
  const secret = join(root.path, 'secret.pdf');
  await writeFile(secret, '%PDF-1.4 secret');
  const unknown = 'f'.repeat(64);
  const place = await corpusOf(root.path, {
    absolute: [secret, unknown],
    above: ['../secret.pdf', unknown],
    linked: ['PDF/linked.pdf', unknown],
    folder: ['..', unknown],
    device: ['/dev/zero', unknown],
    none: ['../no.pdf', unknown],
  });
  await symlink(secret, join(place.folder, 'PDF', 'linked.pdf'));
  const files = new SourceFiles(place);
  for (const id of ['absolute', 'above', 'linked', 'folder', 'device', 'none', '../secret', 'nosuch'])
    assert.equal(await files.find(id), undefined, id);
});

test("one's own paper is found where it lies, as long as it is the file that was parsed", async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'own-'));
  const own = join(root.path, 'paper.pdf');
  await writeFile(own, '%PDF-1.4 mine');
  const place = await corpusOf(root.path, {
    paper: [own, sha256('%PDF-1.4 mine')],
    above: ['../paper.pdf', sha256('%PDF-1.4 mine')],
  });
  const files = new SourceFiles(place);
  assert.equal(await files.find('paper'), await realpath(own));
  assert.equal(await files.find('above'), await realpath(own));
  await writeFile(own, '%PDF-1.4 another paper under this name');
  assert.equal(await files.find('paper'), undefined);
});
