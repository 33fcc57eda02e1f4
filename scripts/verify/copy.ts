import { existsSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';

import { systemClock } from '../../src/base/index.ts';
import { loadConfig, settingsLayer } from '../../src/config/index.ts';
import type { Corpus } from '../../src/corpus/index.ts';
import { copyCorpus, openCorpus } from '../../src/corpus/index.ts';
import type { SearchMode } from '../../src/search/index.ts';
import { corpusFacts } from '../../test/support/corpus-facts.ts';
import { checkOptions } from '../../test/support/options.ts';
import { nothingMeasured } from '../score/data.ts';

// npm run verify:copy -- --folder RUN --database postgres://user@host/database [--questions 100]
// Copies a corpus into an empty schema (`--schema`) and back into a folder, and compares everything that the three answer:
// works, documents, account, graph, exports, answers; and how many of the first ten hits are the same.

const values = checkOptions({
  folder: '',
  database: '',
  schema: 'verify_copy',
  questions: 100,
  asked: 10,
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
const copy = (from: string, to: string) =>
  copyCorpus(from, to, {
    load: (layer) =>
      loadConfig({ folder: scratch.path, environment: {}, flags: [...settingsLayer(settings, 'check'), ...layer] })
        .config,
    runtime: { clock: systemClock, log: () => undefined },
    report: () => undefined,
    signal: new AbortController().signal,
  });

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
for (const fault of faults) console.log(`DIFF ${fault}`);
if (faults.length === 0) console.log(`ok   ${Object.keys(expected).join(', ')}: the same in all three`);
process.exitCode = faults.length === 0 ? 0 : 1;

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
