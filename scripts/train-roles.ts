import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { openPdf } from '../src/parse/doctags/engines/pdfium.ts';
import { headingSetting } from '../src/parse/doctags/layout/draft-passes.ts';
import { begin, PASSES } from '../src/parse/doctags/layout/layout.ts';
import type { Findings } from '../src/parse/doctags/layout/findings.ts';
import { textOf } from '../src/parse/doctags/layout/draft.ts';
import type { PageContent } from '../src/parse/doctags/layout/page/page-content.ts';
import { headingCandidates, headingKey } from '../src/parse/doctags/layout/role/heading.ts';
import { levelCandidates, levelsOf } from '../src/parse/doctags/layout/role/heading-level.ts';
import { regionsOnPage } from '../src/parse/doctags/layout/table/place-floats.ts';
import { rowFeatures } from '../src/parse/doctags/layout/table/table-rows.ts';
import { tableLines } from '../src/parse/doctags/layout/table/table-grid.ts';
import { nameGlyphs } from '../src/parse/doctags/layout/text/symbol-font.ts';
import type { Features, TreeModel } from '../src/parse/doctags/layout/trees.ts';
import { scoreOf } from '../src/parse/doctags/layout/trees.ts';
import { asked, oneOf, readOptions } from '../test/support/options.ts';
import { countBy } from '../src/parse/doctags/layout/statistics.ts';
import type { Growth } from './score/boosted-trees.ts';
import { trainTrees } from './score/boosted-trees.ts';
import { nothingMeasured, OPEN_PAPERS, SHARED } from './score/data.ts';
import { measureLines } from '../src/parse/doctags/layout/role/line-features.ts';
import type { TruthBlock } from './score/jats-truth.ts';
import { labelLines } from './score/line-labels.ts';
import { truthFromJats } from './score/jats-truth.ts';
import { drawPapers, FOLDS, foldsOf, houseOf, trainingPapers } from './score/left-out.ts';

// npm run train -- lines|headings|levels|rows [--papers DIR] [--per-publisher 40] [--check | --folds DIR]
// Learns from papers with truth which lines are in references and which begin a block, which paragraphs are headings, which levels headings have, or which lines of a table go on
// with a row, and writes the model; the same papers and code give the same file.
// The papers are those beside the clone and, with --papers, those of the training manifest (see `npm run train:papers`).
// Levels are learnt from the headings that the present heading model finds: train headings first.
// --check writes no model: papers are judged by models that saw none of their publisher.
// --folds writes these models into DIR/0 to DIR/4, for `npm run score:parse -- --left-out … --models DIR`.
const { values: options, positionals } = asked(() =>
  readOptions({
    options: {
      check: { type: 'boolean', default: false },
      folds: { type: 'string', default: '' },
      papers: { type: 'string', default: '' },
      'per-publisher': { type: 'string', default: '40' },
    },
    allowPositionals: true,
  }),
);
const LAYOUT = join(import.meta.dirname, '..', 'src', 'parse', 'doctags', 'layout');
const SETS = ['publishers', 'pmc', 'classes', 'pdf'];
const ALIKE = 0.8;
/** More rows say little more, and take longer. */
const MOST_ROWS = 120_000;
/** More papers than these of one publisher look like the others. */
const ALIKE_PAPERS = 4;

/** A candidate: its figures, what it is in truth, and what it belongs to. */
interface Row {
  readonly features: Features;
  /** Which classes it is of, and which not; a class that is not named is unknown. */
  readonly labels: Readonly<Record<string, boolean>>;
  readonly level: number;
  readonly group: string;
}

interface Paper {
  readonly set: string;
  readonly publisher: string;
  /** How many the truth has, found or not. */
  readonly wanted: number;
  readonly rows: readonly Row[];
}

type Models = Readonly<Record<string, TreeModel>>;

interface Task {
  readonly file: string;
  readonly collect: (found: Findings, truth: readonly TruthBlock[]) => Pick<Paper, 'rows' | 'wanted'>;
  readonly before: string;
  readonly growth: Growth;
  /** One model per class. */
  readonly classes: readonly string[];
  /** The share of a paper that is right. */
  readonly score: (paper: Paper, models: Models) => number | undefined;
}

