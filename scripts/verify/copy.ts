import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';

import type { Corpus } from '../../src/corpus/index.ts';
import { openCorpus } from '../../src/corpus/index.ts';
import type { SearchMode } from '../../src/search/index.ts';
import { columnsFrom, fillTable, readTable, savedTables } from '../../src/table/index.ts';
import { seededRandom } from '../../test/fixtures/random-document.ts';
import { BIN } from '../../test/support/bin.ts';
import { corpusFacts } from '../../test/support/corpus-facts.ts';
import { checkOptions } from '../../test/support/options.ts';
import { nothingMeasured } from '../score/data.ts';

// npm run verify:copy -- --folder RUN --database postgres://user@host/database [--questions 100] [--kills 5] [--seed 1]
// Copies a corpus into an empty schema (`--schema`) and back into a folder, and compares everything that the three answer:
// works, documents, account, graph, exports, answers; and how many of the first ten hits are the same. Then people work in
// the database and fill in a table there, and a copy of the folder gets all of it; each copy is killed `--kills` times.

const values = checkOptions({
  folder: '',
  database: '',
  schema: 'verify_copy',
  questions: 100,
  asked: 10,
  kills: 5,
  seed: 1,
});
const TOP = 10;
const MOST_SHOWN = 400;
const MODES: readonly SearchMode[] = ['lexical', 'dense', 'hybrid'];
if (!existsSync(join(values.folder, 'run.json')) || values.database === '')
  nothingMeasured('give --folder, with a run, and --database');

using scratch = mkdtempDisposableSync(join(tmpdir(), 'verify-copy-'));
const at = (name: string): string => join(scratch.path, name);
/** The graph without the trained tagger, which reads each paper alone. */
const graph = { entities: 'off' } as const;
const settings = { queue: { schema: values.schema }, store: { url: at('store') }, graph } as const;
const random = seededRandom(values.seed);
const counts = { killed: 0, ended: 0 };

/** Copies with the command, which is killed again and again before it may end. */
async function copy(from: string, to: string): Promise<void> {
  const started = performance.now();
  let longest = 0;
  for (let kills = values.kills; ; kills -= 1) {
    const words = ['copy', from, to, '--store', at('store'), '--set', `queue.schema=${values.schema}`];
    const child = spawn(process.execPath, [join(BIN, 'docstokg'), ...words], {
      cwd: scratch.path,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
    // Early and late in what a copy takes, as far as is known.
    const after = 300 + random() * Math.max(2_000, 1.2 * longest);
    const before = performance.now();
    const timer = kills > 0 ? setTimeout(() => child.kill('SIGKILL'), after) : undefined;
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    longest = Math.max(longest, performance.now() - before);
    if (code === null) counts.killed += 1;
    else if (code === 0) {
      counts.ended += 1;
      if (kills <= 0) break;
    } else throw new Error(said.join(''));
  }
  console.log(
    `     copied to ${isUrl(to) ? 'PostgreSQL' : 'a folder'} in ${Math.round((performance.now() - started) / 1000)} s`,
  );
}

function isUrl(place: string): boolean {
  return place.startsWith('postgres');
}

await using alone = await openCorpus(values.folder, { settings: { graph } });
for await (const _ of alone.graph.build());
const questions = await questionsOf(alone);
const expected = await corpusFacts(alone, { questions: questions.slice(0, values.asked) });
await copy(values.folder, values.database);
await using there = await openCorpus(values.database, { settings, copy: at('copy') });
for await (const _ of there.graph.build());
const faults = [...(await differences('in PostgreSQL', there)), ...(await sameHits())];
await copy(values.database, at('back'));
await using back = await openCorpus(at('back'), { settings: { graph } });
faults.push(...(await differences('copied back', back)));
faults.push(...(await workedOn()));
console.log(`     copies killed ${counts.killed} times, ended ${counts.ended} times`);
for (const fault of faults) console.log(`DIFF ${fault}`);
if (faults.length === 0) console.log(`ok   ${Object.keys(expected).join(', ')}: the same in all three`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** People work in the database; then the folder that was copied out of it gets what they did. */
async function workedOn(): Promise<string[]> {
  const { items } = await there.library.works({ limit: values.questions });
  for (const [turn, { id }] of items.entries()) {
    await there.saveNote({ work: id, by: 'ada', text: `note ${turn}` });
    await there.correct(id, 'country', `value ${turn}`);
  }
  await there.saveSet('recent', { filter: 'year:2020-' });
  const before = await tableOf(there, true);
  const decided = await corpusFacts(there, { questions: [] });
  await copy(values.database, at('back'));
  await using later = await openCorpus(at('back'), { settings: { graph } });
  return [
    ...differencesOf('after work in PostgreSQL', decided, await corpusFacts(later, { questions: [] })),
    ...differencesOf('table', before, await tableOf(later, false)),
    ...differencesOf('notes', items.length, later.notes().filter(({ by }) => by === 'ada').length),
  ];
}

/** The rows of a table, filled in or as it is. */
async function tableOf(corpus: Corpus, isFilled: boolean): Promise<unknown> {
  await using session = await corpus.openSearch();
  const columns = columnsFrom(['country', 'sample size:number']);
  if (isFilled) await fillTable(corpus, session, { columns });
  const [table] = await savedTables(corpus);
  return table && (await readTable(corpus, session, table.id)).rows;
}

/** Titles of works, and the beginnings of passages: what papers at hand are about. */
async function questionsOf(corpus: Corpus): Promise<string[]> {
  const { items } = await corpus.library.works({ limit: values.questions });
  return items.flatMap(({ title }) => (title ? [title] : []));
}

async function differences(where: string, corpus: Corpus): Promise<string[]> {
  const facts = await corpusFacts(corpus, { questions: questions.slice(0, values.asked) });
  return differencesOf(where, expected, facts);
}

/** Where two values differ, as paths of fields. */
function differencesOf(where: string, one: unknown, other: unknown): string[] {
  if (isDeepStrictEqual(one, other) || isSameScore(one, other)) return [];
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return [`${where}: ${JSON.stringify(other)} instead of ${JSON.stringify(one)}`.slice(0, MOST_SHOWN)];
  const [own, others] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return [...new Set([...Object.keys(own), ...Object.keys(others)])].flatMap((name) =>
    differencesOf(`${where} ${name}`, own[name], others[name]),
  );
}

/** Scores are sums of floating point numbers in another order: the last of their five digits may differ. */
function isSameScore(one: unknown, other: unknown): boolean {
  const isScore = (value: unknown): value is string => typeof value === 'string' && /^-?\d+\.\d{5}$/.test(value);
  return isScore(one) && isScore(other) && Math.abs(Number(one) - Number(other)) < 2e-5;
}

/** Prints the share of the first ten hits that are the same. */
async function sameHits(): Promise<string[]> {
  const missed: string[] = [];
  const isByWords = (await alone.account())?.account?.index?.searched_by === 'words';
  for (const mode of isByWords ? (['lexical'] as const) : MODES) {
    await using one = await alone.openSearch({ mode });
    await using other = await there.openSearch({ mode });
    let [same, all] = [0, 0];
    for (const question of questions) {
      const [own, others] = [await one.search(question, { top: TOP }), await other.search(question, { top: TOP })];
      const names = new Set(own.map(({ passage }) => passage.id));
      all += own.length;
      same += others.filter(({ passage }) => names.has(passage.id)).length;
    }
    console.log(`     ${mode}: ${same} of ${all} hits of ${questions.length} questions are the same`);
    if (same < 0.98 * all) missed.push(`${mode}: fewer than .98 of the hits are the same`);
  }
  return missed;
}
