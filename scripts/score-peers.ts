import { copyFileSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

import { measureCommand } from '../bench/kit.ts';
import { packageRoot } from '../src/base/index.ts';
import { checkOptions } from '../test/support/options.ts';
import { nothingMeasured, OPEN_PAPERS } from './score/data.ts';
import { installPeers, readWith } from './score/peers.ts';
import type { Row } from './score/score-set.ts';
import { loadScorer, missingData, readHalves, rowOf, scoreSet, summarise } from './score/score-set.ts';
import type { Column, ScoreSet } from './score/sets.ts';
import { LOWER_IS_BETTER, SETS } from './score/sets.ts';

// npm run score:peers [-- --sets pdf,pmc,publishers] [--only REGEXP] [--folder DIR]
// Other programs that read PDFs, and ours, on the same papers with the same scorer. Packages from npm are installed in
// DIR; programs that need Java or poppler are left out where those are missing. Prints tables in Markdown, with the pages
// that each reads in a second of one core, starting included (on Linux).

/** What Markdown can say, with the names of the table. */
const SHOWN: readonly (readonly [column: Column, name: string])[] = [
  ['text', 'text'],
  ['bow', 'words'],
  ['headF1', 'headings'],
  ['hlevel', 'their levels'],
  ['tabDet', 'tables found'],
  ['teds', 'tables'],
  ['list', 'lists'],
  ['leak', 'furniture ↓'],
];

const options = checkOptions({
  sets: 'pdf,pmc',
  only: '',
  folder: join(packageRoot(), 'node_modules', '.cache', 'peers'),
});
const absent = missingData();
if (absent !== undefined) nothingMeasured(`${absent} does not exist`);
const folder = resolve(options.folder);
const { peers, absent: others } = installPeers(folder);
const only = options.only === '' ? undefined : new RegExp(options.only);
const scorer = await loadScorer();
console.log(
  `Node ${process.version}, ${availableParallelism()} cores.${others.length === 0 ? '' : ` Not compared: ${others.join(', ')}.`}`,
);
for (const name of options.sets.split(',')) {
  const set = SETS.find((each) => each.name === name) ?? nothingMeasured(`no set ${name}`);
  const papers = resolve(OPEN_PAPERS, set.folder);
  const { plain: _, ...scored } = set;
  const own = await scoreSet(scored, { only });
  const ids = own.rows.map(({ id }) => id);
  const files = ids.map((id) => join(papers, `${id}.pdf`));
  const { pages, cpuSeconds: ownSeconds } = await readOurselves(files);
  const parts = readHalves(set, papers);
  const means: Mean[] = [
    { name: 'DocsToKG', all: own.mean, kept: own.parts['kept'], unread: 0, pace: pages / ownSeconds },
  ];
  for (const peer of peers) {
    const out = join(folder, peer.name, name);
    const { cpuSeconds } = await readWith(peer, files, folder, out);
    const written = new Set(readdirSync(out));
    // A paper that it could not read counts as an empty one.
    const rows = ids.map((id) => {
      const truth = scorer.readTruth(join(papers, id + set.truth));
      const file = id + peer.extension;
      const read = written.has(file) ? scorer.readPred(join(out, file)) : { blocks: [], structured: true };
      return { id, row: { ...rowOf(scorer.scoreDoc(read, truth)), plain: null } };
    });
    const { mean, parts: of } = summarise(rows, parts);
    const unread = ids.filter((id) => !written.has(id + peer.extension)).length;
    means.push({ name: peer.installs ?? peer.name, all: mean, kept: of['kept'], unread, pace: pages / cpuSeconds });
  }
  print(set, ids.length, means);
}

interface Mean {
  readonly name: string;
  readonly all: Row;
  /** The papers of publishers that were not looked at. */
  readonly kept: Row | undefined;
  /** Papers that it could not read. */
  readonly unread: number;
  /** Pages per CPU second; NaN where the system does not tell. */
  readonly pace: number;
}

/** What reading takes with the command of ours, in one process, with what it writes unless more is asked for. */
async function readOurselves(
  files: readonly string[],
): Promise<{ readonly pages: number; readonly cpuSeconds: number }> {
  const work = mkdtempSync(join(tmpdir(), 'score-peers-'));
  try {
    mkdirSync(join(work, 'in'));
    for (const file of files) copyFileSync(file, join(work, 'in', basename(file)));
    const words = [
      'doctags',
      '--input',
      join(work, 'in'),
      '--data-root',
      join(work, 'out'),
      '--workers',
      '1',
      '--json',
    ];
    const { cpuSeconds } = await measureCommand(process.execPath, [join(packageRoot(), 'bin', 'docparse'), ...words]);
    const made = globSync('out/**/*.doctags', { cwd: work }).map((file) => readFileSync(join(work, file), 'utf8'));
    // DocTags has a mark between two pages.
    return { pages: made.reduce((sum, text) => sum + text.split('<page_break>').length, 0), cpuSeconds };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function print({ name }: ScoreSet, papers: number, means: readonly Mean[]): void {
  const columns = SHOWN.filter(([column]) => means.some(({ all }) => all[column] !== null));
  const table = (title: string, pick: (mean: Mean) => Row | undefined): void => {
    console.log(`\n${title}\n`);
    console.log(`| | ${columns.map(([, label]) => label).join(' | ')} | pages per CPU s |`);
    console.log(`| --- |${columns.map(() => ' --- |').join('')} --- |`);
    for (const mean of means) {
      const row = pick(mean);
      const cells = columns.map(([column]) => {
        const values = means.map((each) => pick(each)?.[column] ?? null).filter((value) => value !== null);
        const best = LOWER_IS_BETTER.has(column) ? Math.min(...values) : Math.max(...values);
        const value = row?.[column] ?? null;
        if (value === null) return '–';
        const text = value.toFixed(3).replace(/^0/, '');
        return value === best ? `**${text}**` : text;
      });
      const pace = Number.isNaN(mean.pace) ? '–' : mean.pace.toFixed(0);
      console.log(
        `| ${mean.name}${mean.unread > 0 ? ` (${mean.unread} not read)` : ''} | ${[...cells, pace].join(' | ')} |`,
      );
    }
  };
  table(`${name}, ${papers} papers`, ({ all }) => all);
  if (means[0]?.kept !== undefined)
    table(`${name}, only papers of publishers that were not looked at while rules were made`, ({ kept }) => kept);
}
