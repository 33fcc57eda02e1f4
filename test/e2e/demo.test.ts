import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { plantedQuestions, World } from '../../sim/index.ts';
import { readJsonl, systemClock } from '../../src/base/index.ts';
import { DEMO_WORLD } from '../../src/cli/commands/demo.ts';
import { loadConfig, settingsLayer } from '../../src/config/index.ts';
import { copyCorpus, openCorpus } from '../../src/corpus/index.ts';
import type { ManifestRow } from '../../src/download/index.ts';
import { openDenseEngine } from '../../src/parse/index.ts';
import { openIndex } from '../../src/search/index.ts';
import { BIN } from '../support/bin.ts';
import { corpusFacts } from '../support/corpus-facts.ts';
import { startPglite } from '../support/pglite-server.ts';
import { command } from './command.ts';

const WORKS = 4;
const HIT_AT_5 = 0.95;
/** Asked of the corpus in its folder and in PostgreSQL. */
const QUESTIONS = 4;

interface DemoAccount {
  readonly works: { readonly listed: number; readonly downloaded: number };
  readonly documents: number;
  readonly failures: readonly unknown[];
  readonly index: { readonly searched_by: string };
  readonly truth: { readonly works: number; readonly differences: readonly unknown[]; readonly violations: number };
  readonly answers: readonly { readonly question: string; readonly rank: number | null }[];
  readonly answer: readonly { readonly text: string; readonly quotes: readonly { readonly text: string }[] }[];
  readonly table: readonly { readonly cells: readonly { readonly kind: string }[] }[];
}

async function savedWorks(out: string): Promise<Set<string>> {
  const saved = new Set<string>();
  for await (const line of readJsonl(join(out, 'manifest.jsonl'))) {
    const row = line.kind === 'good' ? (line.value as ManifestRow) : undefined;
    if (row?.outcome === 'saved') saved.add(row.work);
  }
  return saved;
}

test('the demo downloads the expected works, finds the known answers, and does nothing when run again', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-demo-'));
  const home = join(folder.path, 'home');
  mkdirSync(home);
  const out = join(folder.path, 'demo');
  const demo = () =>
    command('docstokg', ['demo', '--max', String(WORKS), '--out', out, '--json'], {
      cwd: folder.path,
      env: { HOME: home },
    });
  const first = demo();
  assert.equal(first.status, 0, first.stdout + first.stderr);
  const account = JSON.parse(first.stdout) as DemoAccount;
  assert.deepEqual(account.truth, { works: WORKS, differences: [], violations: 0 });
  assert.deepEqual([account.works.listed, account.failures], [WORKS, []]);
  assert.equal(account.documents, account.works.downloaded);
  assert.deepEqual(
    account.answers.map(({ rank }) => rank !== null && rank <= 5),
    [true, true, true],
  );
  assert.equal(account.answer[0]?.quotes[0]?.text, account.answer[0]?.text, 'without a model an answer is a quote');
  assert.ok(account.answer.length > 0);
  assert.equal(account.table.length, 3);
  assert.ok(account.table.every(({ cells }) => cells[0]?.kind === 'value'));
  assert.ok(existsSync(join(out, 'report.html')));

  const saved = await savedWorks(out);
  assert.equal(saved.size, account.works.downloaded);
  await using engine = await openDenseEngine({ engine: 'embedded', precision: 'int8', threads: 1 });
  await using index = await openIndex(out, engine);
  assert.equal(account.index.searched_by, 'words and meaning');
  let [asked, found] = [0, 0];
  for (const { question, nonce, value } of plantedQuestions(new World(DEMO_WORLD), saved)) {
    const hits = await index.search(question, { mode: 'hybrid', top: 5 });
    asked += 1;
    if (hits.some(({ passage: { text } }) => text.includes(nonce) && text.includes(value))) found += 1;
  }
  assert.ok(asked > 30, `${asked} questions`);
  assert.ok(found / asked >= HIT_AT_5, `${found} of ${asked} answers are among the first five passages`);

  const again = demo();
  assert.equal(again.status, 0, again.stdout + again.stderr);
  const { stages, works } = JSON.parse(again.stdout) as {
    readonly stages: Readonly<Record<string, { readonly done: number; readonly kept: number }>>;
    readonly works: { readonly downloaded_this_run: number };
  };
  assert.equal(works.downloaded_this_run, 0);
  for (const name of ['doctags', 'chunk', 'embed'])
    assert.deepEqual([stages[name]?.done, stages[name]?.kept], [0, saved.size], name);
  await checkInPostgres(out, questionsOf(saved));
});

function questionsOf(saved: ReadonlySet<string>): string[] {
  return [...plantedQuestions(new World(DEMO_WORLD), saved)].map(({ question }) => question).slice(0, QUESTIONS);
}

/** The corpus in PostgreSQL cannot be told from the folder: its vectors, hits and answers are the same. */
async function checkInPostgres(out: string, questions: readonly string[]): Promise<void> {
  await using server = await startPglite();
  const graph = { entities: 'off' } as const;
  const settings = { queue: { pooler: true }, store: { url: `${out}-store` }, graph };
  await copyCorpus(out, server.url, {
    load: (layer) =>
      loadConfig({ folder: out, environment: {}, flags: [...settingsLayer(settings, 'test'), ...layer] }).config,
    runtime: { clock: systemClock, log: () => undefined },
    report: () => undefined,
    signal: new AbortController().signal,
  });
  await using alone = await openCorpus(out, { settings: { graph } });
  for await (const _ of alone.graph.build());
  await using there = await openCorpus(server.url, { settings, copy: `${out}-copy` });
  for await (const _ of there.graph.build());
  assert.deepEqual(await corpusFacts(there, { questions }), await corpusFacts(alone, { questions }));
}

test('the simulated web of a demo ends with its parent process, and ignores a Ctrl-C meant for the parent', async () => {
  const child = spawn(process.execPath, [join(BIN, 'docstokg'), 'sim', 'serve', '--leash', '--json', '--works', '5'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { sim } = JSON.parse(line.toString()) as { readonly sim: string };
  child.kill('SIGINT');
  assert.equal((await fetch(new URL('/__sim/world', sim))).status, 200);
  // As the system does when the other end of the pipe has died.
  child.stdin.destroy();
  assert.deepEqual(await ended, [0, null]);
});
