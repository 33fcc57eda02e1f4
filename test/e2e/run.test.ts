import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Admin, DEFAULT_POLICY, expectedOutcome } from '../../sim/index.ts';
import type { RunAccount, RunFile } from '../../src/corpus/index.ts';
import { openIndex } from '../../src/search/index.ts';
import { corpusHash } from '../support/corpus-hash.ts';
import { INLINE } from '../support/bin.ts';
import { openWorld, PATIENCE } from '../support/harvest.ts';
import { command } from './command.ts';
import { startCommand } from './started-command.ts';

/** Lexical search is enough here; the model is tested elsewhere. */
const WORDS_ONLY = {
  DOCSTOKG_PARSE__DENSE: 'none',
};

function page(title: string, text: string): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><article><h1>${title}</h1>
    <h2>Results</h2><p>${text}</p><p>${'Every reef was visited twice a year by the same divers. '.repeat(12)}</p></article></body></html>`;
}

function readRun(out: string): RunFile {
  return JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')) as RunFile;
}

test('a folder of papers becomes a searchable corpus without downloads, and the second run does nothing', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-papers-'));
  const papers = join(folder.path, 'papers');
  mkdirSync(join(papers, 'more'), { recursive: true });
  writeFileSync(join(papers, 'corals.html'), page('Corals', 'Bleaching was seen after seven hot weeks.'));
  writeFileSync(join(papers, 'more', 'kelp.html'), page('Kelp', 'Urchins ate the forest within a season.'));
  // The run folder is inside the folder of papers: the next run must not read its files as papers.
  const out = join(papers, 'run');
  const run = (...parameters: string[]) =>
    command('docstokg', ['run', ...parameters, '--out', out, '--json'], {
      cwd: folder.path,
      env: { ...WORDS_ONLY, ...INLINE },
    });
  const first = run('--input', 'papers', '--mailto', 'ada@university.example');
  assert.equal(first.status, 0, first.stdout + first.stderr);
  const account = JSON.parse(first.stdout) as RunAccount;
  assert.deepEqual([account.works, account.documents, account.index?.searched_by], [null, 2, 'words']);
  assert.deepEqual(
    [readRun(out).state, readRun(out).asked.input, readRun(out).account],
    ['done', ['papers'], withoutOut(first.stdout)],
  );
  {
    await using index = await openIndex(out);
    const [hit] = await index.search('who ate the kelp?', { mode: 'lexical', top: 1 });
    assert.match(hit?.passage.text ?? '', /Urchins ate/);
    assert.match(hit?.passage.file ?? '', /kelp\.html$/);
  }

  // An unreadable paper is reported, and the others are unchanged. Only the run folder is given.
  writeFileSync(join(papers, 'broken.pdf'), '%PDF-1.7\nnothing');
  const second = run();
  assert.equal(second.status, 1, second.stdout + second.stderr);
  assert.equal(readRun(out).asked.mailto, 'ada@university.example');
  const { stages, failures } = JSON.parse(second.stdout) as RunAccount;
  assert.deepEqual([stages.doctags?.done, stages.doctags?.kept, stages.doctags?.failed], [0, 2, 1]);
  assert.deepEqual([stages.embed?.done, stages.embed?.kept], [0, 2]);
  assert.deepEqual(
    failures.map(({ stage, document }) => [stage, document]),
    [['doctags', 'broken']],
  );
});

function withoutOut(text: string): unknown {
  const { out: _out, ...account } = JSON.parse(text) as { readonly out: string };
  return account;
}

test('a run without works or without a contact address is a usage error', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-run-'));
  const nothing = command('docstokg', ['run'], { cwd: folder.path });
  assert.deepEqual([nothing.status, /USAGE_NOTHING_TO_RUN/.test(nothing.stderr)], [2, true], nothing.stderr);
  const anonymous = command('docstokg', ['run', '--topic', 'corals'], { cwd: folder.path, env: WORDS_ONLY });
  assert.equal(anonymous.status, 2, anonymous.stderr);
  assert.match(anonymous.stderr, /mailto/);
});

test('after Ctrl-C running work finishes, and the same command completes the same corpus', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-stop-'));
  await using simulation = await openWorld({
    seed: 4,
    works: 5,
    hosts: 4,
    profile: 'calm',
    documents: 'plain',
    timeScale: 0.02,
    workers: 2,
  });
  await using admin = await Admin.open(simulation);
  const ids = [...simulation.world.works()].map(({ id }) => id);
  const start = (out: string) =>
    startCommand('docstokg', ['run', ...ids, '--sim', admin.url, '--out', out, '--workers', '2', '--json'], {
      cwd: folder.path,
      env: { ...PATIENCE, ...WORDS_ONLY },
    });
  // One file is held back until the run was asked to stop, so that it cannot end before.
  const { documents } = simulation;
  const [, held] = expectedOutcome(simulation.world, DEFAULT_POLICY).filter(({ outcome }) => outcome === 'saved');
  assert.ok(held);
  const late = new Set(held.work.locations.map(({ file }) => JSON.stringify(file?.payload)));
  const stopping = Promise.withResolvers<void>();
  const bytes = documents.bytes.bind(documents);
  documents.bytes = async (payload) => {
    if (late.has(JSON.stringify(payload))) await stopping.promise;
    return await bytes(payload);
  };
  const stopped = join(folder.path, 'stopped');
  mkdirSync(join(stopped, 'Data', 'DocTagsFiles'), { recursive: true });
  {
    await using run = start(stopped);
    // The first paper is being parsed; others are still downloading.
    await new Promise<void>((resolve) => {
      const watcher = watch(join(stopped, 'Data', 'DocTagsFiles'), () => {
        watcher.close();
        resolve();
      });
    });
    run.kill('SIGINT');
    await run.printed(/SIGINT: finishing running work/);
    stopping.resolve();
    const { code } = await run.ended;
    assert.equal(code, 130, run.stderr);
    const account = JSON.parse(run.stdout) as RunAccount;
    assert.deepEqual([account.index, readRun(stopped).state], [null, 'stopped']);
  }
  await using again = start(stopped);
  const whole = join(folder.path, 'whole');
  await using undisturbed = start(whole);
  assert.deepEqual(
    [(await again.ended).code, (await undisturbed.ended).code],
    [0, 0],
    again.stderr + undisturbed.stderr,
  );
  assert.equal(readRun(stopped).state, 'done');
  assert.deepEqual(await corpusHash(stopped), await corpusHash(whole));
  assert.deepEqual(
    (JSON.parse(again.stdout) as RunAccount).works?.by_resolver,
    (JSON.parse(undisturbed.stdout) as RunAccount).works?.by_resolver,
  );
});
