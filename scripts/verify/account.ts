import { appendFileSync, existsSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { Admin, Simulation } from '../../sim/index.ts';
import type { Account } from '../../src/library/index.ts';
import type { Corpus } from '../../src/corpus/index.ts';
import { openCorpus } from '../../src/corpus/index.ts';
import { importDecisions, Screening } from '../../src/screen/index.ts';
import type { ManifestRow } from '../../src/download/index.ts';
import { REASONS } from '../../src/download/index.ts';
import { createMcp } from '../../src/mcp/index.ts';
import { openServer, writeReport } from '../../src/serve/index.ts';
import type { WorkRecord } from '../../src/works/index.ts';
import { workFromLine } from '../../src/works/lists/listed-work.ts';
import { startCommand } from '../../test/e2e/started-command.ts';
import { seededRandom } from '../../test/fixtures/random-document.ts';
import { PATIENCE } from '../../test/support/harvest.ts';
import { checkOptions } from '../../test/support/options.ts';
import { readJsonLines } from '../score/data.ts';

// `npm run verify:account [-- --seeds 20 --profiles calm,realistic,reality]`: runs lists with repeated works, several ids per
// work and unreadable entries, twice; splits a merge, labels works, marks scans; and compares every number that the program
// shows with counts made here from the logs.

const values = checkOptions({
  seeds: 20,
  first: 1_000 + Math.floor(Math.random() * 1e6),
  profiles: 'calm,realistic,reality',
  works: 30,
});
const ENV = { ...PATIENCE, DOCSTOKG_PARSE__DENSE: 'none', DOCSTOKG_STAGE__WORKERS: '1' };
const TOKEN = 'a-token-for-this-check';

type Numbers = Readonly<Record<string, number>>;

/** The lines of a log; none if it is not written yet. */
function jsonLines<T>(path: string): T[] {
  return existsSync(path) ? readJsonLines<T>(path) : [];
}

/** Groups of names of the same thing. */
class Names {
  readonly #parent = new Map<string, string>();

  root(name: string): string {
    const parent = this.#parent.get(name);
    return parent === undefined ? name : this.root(parent);
  }

  join(one: string, other: string): void {
    const [a, b] = [this.root(one), this.root(other)];
    if (a !== b) this.#parent.set(a, b);
  }
}

const NO_WORK = new Set(['unreadable-entry', 'title-doubtful', 'title-unknown']);

/** Counts from the logs of a folder, without using code of the program. */
function truthOf(folder: string, lastRun: string): { readonly numbers: Numbers; readonly roots: Names } {
  const rows = jsonLines<ManifestRow>(join(folder, 'manifest.jsonl'));
  const records = jsonLines<{
    kind: string;
    record?: WorkRecord;
    times?: [string, number][];
    said?: WorkRecord[];
    work?: string;
    document?: string;
  }>(join(folder, 'records.jsonl'));
  const decisions = jsonLines<{ kind: string; work: string; of: string; same: boolean; decision: string }>(
    join(folder, 'decisions.jsonl'),
  );
  // The last row of each work, in the order in which they were written.
  const last = new Map<string, ManifestRow>();
  for (const row of rows) {
    last.delete(row.work);
    last.set(row.work, row);
  }
  const splits = decisions.filter(({ kind, same }) => kind === 'identity' && !same);
  const split = new Set(splits.map(({ work }) => work));
  const isSplit = (one: string, other: string): boolean =>
    splits.some(({ work, of }) => work === one && (of === other || !one.startsWith('W')));
  const names = new Names();
  for (const { record } of records)
    if (record) {
      const { doi, pmid, pmcid, arxiv } = record.ids;
      const ids = Object.entries({ doi: doi?.toLowerCase(), pmid, pmcid, arxiv: arxiv?.id });
      for (const [kind, id] of ids)
        if (
          id !== undefined &&
          id !== null &&
          !isSplit(`${kind}:${id}`, record.id) &&
          !isSplit(record.id, `${kind}:${id}`)
        )
          names.join(`${kind}:${id}`, record.id);
    }
  let merged = 0;
  for (const { work, reason, duplicate_of: of } of last.values())
    if (reason === 'duplicate' && typeof of === 'string' && !split.has(work)) {
      merged += 1;
      names.join(work, of);
    }
  const works = new Map<string, ManifestRow | undefined>();
  for (const { record, said, work } of records) {
    if (record) works.set(names.root(record.id), undefined);
    // Records read from a document belong to its work.
    if ((said?.length ?? 0) > 0 && work !== undefined) works.set(names.root(work), undefined);
  }
  let unreadable = 0;
  for (const row of last.values()) {
    if (row.reason === 'duplicate') continue;
    if (row.reason === 'entry-identified') works.delete(row.work);
    else if (NO_WORK.has(row.reason) && row.title === null) {
      works.delete(row.work);
      unreadable += 1;
    } else {
      const root = names.root(row.work);
      const before = works.get(root);
      if (before?.outcome !== 'saved' || row.outcome === 'saved') works.set(root, row);
    }
  }
  // Two names of a work that were both tried.
  const isTried = ({ work, reason }: ManifestRow): boolean =>
    !['duplicate', 'entry-identified'].includes(reason) && !work.startsWith('entry:') && !split.has(work);
  const tried = [...last.values()].filter(isTried);
  merged += tried.length - new Set(tried.map(({ work }) => names.root(work))).size;
  const times = new Map(records.flatMap(({ times: counts }) => counts ?? []));
  const repeated = merged + [...times.values()].reduce((sum, each) => sum + each, 0);
  const count = (is: (row: ManifestRow | undefined) => boolean): number => [...works.values()].filter(is).length;
  const later = (row: ManifestRow): boolean => REASONS[row.reason].later;
  const labels = new Map<string, string>();
  for (const { kind, work, decision } of decisions) if (kind === 'screened') labels.set(names.root(work), decision);
  const versions = new Names();
  let others = 0;
  for (const { kind, work, of } of decisions)
    if (kind === 'version') {
      const [a, b] = [versions.root(names.root(work)), versions.root(names.root(of))];
      if (a !== b) others += 1;
      versions.join(a, b);
    }
  const stage = (name: string): ManifestOfStage[] =>
    jsonLines(join(folder, 'Data', 'Manifests', `docparse.${name}.manifest.jsonl`));
  const parsed = new Map<string, string>();
  const partial = new Map<string, boolean>();
  for (const { doc_id: id, status, reason, completeness } of stage('doctags')) {
    parsed.set(id, status === 'skip' && reason !== 'needs-ocr' ? 'success' : (reason ?? status));
    if (status !== 'skip') partial.set(id, completeness === 'partial');
  }
  return {
    roots: names,
    numbers: {
      listed: works.size,
      downloaded: count((row) => row?.outcome === 'saved'),
      deferred: count((row) => row?.outcome === 'parked'),
      failed: count((row) => row?.outcome === 'failed' && later(row)),
      unavailable: count((row) => row?.outcome === 'skipped' || (row?.outcome === 'failed' && !later(row))),
      waiting: count((row) => row === undefined),
      downloaded_this_run: count((row) => row?.outcome === 'saved' && row.run_id === lastRun),
      unidentified: [...works.keys()].filter((work) => work.startsWith('entry:')).length,
      unreadable_entries: unreadable,
      repeated_entries: repeated,
      other_versions: others,
      included: [...labels.values()].filter((label) => label === 'include').length,
      excluded: [...labels.values()].filter((label) => label === 'exclude').length,
      parsed: [...parsed.values()].filter((status) => status === 'success').length,
      partial: [...partial.values()].filter(Boolean).length,
      scans: [...parsed.values()].filter((status) => status === 'needs-ocr').length,
    },
  };
}

interface ManifestOfStage {
  readonly doc_id: string;
  readonly status: string;
  readonly reason?: string;
  readonly completeness?: string;
}

/** The numbers shown by every part of the program. */
async function shownIn(folder: string, corpus: Corpus, summary: string): Promise<Map<string, Numbers>> {
  const shown = new Map<string, Numbers>();
  const text = async (format: 'csv' | 'prisma' | 'bibtex'): Promise<string> =>
    (await Array.fromAsync(corpus.export({ format, asItIs: true }))).join('');
  const found = (pattern: RegExp, said: string): number => Number(pattern.exec(said)?.[1]?.replaceAll(',', '') ?? 0);
  shown.set('summary on the command line', {
    listed: found(/([\d,]+)\s+listed/, summary),
    downloaded: found(/([\d,]+)\s+downloaded/, summary),
    downloaded_this_run: found(/\(([\d,]+)\s+of\s+them\s+now\)/, summary),
    unavailable: found(/([\d,]+)\s+unavailable/, summary),
    deferred: found(/([\d,]+)\s+deferred/, summary),
    failed: found(/([\d,]+)\s+failed,\s+retryable/, summary),
    unidentified: found(/([\d,]+)\s+known\s+by\s+their\s+title/, summary),
    unreadable_entries: found(/([\d,]+)\s+unreadable\s+entries/, summary),
    repeated_entries: found(/([\d,]+)\s+repeated\s+entries/, summary),
    included: found(/([\d,]+)\s+included/, summary),
    excluded: found(/([\d,]+)\s+excluded/, summary),
    scans: found(/Scans\s+([\d,]+)/, summary),
    partial: found(/Partial\s+([\d,]+)/, summary),
  });
  const run = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as {
    account: { works: Numbers; scans: number; partial: number };
  };
  const { listed_by_file, repeated_by_file, unreadable_by_file } = run.account.works as unknown as Readonly<
    Record<'listed_by_file' | 'repeated_by_file' | 'unreadable_by_file', Numbers>
  >;
  const ofFiles = Object.entries(listed_by_file).flatMap(([name, works]) => [
    [`listed in ${name}`, works] as const,
    [`entries of ${name}`, works + (repeated_by_file[name] ?? 0) + (unreadable_by_file[name] ?? 0)] as const,
  ]);
  shown.set('run.json, by file', Object.fromEntries(ofFiles));
  shown.set('run.json', { ...run.account.works, scans: run.account.scans, partial: run.account.partial });
  const csv = (await text('csv')).split('\r\n').filter((line) => line !== '');
  const outcomes = csv
    .slice(1)
    .map((line) => /,(saved|local|parked|failed|skipped|waiting|unreadable),/.exec(line)?.[1]);
  const inCsv = (...names: string[]): number => outcomes.filter((each) => names.includes(each ?? '')).length;
  shown.set('export --format csv', {
    listed: csv.length - 1,
    ...byOutcome((name) => inCsv(name)),
  });
  const prisma = JSON.parse(await text('prisma')) as Account['prisma'];
  shown.set('export --format prisma', ofPrisma(prisma));
  await Array.fromAsync(corpus.export({ format: 'prisma', out: join(folder, 'flow'), asItIs: true }));
  const svg = readFileSync(join(folder, 'flow.svg'), 'utf8');
  const n = (name: string): number => found(new RegExp(`${name} \\(n = ([\\d,]+)\\)`), svg);
  shown.set('PRISMA diagram', {
    'prisma identified': n('Records identified'),
    unreadable_entries: n('unreadable entries'),
    unidentified: n('known by title, authors and year only'),
    excluded: n('Records excluded'),
    'prisma not retrieved': n('Reports not retrieved'),
    'prisma retrieved': n('Reports retrieved'),
  });
  shown.set('export --format bibtex', {
    'listed, without excluded': (await text('bibtex')).match(/^@/gm)?.length ?? 0,
  });
  await inServer(corpus, shown);
  const { path } = await writeReport({ folder, corpus: { config: corpus.config } });
  const report = readFileSync(path, 'utf8');
  const block = /data-path="\/runs\/[^"/]+\/account">([\w+/=]*)</.exec(report)?.[1] ?? '';
  shown.set('report', ofAccount(JSON.parse(gunzipSync(Buffer.from(block, 'base64')).toString()) as ServedAccount));
  return shown;
}

