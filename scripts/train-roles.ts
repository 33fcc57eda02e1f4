import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { openPdf } from '../src/parse/doctags/engines/pdfium.ts';
import { headingSetting } from '../src/parse/doctags/layout/draft-passes.ts';
import { begin, PASSES } from '../src/parse/doctags/layout/layout.ts';
import type { Findings } from '../src/parse/doctags/layout/draft.ts';
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
import { trainTrees } from './score/boosted-trees.ts';
import { nothingMeasured, OPEN_PAPERS, SHARED } from './score/data.ts';

// npm run train -- headings|levels|rows [--check]
// Learns from the papers with truth beside the clone which paragraphs are headings, which levels headings have, or which
// lines of a table go on with a row, and writes the model; the same papers and code give the same file.
// Levels are learnt from the headings that the present heading model finds: train headings first.
// --check writes nothing: papers are judged by models that saw none of their publisher, in FOLDS parts.
const { values: options, positionals } = asked(() =>
  readOptions({ options: { check: { type: 'boolean', default: false } }, allowPositionals: true }),
);
const LAYOUT = join(import.meta.dirname, '..', 'src', 'parse', 'doctags', 'layout');
const SETS = ['publishers', 'pmc', 'classes', 'pdf'];
const FOLDS = 4;
const ALIKE = 0.8;

interface TruthBlock {
  readonly kind: string;
  readonly text: string;
  readonly level?: number;
  readonly optional?: boolean;
  readonly runin?: boolean;
  readonly table?: { readonly rows: readonly (readonly { readonly text: string }[])[] };
}

/** A candidate: its figures, what it is in truth, and what it belongs to. */
interface Row {
  readonly features: Features;
  readonly truth: number;
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
  /** One model per class: whether the truth of a row is at least this. */
  readonly classes: Readonly<Record<string, number>>;
  /** The share of a paper that is right. */
  readonly score: (paper: Paper, models: Models) => number | undefined;
}

const TASKS: Readonly<Record<string, Task>> = {
  headings: {
    file: join(LAYOUT, 'role', 'heading-model.json'),
    before: 'headings',
    classes: { heading: 1 },
    collect: headingRows,
    score({ rows, wanted }, { heading }) {
      const found = rows.filter(({ features }) => heading && scoreOf(heading, features) > 0);
      const right = found.filter(({ truth }) => truth === 1).length;
      return wanted === 0 ? undefined : (2 * right) / (found.length + wanted);
    },
  },
  levels: {
    file: join(LAYOUT, 'role', 'level-model.json'),
    before: 'levels',
    classes: { second: 2, third: 3 },
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
      const truth = rank(rows.map((row) => row.truth));
      const ours = rank(levels);
      return rows.length === 0 ? undefined : ours.filter((each, at) => each === truth[at]).length / rows.length;
    },
  },
  rows: {
    file: join(LAYOUT, 'table', 'row-model.json'),
    before: 'tables',
    classes: { same: 1 },
    collect: tableRows,
    score({ rows }, { same }) {
      const right = rows.filter(({ features, truth }) => same && scoreOf(same, features) > 0 === (truth === 1)).length;
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
if (options.check) check(task);
else {
  const models = train(task, papers);
  writeFileSync(task.file, `${JSON.stringify(Object.keys(models).length > 1 ? models : Object.values(models)[0])}\n`);
  const forks = Object.values(models).flatMap(({ features, trees }) =>
    trees.flat().flatMap(([feature = 0, ...more]) => (more.length > 0 ? [features[feature] ?? ''] : [])),
  );
  const uses = [...Map.groupBy(forks, (feature) => feature)].map(([feature, all]) => `${feature} ${all.length}`);
  console.log(`forks: ${uses.join(', ')}`);
  console.log(`${task.file}: ${papers.length} papers, ${papers.flatMap(({ rows }) => rows).length} rows`);
}

function train({ classes }: Task, some: readonly Paper[]): Models {
  // A paper with many candidates counts more than one with few, but not as much more.
  const all = some.flatMap(({ rows }) =>
    rows.map((row) => ({ ...row, weight: Math.sqrt(40 / Math.max(10, rows.length)) })),
  );
  return Object.fromEntries(
    Object.entries(classes).map(([each, least]) => [
      each,
      trainTrees({
        rows: all.map(({ features }) => features),
        isPositive: all.map(({ truth }) => truth >= least),
        weights: all.map(({ weight }) => weight),
      }),
    ]),
  );
}

/** Each paper judged by models that saw no paper of its publisher. */
function check(what: Task): void {
  const foldOf = (group: string): number => (createHash('sha256').update(`fold ${group}`).digest()[0] ?? 0) % FOLDS;
  const scores = new Map<string, number[]>();
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const models = train(
      what,
      papers.filter(({ publisher }) => foldOf(publisher) !== fold),
    );
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

async function readSet(set: string, { collect, before }: Task): Promise<Paper[]> {
  const folder = join(OPEN_PAPERS, set);
  const list = join(folder, 'MANIFEST.json');
  const publishers = new Map(
    (existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Record<string, string>[]) : []).map((entry) => [
      entry['id'] ?? '',
      entry['publisher'] ?? entry['family'] ?? '',
    ]),
  );
  const found: Paper[] = [];
  for (const file of readdirSync(folder).sort()) {
    const id = file.replace(/\.pdf$/, '');
    const truth = join(folder, `${id}.truth.json`);
    if (!file.endsWith('.pdf') || !existsSync(truth)) continue;
    const { blocks } = JSON.parse(readFileSync(truth, 'utf8')) as { readonly blocks: readonly TruthBlock[] };
    const findings = await findingsBefore(before, readFileSync(join(folder, file)));
    found.push({ set, publisher: publishers.get(id) ?? id, ...collect(findings, blocks) });
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
      : [{ features, truth: at >= 0 ? 1 : 0, group: '' }];
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
    return taken ? [{ features, group, truth: levels.indexOf(taken.level) + 1 }] : [];
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
        if (own) rows.push({ features: own, truth: same ? 1 : 0, group: '' });
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
