import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { writeReaderGraph } from '../../scripts/model-graph.ts';
import { packageRoot } from '../base/index.ts';
import type { Candidate } from './candidates.ts';
import { openReader } from './open-reader.ts';

const noNearness = async (): Promise<undefined> => undefined;
const QUESTION = 'What was the LC50 of garlic oil for larvae?';
const SENTENCES = [
  'The LC50 of garlic essential oil for larvae was 0.77% after 48 hours.',
  'We thank the reviewers for their helpful comments on the text.',
  'The mealworm beetle is a pest of stored products such as starches.',
];

function candidate(text: string): Candidate {
  const passage = { document: 'd', title: 'Garlic oil against beetles', headings: ['Results'], text };
  return { passage, found: { passage: 1, paper: 1 }, start: 0, end: text.length, text, row: null };
}

test('the committed graph of the reader matches the output of scripts/model-graph.ts', () => {
  const committed = readFileSync(join(packageRoot(), 'models', 'reader.onnx'));
  assert.ok(committed.equals(writeReaderGraph()), 'run npm run models');
});

test('the sentence that answers gets the highest score', async () => {
  const { reader, missing } = await openReader('best', { nearness: noNearness, threads: 1 });
  await using _closed = reader;
  assert.deepEqual([reader.name, missing], ['trained', null]);
  const [answer = 0, ...others] = await reader.score(QUESTION, SENTENCES.map(candidate));
  assert.ok(answer > reader.least, `${answer}`);
  for (const other of others) assert.ok(other < reader.least, `${other}`);
  assert.deepEqual(await reader.score(QUESTION, []), []);
});

/** Candidates that are sentences of one passage. */
function candidatesIn(sentences: readonly string[]): Candidate[] {
  const passage = { ...candidate(sentences.join(' ')).passage, title: 'Oils against beetles' };
  return sentences.map((text) => ({ ...candidate(text), passage }));
}

test('a sentence is read together with those before it in its passage', async () => {
  const { reader } = await openReader('trained', { nearness: noNearness, threads: 1 });
  await using _closed = reader;
  const said = 'The lethal concentration was 0.77% after two days.';
  const found = { passage: 0, paper: 0 };
  for (const [oil, other] of [
    ['garlic', 'clove'],
    ['clove', 'garlic'],
  ]) {
    const question = `What was the lethal concentration of ${oil} oil?`;
    const scoreAfter = async (before: string): Promise<number> => {
      const read = candidatesIn([before, said]).map((each) => ({ ...each, found }));
      return (await reader.score(question, read))[1] ?? 0;
    };
    const right = await scoreAfter(`We tested ${oil} oil against the larvae of the beetle.`);
    const wrong = await scoreAfter(`We tested ${other} oil against the larvae of the beetle.`);
    assert.ok(1 - right < (1 - wrong) / 4, `${oil}: ${right} and ${wrong}`);
  }
});

test('a passage longer than the model reads at once is read in parts, a row of a table alone', async () => {
  const { reader } = await openReader('trained', { nearness: noNearness, threads: 1 });
  await using _closed = reader;
  const long = 'The mealworm beetle and its many relatives were kept on wheat bran at room temperature in the dark.';
  const sentences = [...Array.from({ length: 40 }, (_, at) => `${long} This was cage ${at}.`), SENTENCES[0] ?? ''];
  const scores = await reader.score(QUESTION, candidatesIn(sentences));
  assert.equal(scores.indexOf(Math.max(...scores)), 40, 'the last sentence is read too');
  const endless = candidatesIn(['word '.repeat(900), 'Another sentence of the passage stands here.']);
  for (const score of await reader.score('long question '.repeat(200), endless)) assert.ok(score >= 0 && score < 1);
  const row = { caption: 'Table 1. Oils', header: ['Oil', 'LC50'], cells: ['Garlic', '0.77%'] };
  const [first, second] = [SENTENCES[1] ?? '', 'Table 1. Oils | Oil Garlic; LC50: 0.77%'];
  const both = candidatesIn([first, second]).map((each, at) => ({ ...each, row: at === 1 ? row : null }));
  const [, beside] = await reader.score(QUESTION, both);
  const [alone] = await reader.score(QUESTION, both.slice(1));
  assert.equal(beside, alone);
});

test('a question or a title with a token for each sign leaves room for the sentences', async () => {
  const { reader } = await openReader('trained', { nearness: noNearness, threads: 1 });
  await using _closed = reader;
  const signs = '?!'.repeat(300);
  const read = candidatesIn(SENTENCES).map((each) => ({
    ...each,
    passage: { ...each.passage, title: signs, headings: [signs] },
  }));
  for (const score of await reader.score(`What was the LC50 ${signs}`, read))
    assert.ok(score >= 0 && score <= 1, `${score}`);
});

test('papers in other languages are scored by the rules', async () => {
  const { reader } = await openReader('trained', { nearness: noNearness, threads: 1 });
  await using _closed = reader;
  const german = candidate(
    'Nach der Operation starben 14 der 120 Patienten innerhalb eines Jahres, und die übrigen wurden entlassen.',
  );
  const [score = 0] = await reader.score('Wie viele Patienten starben nach den Operationen?', [german]);
  assert.ok(score > reader.least, `${score}`);
});

test('asked in English, papers in other languages are read by the model', async () => {
  const { reader } = await openReader('trained', { nearness: noNearness, threads: 1 });
  await using _closed = reader;
  const german = [
    'Die Kommission hat dem Ablauf im Januar zugestimmt und keine weiteren Bedingungen gestellt.',
    'Nach der Operation starben 14 der 120 Patienten innerhalb eines Jahres, die übrigen wurden nach Hause entlassen.',
  ].map(candidate);
  const [other = 0, answer = 0] = await reader.score('How many patients died within a year of the operation?', german);
  assert.ok(answer > other && answer > 0, `${answer} and ${other}`);
});

test('without its weights the rules read, and it is said why', () => {
  const program = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { existsSync } = fs;
    fs.existsSync = (path) => !String(path).endsWith('reader.safetensors') && existsSync(path);
    syncBuiltinESMExports();
    const { openReader } = await import(${JSON.stringify(new URL('open-reader.ts', import.meta.url).href)});
    const { reader, missing } = await openReader('best', { nearness: async () => undefined, threads: 1 });
    console.log(reader.name, missing?.code);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  assert.equal(stdout.trim(), 'rules MODEL_NOT_INSTALLED', stderr);
});

test('on WebAssembly the scores are nearly those of native code', async () => {
  const program = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(specifier, context, next) {
      if (specifier === 'onnxruntime-node') throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(specifier, context); } });
    const { openReader } = await import(${JSON.stringify(new URL('open-reader.ts', import.meta.url).href)});
    const { reader } = await openReader('trained', { nearness: async () => undefined, threads: 1 });
    const candidates = ${JSON.stringify(SENTENCES.map(candidate))};
    console.log(JSON.stringify(await reader.score(${JSON.stringify(QUESTION)}, candidates)));
    await reader[Symbol.asyncDispose]();`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  const scores = JSON.parse(stdout || '[]') as number[];
  const { reader } = await openReader('trained', { nearness: noNearness, threads: 1 });
  await using _closed = reader;
  const native = await reader.score(QUESTION, SENTENCES.map(candidate));
  for (const [at, score] of native.entries())
    assert.ok(Math.abs(score - (scores[at] ?? 9)) < 0.15, `${score} and ${scores[at]} ${stderr.slice(0, 500)}`);
});