interface ServedAccount extends Pick<Account, 'prisma'> {
  readonly counts: Numbers;
  readonly outcomes: Numbers;
  readonly reasons: readonly { readonly works: number }[];
}

const OUTCOMES = {
  saved: 'downloaded',
  local: 'local',
  parked: 'deferred',
  failed: 'failed',
  skipped: 'unavailable',
  waiting: 'waiting',
} as const;

function byOutcome(count: (outcome: string) => number): Numbers {
  return Object.fromEntries(Object.entries(OUTCOMES).map(([outcome, name]) => [name, count(outcome)]));
}

function ofPrisma(prisma: Account['prisma']): Numbers {
  return {
    'prisma identified': prisma.identified,
    'prisma duplicates': prisma.removed_before_screening.duplicates,
    'prisma records': prisma.records,
    unidentified: prisma.unidentified,
    unreadable_entries: prisma.removed_before_screening.unreadable_entries,
    screened: prisma.screened,
    excluded: prisma.excluded,
    'prisma not retrieved': prisma.not_retrieved,
    'prisma retrieved': prisma.retrieved,
  };
}

function ofAccount({ counts, outcomes, prisma, reasons }: ServedAccount): Numbers {
  const sum = Object.values(outcomes).reduce((all, each) => all + each, 0);
  return {
    ...counts,
    ...byOutcome((name) => outcomes[name] ?? 0),
    ...ofPrisma(prisma),
    listed: sum,
    'without a file, tried': reasons.reduce((all, { works }) => all + works, 0),
  };
}