const TASKS: Readonly<Record<string, Task>> = {
  headings: {
    file: join(LAYOUT, 'role', 'heading-model.json'),
    before: 'headings',
    growth: { trees: 120, depth: 4, leaf: 8 },
    classes: ['heading'],
    collect: headingRows,
    score({ rows, wanted }, { heading }) {
      const found = rows.filter(({ features }) => heading && scoreOf(heading, features) > 0);
      const right = found.filter(({ labels }) => labels['heading']).length;
      return wanted === 0 ? undefined : (2 * right) / (found.length + wanted);
    },
  },
  levels: {
    file: join(LAYOUT, 'role', 'level-model.json'),
    before: 'levels',
    growth: { trees: 120, depth: 4, leaf: 8 },
    classes: ['second', 'third'],
    collect: levelRows,
    score({ rows }, models) {
      const levels = levelsOf(
        rows.map(({ features, group }) => ({ features, group, number: features['number'] ?? 0 })),
        models as Parameters<typeof levelsOf>[1],
      );
      const rank = (all: readonly number[]): number[] => {
        const different = [...new Set(all)].sort((a, b) => a - b);
        return all.map((each) => different.indexOf(each));
      };
      const truth = rank(rows.map(({ level }) => level));
      const ours = rank(levels);
      return rows.length === 0 ? undefined : ours.filter((each, at) => each === truth[at]).length / rows.length;
    },
  },
  lines: {
    file: join(LAYOUT, 'role', 'line-model.json'),
    before: 'paragraphs',
    growth: { trees: 120, depth: 5, leaf: 20 },
    classes: ['reference', 'start'],
    collect: lineRows,
    score({ rows }, { reference }) {
      const [found, wanted] = [
        rows.filter(({ features }) => reference && scoreOf(reference, features) > 0),
        rows.filter(({ labels }) => labels['reference']),
      ];
      const right = found.filter(({ labels }) => labels['reference']).length;
      return wanted.length === 0 ? undefined : (2 * right) / (found.length + wanted.length);
    },
  },
  rows: {
    file: join(LAYOUT, 'table', 'row-model.json'),
    before: 'tables',
    growth: { trees: 120, depth: 4, leaf: 8 },
    classes: ['same'],
    collect: tableRows,
    score({ rows }, { same }) {
      const right = rows.filter(
        ({ features, labels }) => same && scoreOf(same, features) > 0 === labels['same'],
      ).length;
      return rows.length === 0 ? undefined : right / rows.length;
    },
  },
};

const [name = ''] = positionals;
asked(() => oneOf('what', name, Object.keys(TASKS)));
const task = TASKS[name];
if (!task || !existsSync(OPEN_PAPERS)) nothingMeasured(`${OPEN_PAPERS} does not exist`);
const { levRatio } = (await import(pathToFileURL(join(SHARED, 'tools', 'parse-score', 'src', 'lcs.ts')).href)) as {
  levRatio: (a: string, b: string) => number;
};
const papers: Paper[] = [];
for (const set of SETS) papers.push(...(await readSet(set, task)));
if (options.papers !== '') papers.push(...(await readManifest(options.papers, Number(options['per-publisher']), task)));
const places = foldsOf(trainingPapers());
const foldOf = (publisher: string): number => places.get(publisher) ?? foldOfOthers(publisher);
if (options.check) check(task);
else if (options.folds !== '')
  for (let fold = 0; fold < FOLDS; fold += 1) {
    mkdirSync(join(options.folds, String(fold)), { recursive: true });
    write(join(options.folds, String(fold), basename(task.file)), train(task, withoutFold(fold)));
  }
else {
  const models = train(task, papers);
  write(task.file, models);
  const forks = Object.values(models).flatMap(({ features, trees }) =>
    trees.flat().flatMap(([feature = 0, ...more]) => (more.length > 0 ? [features[feature] ?? ''] : [])),
  );
  const uses = [...Map.groupBy(forks, (feature) => feature)].map(([feature, all]) => `${feature} ${all.length}`);
  console.log(`forks: ${uses.join(', ')}`);
  console.log(`${task.file}: ${papers.length} papers, ${papers.flatMap(({ rows }) => rows).length} rows`);
}

function write(file: string, models: Models): void {
  writeFileSync(file, `${JSON.stringify(Object.keys(models).length > 1 ? models : Object.values(models)[0])}\n`);
}

function withoutFold(fold: number): Paper[] {
  return papers.filter(({ publisher }) => foldOf(publisher) !== fold);
}

function foldOfOthers(publisher: string): number {
  return (createHash('sha256').update(`fold ${publisher}`).digest()[0] ?? 0) % FOLDS;
}

