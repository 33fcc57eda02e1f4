import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { openLoopback } from '../../src/testing/index.ts';
import { writeSmallRun } from '../fixtures/small-run.ts';
import { command } from './command.ts';
import { INLINE } from '../support/bin.ts';
import { startCommand } from './started-command.ts';

// DOCSTOKG_TEST_PAPERS=FOLDER takes the papers (JATS, HTML, PDF) of a folder instead of three made ones;
// DOCSTOKG_TEST_KILLS is the number of kills.
const KILLS = Number(process.env['DOCSTOKG_TEST_KILLS'] ?? 3);
const PAPERS = process.env['DOCSTOKG_TEST_PAPERS'];
/** Requests in flight at a kill, which may be repeated. */
const AT_ONCE = 2;
const ENVIRONMENT = {
  DOCSTOKG_PARSE__DENSE: 'none',
  DOCSTOKG_MODEL__CONCURRENCY: String(AT_ONCE),
  DOCSTOKG_MODEL__PER_SECOND: '1000',
};
const COLUMNS = `columns:
  - year
  - {name: sample size, type: number}
  - {name: dose, type: number, unit: mg}
  - {name: design, type: choice, choices: [randomised, cohort]}
  - {name: blinding, type: yes/no}
  - {name: place, question: Where was it done?}
  - {name: outcome, question: What was the main outcome?}
  - {name: harm, question: What harm was seen?}
  - {name: funding, question: Who paid for it?}
  - {name: follow-up, question: How long were they followed?}
`;

/** A model that quotes words of the passages, at an offset that depends on the question and the model. */
async function openModel(first: number): Promise<
  AsyncDisposable & {
    readonly url: string;
    readonly asked: Map<string, number>;
    /** Called with each request, before it is answered. */
    onRequest: (number: number) => void;
  }
> {
  let requests = 0;
  const server = await openLoopback((seen, response) => {
    const { messages } = JSON.parse(seen.body) as { messages: { content: string }[] };
    const prompt = messages[1]?.content ?? '';
    model.asked.set(prompt, (model.asked.get(prompt) ?? 0) + 1);
    model.onRequest((requests += 1));
    const words = (/<passage number="1"[^>]*>\n([^]*?)\n<\/passage>/.exec(prompt)?.[1] ?? '').split(/\s+/);
    const cells = [...prompt.matchAll(/^(\d+)\. /gm)].map(([, column], at) => {
      const quote = words.slice(first + at, first + at + 6).join(' ');
      return { column: Number(column), value: quote, quotes: [{ passage: 1, quote }] };
    });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ message: { content: JSON.stringify({ cells }) } }] }));
  });
  const model = {
    url: `http://127.0.0.1:${server.port}/v1`,
    asked: new Map<string, number>(),
    onRequest: (_number: number): void => undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return model;
}

/** Writes a run folder with papers to tabulate. */
async function writeRun(folder: string): Promise<void> {
  if (PAPERS === undefined) return await writeSmallRun(folder);
  mkdirSync(folder);
  for (const stage of ['doctags', 'chunk']) {
    const input = stage === 'doctags' ? ['--input', PAPERS] : [];
    const made = command('docparse', [stage, ...input, '--data-root', join(folder, 'Data')], {
      env: { ...ENVIRONMENT, ...INLINE },
    });
    assert.equal(made.status, 0, made.stderr);
  }
}

test(`a table killed ${KILLS} times equals an uninterrupted one, requests no stored row again, and keeps corrections`, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-table-kill-'));
  const at = (name: string): string => join(folder.path, name);
  writeFileSync(at('columns.yaml'), COLUMNS);
  await writeRun(at('killed'));
  cpSync(at('killed'), at('whole'), { recursive: true });
  const parameters = (run: string, url: string, model: string): string[] => [
    'table',
    run,
    '--columns',
    'columns.yaml',
    '--model-url',
    url,
    '--model',
    model,
    '--out',
    `${run}.csv`,
    '--no-support',
  ];
  const start = (run: string, url: string, model = 'm') =>
    startCommand('docstokg', parameters(run, url, model), { cwd: folder.path, env: ENVIRONMENT });
  const csv = (run: string): string => readFileSync(at(`${run}.csv`), 'utf8');

  await using unbroken = await openModel(0);
  await using whole = start('whole', unbroken.url);
  assert.equal((await whole.ended).code, 0, whole.stderr);
  assert.ok(unbroken.asked.size >= 2, `${unbroken.asked.size} papers`);
  assert.ok([...unbroken.asked.values()].every((times) => times === 1));

  await using model = await openModel(0);
  // Kills are spread over the papers; each happens at a request, before its response.
  const step = Math.max(1, Math.floor(unbroken.asked.size / (KILLS + 1)));
  let kills = 0;
  for (let isDone = false; !isDone;) {
    await using killed = start('killed', model.url);
    let own = 0;
    model.onRequest = () => {
      own += 1;
      if (kills < KILLS && own === step) {
        kills += 1;
        killed.kill('SIGKILL');
      }
    };
    const { code, signal } = await killed.ended;
    isDone = signal === null;
    if (isDone) assert.equal(code, 0, killed.stderr);
  }
  assert.equal(kills, KILLS);
  assert.equal(csv('killed'), csv('whole'));
  const repeated = [...model.asked.values()].reduce((sum, times) => sum + times - 1, 0);
  assert.ok(repeated <= kills * AT_ONCE, `${repeated} requests were repeated after ${kills} kills`);
  assert.deepEqual(new Set(model.asked.keys()), new Set(unbroken.asked.keys()));

  const id = /^(?:[^,]*,)?(\S+?),/m.exec(csv('killed').split('\r\n')[1] ?? '')?.[1] ?? '';
  for (const [column, value] of [
    ['place', 'Corrected by hand'],
    ['sample size', '77'],
  ] as const) {
    const corrected = command('docstokg', ['table', 'killed', '--correct', id, column, value], {
      cwd: folder.path,
      env: ENVIRONMENT,
    });
    assert.equal(corrected.status, 0, corrected.stderr);
  }
  await using other = await openModel(1);
  await using again = start('killed', other.url, 'another');
  assert.equal((await again.ended).code, 0, again.stderr);
  const rows = csv('killed').split('\r\n');
  const ofPaper = (some: readonly string[]): string => some.find((row) => row.split(',', 2).includes(id)) ?? '';
  const mine = ofPaper(rows);
  assert.match(mine, /,Corrected by hand,[^]*?,corrected/);
  assert.match(mine, /,77,[^]*?,corrected/);
  // The other cells come from the other model.
  const others = mine.split(',corrected,').at(-1) ?? '';
  assert.ok(others !== '' && !ofPaper(csv('whole').split('\r\n')).includes(others));
  assert.equal(rows.length, csv('whole').split('\r\n').length);
  console.error(
    `${unbroken.asked.size} papers, ${kills} kills, ${repeated} requests in flight repeated, tables of ${csv('whole').length} bytes equal`,
  );
});
