import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';

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
// DIR; programs that need Java or poppler are left out where those are missing. Prints tables in Markdown.

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
  const parts = readHalves(set, papers);
  const means: Mean[] = [['DocsToKG', own.mean, own.parts['kept'], 0]];
  for (const peer of peers) {
    const out = join(folder, peer.name, name);
    await readWith(
      peer,
      ids.map((id) => join(papers, `${id}.pdf`)),
      folder,
      out,
    );
    const written = new Set(readdirSync(out));
    // A paper that it could not read counts as an empty one.
    const rows = ids.map((id) => {
      const truth = scorer.readTruth(join(papers, id + set.truth));
      const file = id + peer.extension;
      const read = written.has(file) ? scorer.readPred(join(out, file)) : { blocks: [], structured: true };
      return { id, row: { ...rowOf(scorer.scoreDoc(read, truth)), plain: null } };
    });
    const { mean, parts: of } = summarise(rows, parts);
    means.push([
      peer.installs ?? peer.name,
      mean,
      of['kept'],
      ids.length - rows.filter(({ id }) => written.has(id + peer.extension)).length,
    ]);
  }
  print(set, ids.length, means);
}

type Mean = readonly [name: string, all: Row, kept: Row | undefined, unread: number];

function print({ name }: ScoreSet, papers: number, means: readonly Mean[]): void {
  const columns = SHOWN.filter(([column]) => means.some(([, all]) => all[column] !== null));
  const table = (title: string, pick: (mean: Mean) => Row | undefined): void => {
    console.log(`\n${title}\n`);
    console.log(`| | ${columns.map(([, label]) => label).join(' | ')} |`);
    console.log(`| --- |${columns.map(() => ' --- |').join('')}`);
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
      console.log(`| ${mean[0]}${mean[3] > 0 ? ` (${mean[3]} not read)` : ''} | ${cells.join(' | ')} |`);
    }
  };
  table(`${name}, ${papers} papers`, ([, all]) => all);
  if (means[0]?.[2] !== undefined)
    table(`${name}, only papers of publishers that were not looked at while rules were made`, ([, , kept]) => kept);
}