function train({ classes, growth }: Task, some: readonly Paper[]): Models {
  const counts = countBy(some, ({ publisher }) => publisher);
  const all = some.flatMap(({ rows, publisher }) => {
    // A paper with many candidates counts more than one with few, but not as much more; so do publishers.
    const weight = Math.sqrt(40 / Math.max(10, rows.length) / Math.max(1, (counts.get(publisher) ?? 1) / ALIKE_PAPERS));
    return rows.map((row) => ({ ...row, weight }));
  });
  const features = Object.keys(all[0]?.features ?? {});
  return Object.fromEntries(
    classes.map((each) => {
      const known = all.filter(({ labels }) => labels[each] !== undefined);
      const step = Math.ceil(known.length / MOST_ROWS);
      const own = known.filter((_, at) => at % step === 0);
      const examples = {
        features,
        rows: own.map((row) => features.map((feature) => row.features[feature] ?? 0)),
        isPositive: own.map(({ labels }) => labels[each] === true),
        weights: own.map(({ weight }) => weight),
      };
      return [each, trainTrees(examples, growth)];
    }),
  );
}

/** Each paper judged by models that saw no paper of its publisher. */
function check(what: Task): void {
  const scores = new Map<string, number[]>();
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const models = train(what, withoutFold(fold));
    for (const paper of papers.filter(({ publisher }) => foldOf(publisher) === fold)) {
      const score = what.score(paper, models);
      if (score !== undefined) scores.set(paper.set, [...(scores.get(paper.set) ?? []), score]);
    }
  }
  for (const [set, all] of scores)
    console.log(
      set.padEnd(12),
      (all.reduce((sum, each) => sum + each, 0) / all.length).toFixed(3),
      `${all.length} papers`,
    );
}

/** Papers of the training manifest, none of a publisher more than `most`. */
async function readManifest(folder: string, most: number, { collect, before }: Task): Promise<Paper[]> {
  const found: Paper[] = [];
  for (const { id, group } of drawPapers(trainingPapers(), most)) {
    const [pdf, xml] = [join(folder, `${id}.pdf`), join(folder, `${id}.xml`)];
    const truth = existsSync(pdf) && existsSync(xml) ? truthFromJats(id, readFileSync(xml)) : undefined;
    if (!truth) continue;
    const findings = await findingsBefore(before, readFileSync(pdf));
    found.push({ set: 'manifest', publisher: group, ...collect(findings, truth.blocks) });
  }
  return found;
}

async function readSet(set: string, { collect, before }: Task): Promise<Paper[]> {
  const folder = join(OPEN_PAPERS, set);
  const list = join(folder, 'MANIFEST.json');
  const publishers = new Map(
    (existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Record<string, string>[]) : []).map((entry) => [
      entry['id'] ?? '',
      entry['publisher'] ?? entry['family'] ?? '',
    ]),
  );
  const house = houseOf(trainingPapers());
  const found: Paper[] = [];
  for (const file of readdirSync(folder).sort()) {
    const id = file.replace(/\.pdf$/, '');
    const truth = join(folder, `${id}.truth.json`);
    if (!file.endsWith('.pdf') || !existsSync(truth)) continue;
    const { blocks } = JSON.parse(readFileSync(truth, 'utf8')) as { readonly blocks: readonly TruthBlock[] };
    const findings = await findingsBefore(before, readFileSync(join(folder, file)));
    found.push({ set, publisher: house(publishers.get(id) ?? id), ...collect(findings, blocks) });
  }
  return found;
}

/** What is known of a paper when a pass begins. */
async function findingsBefore(name: string, bytes: Uint8Array): Promise<Findings> {
  using file = await openPdf(bytes);
  const pages = Array.from({ length: file.pageCount }, (_, page) => file.readPage(page + 1)).filter(
    (page): page is PageContent => page !== undefined,
  );
  let found = begin(nameGlyphs(pages, file.shapes()), file.outline(), file.information('Title'));
  for (const pass of PASSES.slice(
    0,
    PASSES.findIndex((each) => each.name === name),
  ))
    found = { ...found, ...pass.run(found) };
  return found;
}

function isAlike(a: string, b: string): boolean {
  return a === b || (Math.min(a.length, b.length) >= ALIKE * Math.max(a.length, b.length) && levRatio(a, b) >= ALIKE);
}

function lineRows(found: Findings, truth: readonly TruthBlock[]): Pick<Paper, 'rows' | 'wanted'> {
  const lines = measureLines(found);
  const labels = labelLines(
    lines.map(({ line }) => line.text),
    truth,
  );
  const rows = lines.map(({ features }, at) => ({ features, labels: { ...labels[at] }, level: 0, group: '' }));
  return { rows, wanted: rows.length };
}