async function inServer(corpus: Corpus, shown: Map<string, Numbers>): Promise<void> {
  const runs = [{ id: 'r', corpus }];
  await using server = await openServer({
    runs,
    queue: undefined,
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    version: 'v',
    log: () => undefined,
  });
  const ask = async (path: string): Promise<string> => {
    const answer = await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${TOKEN}` } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text;
  };
  const json = async <T>(path: string): Promise<T> => JSON.parse(await ask(`/api/v1/runs/r${path}`)) as T;
  shown.set('HTTP account', ofAccount(await json<ServedAccount>('/account')));
  const total = async (query: string): Promise<number> =>
    (await json<{ total: number }>(`/works?limit=1${query}`)).total;
  const totals: Record<string, number> = {};
  for (const [outcome, name] of Object.entries(OUTCOMES)) totals[name] = await total(`&outcome=${outcome}`);
  shown.set('HTTP works', {
    ...totals,
    listed: await total(''),
    unreadable_entries: await total('&outcome=unreadable'),
  });
  const line = await json<{ works: number; saved: number; documents: number }>('');
  shown.set('HTTP run', { listed: line.works, 'downloaded and local': line.saved, parsed: line.documents });
  const { resolvers } = await json<{ resolvers: readonly { saved: number }[] }>('/sources');
  shown.set('HTTP sources', { downloaded: resolvers.reduce((sum, { saved }) => sum + saved, 0) });
  const stages = await json<{ items: readonly { name: string; needs_ocr: number }[] }>('/stages');
  shown.set('HTTP stages', { scans: stages.items.find(({ name }) => name === 'doctags')?.needs_ocr ?? 0 });
  const metrics = await ask('/metrics');
  const metric = (outcome: string): number =>
    Number(new RegExp(`docstokg_run_works\\{run="r",outcome="${outcome}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0);
  shown.set('metrics', byOutcome(metric));
  const { fetch: handle } = createMcp({ runs: [{ id: 'r', corpus }] as never, version: '0' });
  const client = new Client({ name: 'check', version: '0' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
      fetch: async (url, init) => await handle(new Request(url, init)),
    }),
  );
  const answer = await client.callTool({ name: 'account', arguments: {} });
  await client.close();
  const [answered] = (answer.structuredContent as { corpora: Numbers[] }).corpora;
  shown.set('MCP account', {
    listed: answered?.['works'] ?? 0,
    'downloaded and local': answered?.['texts'] ?? 0,
    'without a file, tried': answered?.['missing'] ?? 0,
    waiting: answered?.['waiting'] ?? 0,
    excluded: answered?.['excluded'] ?? 0,
    parsed: answered?.['documents'] ?? 0,
  });
}

function derived(numbers: Numbers): Numbers {
  const of = (name: string): number => numbers[name] ?? 0;
  const duplicates = of('repeated_entries') + of('other_versions');
  return {
    ...numbers,
    'downloaded and local': of('downloaded'),
    'without a file, tried': of('deferred') + of('failed') + of('unavailable'),
    'listed, without other versions': of('listed') - of('other_versions'),
    'listed, without excluded': of('listed') - of('excluded'),
    screened: of('included') + of('excluded'),
    'prisma identified': of('listed') + of('unreadable_entries') + of('repeated_entries'),
    'prisma duplicates': duplicates,
    'prisma records': of('listed') - of('other_versions'),
  };
}

async function check(
  seed: number,
  profile: string,
): Promise<{ readonly differences: string[]; readonly compared: number }> {
  const random = seededRandom(seed);
  const pick = (most: number): number => Math.floor(random() * most);
  const parameters = { seed, works: values.works, hosts: 6, profile: profile as 'calm' };
  await using simulation = await Simulation.open({ parameters, timeScale: 0.005, documents: 'plain' });
  await using admin = await Admin.open(simulation);
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'verify-account-'));
  const folder = temporary.path;
  const indices = Array.from({ length: parameters.works }, (_, index) => index);
  const nameOf = (index: number): string => {
    const { doi, pmid, pmcid, id } = simulation.world.work(index);
    const names = [doi, pmid, pmcid, id].filter((name) => name !== null);
    return names[pick(names.length)] ?? id;
  };
  const broken = (): string => `not an id ${pick(1e6)}`;
  const list = (share: number): string =>
    [
      ...indices.filter(() => random() < share).map(nameOf),
      ...indices.filter(() => random() < share / 2).map(nameOf),
      broken(),
    ].join('\n');
  const lists = ['a.txt', 'b.txt', 'c.txt'];
  for (const name of lists) writeFileSync(join(folder, name), `${list(0.5)}\n`);
  const out = join(folder, 'out');
  const run = async (...inputs: string[]): Promise<string> => {
    const options = ['run', '--input', ...inputs, '--out', 'out', '--sim', admin.url, '--workers', '8'];
    await using started = startCommand('docstokg', options, { cwd: folder, env: ENV });
    const { code } = await started.ended;
    if (code !== 0 && code !== 1) throw new Error(`${profile} ${seed}: exit ${code}\n${started.stderr}`);
    return started.stdout;
  };
  await run('a.txt', 'b.txt');
  await run(...lists);
  const queue = ['queue', 'retry-failed', '--queue', join(out, 'state', 'workqueue.sqlite')];
  await using retried = startCommand('contentdownload', queue, { cwd: folder });
  await retried.ended;
  await using corpus = await openCorpus(out, { settings: { parse: { dense: 'none' } } });
  // Screening, a split, a scan and a document that was parsed in part.
  const rows = jsonLines<ManifestRow>(join(out, 'manifest.jsonl'));
  const worksOf = [...new Set(rows.filter(({ reason }) => !NO_WORK.has(reason)).map(({ work }) => work))];
  const labels = worksOf.filter(() => random() < 0.4).map((work) => `${work},${pick(2)}`);
  writeFileSync(join(folder, 'labels.csv'), `record_id,included\n${labels.join('\n')}\n`);
  {
    using screening = Screening.open(out);
    await importDecisions(screening, join(folder, 'labels.csv'));
  }
  const duplicate = rows.findLast(({ reason }) => reason === 'duplicate');
  if (duplicate && pick(2) === 0) await corpus.versions({ apart: duplicate.work });
  const saved = rows.filter(({ outcome, path }) => outcome === 'saved' && path !== null).slice(0, 2);
  const manifests = join(out, 'Data', 'Manifests');
  mkdirSync(manifests, { recursive: true });
  const states = [
    { status: 'skip', reason: 'needs-ocr' },
    { status: 'success', completeness: 'partial' },
  ];
  for (const [at, { path }] of saved.entries()) {
    const id = (path ?? '').replace(/^.*\//, '').replace(/\.\w+$/, '');
    const row = { stage: 'doctags', doc_id: id, duration_s: 1, finished_at: new Date().toISOString(), ...states[at] };
    appendFileSync(join(manifests, 'docparse.doctags.manifest.jsonl'), `${JSON.stringify(row)}\n`);
  }
  const summary = await run(...lists);
  const lastRun = jsonLines<ManifestRow>(join(out, 'manifest.jsonl')).at(-1)?.run_id ?? '';
  const thisRun = rows.some(({ run_id: id }) => id === lastRun) ? '' : lastRun;
  const { numbers: counted, roots } = truthOf(out, thisRun);
  const byFile = lists.map((name) => {
    const entries = readFileSync(join(folder, name), 'utf8').trim().split('\n').map(workFromLine);
    const named = entries.flatMap((entry) =>
      entry.kind === 'work' ? [roots.root(entry.work.id)] : entry.kind === 'cited' ? [entry.cited.text] : [],
    );
    return { [`listed in ${name}`]: new Set(named).size, [`entries of ${name}`]: entries.length };
  });
  const entries = lists.map((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n').length);
  const identified = entries.reduce((sum, each) => sum + each, 0);
  const truth: Numbers = { ...derived(counted), 'prisma identified': identified, ...Object.assign({}, ...byFile) };
  const differences: string[] = [];
  let compared = 0;
  for (const [place, numbers] of await shownIn(out, corpus, summary))
    for (const [name, number] of Object.entries(numbers)) {
      const expected = truth[name];
      if (expected === undefined || (name === 'downloaded_this_run' && !/command line|run\.json/.test(place))) continue;
      compared += 1;
      if (number !== expected) differences.push(`${place}: ${name} is ${number}, the logs say ${expected}`);
    }
  return { differences, compared };
}

let failed = 0;
for (const profile of values.profiles.split(','))
  for (let seed = values.first; seed < values.first + values.seeds; seed += 1) {
    const { differences, compared } = await check(seed, profile);
    failed += differences.length;
    console.log(`${profile}, seed ${seed}: ${compared} numbers compared, ${differences.length} differences`);
    for (const difference of differences) console.log(`  ${difference}`);
  }
console.log(`${failed} differences`);
process.exitCode = failed === 0 ? 0 : 1;
