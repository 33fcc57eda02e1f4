import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Admin, DEFAULT_POLICY, expectedOutcome, Simulation, webTime } from '../../sim/index.ts';
import { openCorpus } from '../../src/corpus/index.ts';
import { manifestRow } from '../../src/download/index.ts';
import type { IndexedPassage } from '../../src/search/index.ts';
import { buildIndex } from '../../test/support/build-index.ts';
import { writeReport } from '../../src/serve/index.ts';
import { CorpusStore } from '../../src/database/index.ts';
import { emptyRecord, NO_IDS, workFromIds } from '../../src/works/index.ts';
import { paragraphs } from '../../test/fixtures/papers.ts';
import { checkOptions } from '../../test/support/options.ts';

// `node scripts/verify.ts large-corpus [--works 100000 --passages 1000000]`: makes a corpus of that size and prints what
// questions to it cost, each asked by a new process: CPU seconds, peak memory, and how many rows the answer has.
// `--folder F` makes it there, or asks the one that is there, and keeps it.

const values = checkOptions({ works: 100_000, passages: 1_000_000, folder: '', ask: '', sim: '', id: '' });
const BATCH = 5_000;
const TIME_SCALE = 0.01;

const questions: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  async list(folder) {
    await using corpus = await openCorpus(folder);
    return (await corpus.library.works({ sort: 'year', order: 'desc', limit: 50 })).total;
  },
  async filter(folder) {
    await using corpus = await openCorpus(folder);
    return (await corpus.library.works({ title: 'reefs 77', year: '2001-2010', outcome: 'saved' })).total;
  },
  async account(folder) {
    await using corpus = await openCorpus(folder);
    return (await corpus.library.account()).works;
  },
  async search(folder) {
    await using corpus = await openCorpus(folder);
    return (await corpus.search('does heat harm the proteins of reef fish?', { mode: 'lexical' })).length;
  },
  async 'one more work'(folder) {
    await using corpus = await openCorpus(folder, { sim: values.sim, web: webTime(TIME_SCALE) });
    let saved = 0;
    for await (const event of corpus.run({ ids: [values.id], until: 'files' }))
      if (event.kind === 'queue' && event.event.kind === 'job-settled') saved += 1;
    return saved;
  },
  async report(folder) {
    return statSync((await writeReport({ folder })).path).size;
  },
};

/** Writes the logs that a run of so many works leaves, and the index of their passages. */
async function make(folder: string, works: number, passages: number): Promise<void> {
  const manifests = join(folder, 'Data', 'Manifests');
  mkdirSync(manifests, { recursive: true });
  const texts = paragraphs(2_000);
  for (let from = 0; from < works; from += BATCH) {
    const logs: Record<string, string[]> = {};
    const line = (log: string, value: unknown): void => void (logs[log] ??= []).push(`${JSON.stringify(value)}\n`);
    for (let at = from; at < Math.min(works, from + BATCH); at += 1) {
      const [openalex, doi, title] = [`W${at + 1}`, `10.5555/w${at}`, `Reefs ${at % 997} and heat, part ${at}`];
      const work = workFromIds({ ...NO_IDS, openalex }, { title });
      if (!work) throw new Error('no work');
      const outcome = { kind: 'failed', reason: 'no-plan', detail: null } as const;
      const row = manifestRow(
        { work, outcome, attempts: [], problems: [], asked: [], startedAt: at, endedAt: at },
        'r',
      );
      const saved = { outcome: 'saved', reason: 'success', path: `PDF/${openalex}.pdf`, kind: 'pdf', bytes: 9 };
      line('manifest.jsonl', at % 4 === 3 ? row : { ...row, ...saved });
      const record = {
        ...emptyRecord(openalex, { openalex, doi }),
        title,
        date: String(1990 + (at % 35)),
        citedBy: at % 50,
      };
      line('records.jsonl', { kind: 'record', record: { ...record, venue: `Journal ${at % 300}` } });
      if (at % 4 === 3) continue;
      for (const stage of ['doctags', 'chunk'])
        line(`Data/Manifests/docparse.${stage}.manifest.jsonl`, {
          stage,
          doc_id: openalex,
          status: 'success',
          finished_at: '',
        });
    }
    for (const [log, lines] of Object.entries(logs)) appendFileSync(join(folder, log), lines.join(''));
  }
  const each = Math.ceil(passages / works);
  function* all(): Generator<IndexedPassage> {
    for (let at = 0; at < passages; at += 1) {
      const document = `W${Math.floor(at / each) + 1}`;
      const text = `${texts[at % texts.length] ?? ''} ${at}`;
      yield {
        id: String(at),
        document,
        title: `Reefs of ${document}`,
        headings: [],
        page: 1,
        file: '',
        text,
        vector: undefined,
      };
    }
  }
  await buildIndex(folder, all());
}

/** The simulated web is in this process, which must not block. */
async function ask(name: string, folder: string, more: readonly string[] = []): Promise<void> {
  const words = [...process.execArgv, fileURLToPath(import.meta.url), '--ask', name, '--folder', folder, ...more];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [status] = (await once(child, 'exit')) as [number | null];
  if (status !== 0) process.exitCode = 1;
}

const loaded = process.cpuUsage();

/** Does not load the program: in a clone its sources would be compiled first. */
function cost(): string {
  const { user, system } = process.cpuUsage(loaded);
  return `${((user + system) / 1e6).toFixed(2)} CPU s, ${(process.resourceUsage().maxRSS / 1e3).toFixed(0)} MB`;
}

async function measure(): Promise<void> {
  const folder = values.folder === '' ? mkdtempSync(join(tmpdir(), 'large-corpus-')) : values.folder;
  if (!existsSync(join(folder, 'manifest.jsonl'))) await make(folder, values.works, values.passages);
  using store = CorpusStore.create(folder);
  store.ingestAll();
  console.log(`${values.works} works, ${values.passages} passages: made and ingested, ${cost()}`);
  for (const name of ['list', 'filter', 'account', 'search', 'report']) await ask(name, folder);
  await using simulation = await Simulation.open({
    parameters: { seed: 11, works: 20, hosts: 4, profile: 'calm' },
    documents: 'plain',
    timeScale: TIME_SCALE,
  });
  await using admin = await Admin.open(simulation);
  const works = expectedOutcome(simulation.world, DEFAULT_POLICY);
  const id = works.find(({ outcome }) => outcome === 'saved')?.work.id ?? '';
  await ask('one more work', folder, ['--sim', admin.url, '--id', id]);
  if (values.folder === '') rmSync(folder, { recursive: true });
}

if (values.ask === '') await measure();
else console.log(`${values.ask}: ${String(await questions[values.ask]?.(values.folder))}, ${cost()}`);
