import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { INLINE } from '../support/bin.ts';
import { command } from './command.ts';

// What the commands redo after a change, on real papers.
const OPEN = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'parse', 'open');
const PAPERS = {
  small: 'html/docling-example_02.html',
  long: 'jats/jose-00292.xml',
  other: 'html/docling-example_04.html',
};
const STAGES = ['doctags', 'chunk', 'embed'] as const;
const ALL = ['long.xml', 'other.html', 'small.html'].map((name) => name.replace(/\..*/, ''));

const missing = Object.values(PAPERS).filter((name) => !existsSync(join(OPEN, name)));
const skip = missing.length > 0 ? `NOT TESTED: ${missing.join(', ')} not in ${OPEN}` : false;

let root = '';
before(() => (root = mkdtempSync(join(tmpdir(), 'changes-'))));
after(() => rmSync(root, { recursive: true }));

interface Row {
  readonly doc_id: string;
  readonly status: string;
  readonly vectors_computed?: number;
}

/** Rows of a stage's manifest, of all runs. */
function rowsOf(stage: string): Row[] {
  const path = join(root, 'Data', 'Manifests', `docparse.${stage}.manifest.jsonl`);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

/** Runs all stages; returns the documents that each of them processed. */
function run(
  parameters: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): { readonly done: Record<(typeof STAGES)[number], string[]>; readonly computed: number } {
  const seen = STAGES.map((stage) => rowsOf(stage).length);
  const { status, stderr } = command(
    'docparse',
    ['parse', '--input', 'papers', '--data-root', 'Data', '--log-level', 'warn', ...parameters],
    { cwd: root, env: { ...INLINE, ...env } },
  );
  assert.equal(status, 0, stderr);
  const worked = STAGES.map((stage, at) =>
    rowsOf(stage)
      .slice(seen[at])
      .filter((row) => row.status === 'success'),
  );
  const [doctags = [], chunk = [], embed = []] = worked.map((rows) => rows.map((row) => row.doc_id).sort());
  const computed = (worked[2] ?? []).reduce((sum, row) => sum + (row.vectors_computed ?? 0), 0);
  return { done: { doctags, chunk, embed }, computed };
}

const words = ['--dense', 'none'];

test('a changed setting reruns only the stages it affects, a changed input only that document', { skip }, () => {
  mkdirSync(join(root, 'papers'));
  for (const [name, file] of Object.entries(PAPERS)) {
    const path = join(root, 'papers', `${name}.${file.split('.').at(-1)}`);
    // Copied as bytes: the shared files may not be written to.
    writeFileSync(path, readFileSync(join(OPEN, file)));
  }
  assert.deepEqual(run(words).done, { doctags: ALL, chunk: ALL, embed: ALL }, 'the first run processes everything');
  const nothing = { doctags: [], chunk: [], embed: [] };
  assert.deepEqual(
    run([...words, '--workers', '1', '--timeout-s', '99']).done,
    nothing,
    'workers and time limits change no output',
  );

  assert.deepEqual(
    run([...words, '--markdown']).done,
    { doctags: ALL, chunk: [], embed: [] },
    'one more output of the first stage leaves its blocks unchanged, and so the later stages',
  );
  const coarse = [...words, '--markdown', '--max-tokens', '512'];
  assert.deepEqual(
    run(coarse).done,
    { doctags: [], chunk: ALL, embed: ['long'] },
    'papers that fit into one chunk keep their chunks, and are not embedded again',
  );

  const path = join(root, 'papers', 'small.html');
  utimesSync(path, new Date(), new Date());
  assert.deepEqual(run(coarse).done, nothing, 'a touched file is unchanged');
  appendFileSync(path, '<p>One sentence more, about penguins.</p>');
  assert.deepEqual(run(coarse).done, { doctags: ['small'], chunk: ['small'], embed: ['small'] });
  copyFileSync(path, join(root, 'papers', 'fresh.html'));
  assert.deepEqual(run(coarse).done, { doctags: ['fresh'], chunk: ['fresh'], embed: ['fresh'] });

  rmSync(join(root, 'papers', 'long.xml'));
  const lines = [...coarse, '--format', 'jsonl'];
  const every = ['fresh', 'long', 'other', 'small'];
  assert.deepEqual(
    run(lines).done,
    { doctags: [], chunk: every, embed: every },
    'another format has other output files',
  );
  assert.deepEqual(run(lines).done, nothing);
  appendFileSync(join(root, 'papers', 'fresh.html'), '<p>And one about seals.</p>');
  assert.deepEqual(run(lines).done, { doctags: ['fresh'], chunk: ['fresh'], embed: ['fresh'] });
});

test('a changed model or vector type recomputes only the vectors', { skip }, () => {
  const int8 = ['--markdown', '--max-tokens', '512', '--format', 'jsonl', '--sparse', 'none'];
  for (const name of ['long', 'other']) {
    rmSync(join(root, 'Data', 'ChunkedDocTagFiles', `${name}.jsonl`));
    rmSync(join(root, 'Data', 'DocTagsFiles', `${name}.jsonl`));
  }
  rmSync(join(root, 'papers', 'other.html'));
  const both = ['fresh', 'small'];
  const first = run(int8);
  assert.deepEqual(first.done, { doctags: [], chunk: [], embed: both });
  assert.ok(first.computed > 0);
  const half = run(int8, { DOCSTOKG_PARSE__VECTOR_TYPE: 'float16' });
  assert.deepEqual(half, { done: { doctags: [], chunk: [], embed: both }, computed: 0 }, 'the vectors are cached');
  const fp32 = run(int8, { DOCSTOKG_PARSE__PRECISION: 'fp32' });
  assert.deepEqual(fp32.done, { doctags: [], chunk: [], embed: both });
  assert.equal(fp32.computed, first.computed, 'another precision has other vectors');
});
