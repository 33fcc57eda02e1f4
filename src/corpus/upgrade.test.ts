import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { openCorpus } from './index.ts';

/**
 * A run folder as commit e6c88b43 wrote it, and what that commit answered about it. Made there with `docstokg demo --max 5`
 * and `parse.format` jsonl, one work labelled as included and one as excluded; shortened to three chunks of two documents.
 */
const FIXTURE = join(import.meta.dirname, '../../test/fixtures/folder-e6c88b43.json');
const { files, answers, ...old } = JSON.parse(readFileSync(FIXTURE, 'utf8')) as {
  readonly files: Readonly<Record<string, string>>;
  readonly 'manifest.sqlite3': string;
  readonly answers: { readonly question: string; readonly hits: readonly unknown[]; readonly csl: readonly unknown[] };
};

function writeFolder(folder: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  using database = new DatabaseSync(join(folder, 'manifest.sqlite3'));
  database.exec(old['manifest.sqlite3']);
}

async function answered(folder: string): Promise<unknown> {
  await using corpus = await openCorpus(folder);
  const hits = await corpus.search(answers.question, { mode: 'lexical' });
  const csl = (await Array.fromAsync(corpus.export({ format: 'csl' }))).join('');
  return {
    question: answers.question,
    hits: hits.map(({ passage }) => ({ id: passage.id, document: passage.document })),
    csl: JSON.parse(csl) as unknown,
  };
}

test('a folder written at e6c88b43 answers as it did then, also after an interrupted upgrade', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'upgrade-'));
  writeFolder(folder.path);
  assert.deepEqual(await answered(folder.path), answers);
  await using corpus = await openCorpus(folder.path);
  const label = async (id: string): Promise<unknown> => (await corpus.library.work(id))?.label;
  assert.deepEqual([await label('W7000000006'), await label('W7000000028')], ['included', 'excluded']);
  const before = readFileSync(join(folder.path, 'records.jsonl'), 'utf8');
  // Killed before the old database was renamed, and while the decisions were written.
  renameSync(join(folder.path, 'manifest.sqlite3.upgraded'), join(folder.path, 'manifest.sqlite3'));
  renameSync(join(folder.path, 'decisions.jsonl'), join(folder.path, 'decisions.jsonl.upgrade.part'));
  for (const ending of ['', '-wal', '-shm']) rmSync(join(folder.path, `corpus.sqlite${ending}`), { force: true });
  assert.deepEqual(await answered(folder.path), answers);
  assert.equal(readFileSync(join(folder.path, 'records.jsonl'), 'utf8'), before);
  assert.equal(existsSync(join(folder.path, 'manifest.sqlite3')), false);
});