/** Candidates that the truth calls optional are left out. */
function headingRows(found: Findings, truth: readonly TruthBlock[]): Pick<Paper, 'rows' | 'wanted'> {
  const wanted = truth.filter(({ kind, optional }) => kind === 'heading' && !optional);
  const left = wanted.map(({ text }) => headingKey(text));
  const others = truth
    .filter(({ kind, optional, runin }) => (kind === 'heading' && optional) || runin || kind === 'title')
    .map(({ text }) => headingKey(text));
  const rows = headingCandidates(found.drafts, headingSetting(found)).flatMap(({ text, features }) => {
    const key = headingKey(text);
    const at = left.findIndex((other) => isAlike(other, key));
    if (at >= 0) left.splice(at, 1);
    return at < 0 && others.some((other) => isAlike(other, key))
      ? []
      : [{ features, labels: { heading: at >= 0 }, level: 0, group: '' }];
  });
  return { rows, wanted: wanted.length };
}

/** Headings that are in the truth, with the place of their level among those of the paper. */
function levelRows({ drafts, outline, body }: Findings, truth: readonly TruthBlock[]): Pick<Paper, 'rows' | 'wanted'> {
  const left = truth
    .filter(({ kind, optional }) => kind === 'heading' && !optional)
    .map(({ text, level = 1 }) => ({ key: headingKey(text), level }));
  const levels = [...new Set(left.map(({ level }) => level))].sort((a, b) => a - b);
  const rows = levelCandidates(drafts, outline, body.size).flatMap(({ draft, features, group }) => {
    const key = headingKey(textOf(draft));
    const at = left.findIndex((other) => isAlike(other.key, key));
    const [taken] = at < 0 ? [] : left.splice(at, 1);
    if (!taken) return [];
    const level = levels.indexOf(taken.level) + 1;
    return [{ features, group, level, labels: { second: level >= 2, third: level >= 3 } }];
  });
  return { rows, wanted: rows.length };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Lines of tables, each with whether it belongs to the row of the line above it. */
function tableRows(found: Findings, truth: readonly TruthBlock[]): Pick<Paper, 'rows' | 'wanted'> {
  const tables = truth.flatMap(({ table }) => {
    const rows = table?.rows.map((row) => row.flatMap(({ text }) => wordsOf(text))) ?? [];
    return rows.length > 1 ? [{ rows, words: new Set(rows.flat()) }] : [];
  });
  const rows: Row[] = [];
  for (const page of found.pages)
    for (const { region, inside } of regionsOnPage(page, found)) {
      const table = tableLines(region, inside);
      if (!table) continue;
      const words = table.lines.map(({ entries }) => entries.flatMap(({ text }) => wordsOf(text)));
      const all = words.flat();
      const [best] = tables
        .map((each) => ({ each, hits: all.filter((word) => each.words.has(word)).length }))
        .sort((a, b) => b.hits - a.hits);
      if (!best || best.hits < 0.7 * all.length) continue;
      const places = alignLines(words, best.each.rows);
      const features = rowFeatures(table.lines, table);
      let start = 0;
      for (let index = 1; index < table.lines.length; index += 1) {
        const same = places[index] === places[index - 1];
        const own = features(index, start);
        if (own) rows.push({ features: own, labels: { same }, level: 0, group: '' });
        if (!same) start = index;
      }
    }
  return { rows, wanted: rows.length };
}

/** The row of the truth that each line belongs to: as many words as possible, and never a row above that of the line before. */
function alignLines(lines: readonly (readonly string[])[], rows: readonly (readonly string[])[]): number[] {
  const sets = rows.map((row) => new Set(row));
  const best = Array.from({ length: lines.length }, () => new Float64Array(rows.length));
  const from = Array.from({ length: lines.length }, () => new Int32Array(rows.length));
  lines.forEach((line, at) => {
    let [most, place] = [0, 0];
    for (const [row, words] of sets.entries()) {
      const previous = at === 0 ? 0 : (best[at - 1]?.[row] ?? 0);
      if (row === 0 || previous > most) [most, place] = [previous, row];
      const hits = line.filter((word) => words.has(word)).length;
      const own = best[at];
      if (own) own[row] = most + hits - 0.5 * (line.length - hits) - 1e-4 * (row - place);
      const steps = from[at];
      if (steps) steps[row] = place;
    }
  });
  const places: number[] = [];
  let row = rows.length - 1;
  const last = best.at(-1);
  if (last) row = last.indexOf(Math.max(...last));
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    places[at] = row;
    row = from[at]?.[row] ?? 0;
  }
  return places;
}
