import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';

import { DuckDBInstance } from '@duckdb/node-api';

import { command } from './e2e/command.ts';
import { makeCorpus } from './support/examples.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '..', 'docs', 'guides', 'recipes.md'), 'utf8');
const folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-recipes-'));
const corpus = join(folder.path, 'corpus');

before(() => {
  makeCorpus(folder.path, { DOCSTOKG_PARSE__DENSE: 'embedded' });
  // Own papers are not downloaded, so they have no rows.
  const rows = ['saved', 'saved', 'skipped'].map((outcome) => JSON.stringify({ outcome }));
  writeFileSync(join(corpus, 'manifest.jsonl'), `${rows.join('\n')}\n`);
});
test.after(() => folder.remove());

test('every query of the recipe for DuckDB answers from the files of a run', async () => {
  const statements = [...GUIDE.matchAll(/^```sql\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = '']) => block.split(';'))
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  assert.equal(statements.length, 4);
  const duckdb = await (await DuckDBInstance.create()).connect();
  await duckdb.run(`set file_search_path = '${corpus}'`);
  const answers: Record<string, unknown>[][] = [];
  for (const statement of statements) answers.push((await duckdb.runAndReadAll(statement)).getRowObjectsJson());
  const [papers, found, near, outcomes] = answers;
  assert.deepEqual(papers?.map((row) => row['doc_id']).sort(), ['fractures', 'reefs']);
  assert.deepEqual(
    found?.map((row) => row['doc_id']),
    ['reefs'],
  );
  assert.equal(near?.length, 2);
  assert.ok(Number(near?.[0]?.['nearness']) > 0.999);
  assert.deepEqual(
    outcomes?.map(({ outcome, works }) => `${String(outcome)} ${String(works)}`),
    ['saved 2', 'skipped 1'],
  );
});

test('the recipe for Obsidian writes notes that link to each other', () => {
  const [, line = ''] = /^docstokg (export .*)$/m.exec(GUIDE) ?? [];
  const words = line.replace('runs/demo', corpus).split(' ');
  assert.equal(command('docstokg', ['graph', 'build', corpus]).status, 0);
  const { status, stderr } = command('docstokg', words, { cwd: folder.path });
  assert.equal(status, 0, stderr);
  const vault = join(folder.path, 'vault');
  assert.ok(existsSync(vault));
  const notes = globSync('**/*.md', { cwd: vault }).map((file) => readFileSync(join(vault, file), 'utf8'));
  assert.ok(
    notes.some((note) => /\[\[.+\]\]/.test(note)),
    `${notes.length} notes`,
  );
});
