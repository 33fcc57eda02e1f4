import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { openPdf } from '../src/parse/doctags/engines/pdfium.ts';
import { nameGlyphs } from '../src/parse/doctags/layout/text/glyph-naming.ts';
import { scoreOf } from '../src/parse/doctags/layout/role/heading.ts';
import { FEATURES, headingCandidates, headingKey } from '../src/parse/doctags/layout/role/heading-features.ts';
import { headingSetting } from '../src/parse/doctags/layout/draft-passes.ts';
import { begin } from '../src/parse/doctags/layout/layout.ts';
import type { PageContent } from '../src/parse/doctags/layout/page/page-content.ts';
import { PASSES } from '../src/parse/doctags/layout/passes.ts';
import { asked, readOptions } from '../test/support/options.ts';
import type { Examples } from './score/boosted-trees.ts';
import { trainTrees } from './score/boosted-trees.ts';

// npm run train:headings [-- --check]: trains the heading classifier on annotated papers and writes heading-model.json.
// --check writes nothing and cross-validates by publisher, in FOLDS parts.
const { values: options } = asked(() => readOptions({ options: { check: { type: 'boolean', default: false } } }));
const SHARED = join(import.meta.dirname, '..', '..', 'shared');
const OPEN = join(SHARED, 'data', 'parse', 'open');
const MODEL = join(import.meta.dirname, '..', 'src', 'parse', 'doctags', 'layout', 'role', 'heading-model.json');
const FOLDS = 4;
const ALIKE = 0.8;

interface Paper {
  readonly set: string;
  readonly group: string;
  readonly headings: number;
  /** Features and label of each candidate; headings marked as optional are left out. */
  readonly rows: readonly { readonly features: readonly number[]; readonly isHeading: boolean }[];
}

interface TruthBlock {
  readonly kind: string;
  readonly text: string;
  readonly optional?: boolean;
  readonly runin?: boolean;
}

if (!existsSync(OPEN)) {
  console.error(`NOTHING WAS TRAINED: ${OPEN} does not exist`);
  process.exit(2);
}
const { levRatio } = (await import(pathToFileURL(join(SHARED, 'tools', 'parse-score', 'src', 'lcs.ts')).href)) as {
  levRatio: (a: string, b: string) => number;
};
const papers: Paper[] = [];
for (const set of ['publishers', 'pmc', 'classes', 'pdf']) papers.push(...(await readSet(set)));
if (options.check) check();
else {
  const model = trainTrees(examplesOf(papers));
  writeFileSync(MODEL, `${JSON.stringify(model)}\n`);
  const forks = model.trees.flat().flatMap(([feature, ...more]) => (more.length > 0 ? [FEATURES[feature ?? 0]] : []));
  const uses = [...Map.groupBy(forks, (name) => name)].map(([name, all]) => `${name} ${all.length}`);
  console.log(`forks: ${uses.join(', ')}`);
  console.log(`${MODEL}: ${papers.length} papers, ${papers.flatMap(({ rows }) => rows).length} candidates`);
}

async function readSet(set: string): Promise<Paper[]> {
  const folder = join(OPEN, set);
  const list = join(folder, 'MANIFEST.json');
  const groups = new Map(
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
    const candidates = await candidatesOf(readFileSync(join(folder, file)));
    const wanted = blocks.filter(({ kind, optional }) => kind === 'heading' && !optional);
    const neither = blocks.filter(
      ({ kind, optional, runin }) => (kind === 'heading' && optional) || runin || kind === 'title',
    );
    const left = wanted.map(({ text }) => headingKey(text));
    const others = neither.map(({ text }) => headingKey(text));
    const rows = candidates.flatMap(({ text, features }) => {
      const key = headingKey(text);
      const at = left.findIndex((other) => isAlike(other, key));
      if (at >= 0) left.splice(at, 1);
      return at < 0 && others.some((other) => isAlike(other, key)) ? [] : [{ features, isHeading: at >= 0 }];
    });
    found.push({ set, group: groups.get(id) ?? id, headings: wanted.length, rows });
  }
  return found;
}

function isAlike(a: string, b: string): boolean {
  return a === b || (Math.min(a.length, b.length) >= ALIKE * Math.max(a.length, b.length) && levRatio(a, b) >= ALIKE);
}

async function candidatesOf(bytes: Uint8Array): Promise<ReturnType<typeof headingCandidates>> {
  using file = await openPdf(bytes);
  const pages = Array.from({ length: file.pageCount }, (_, page) => file.readPage(page + 1)).filter(
    (page): page is PageContent => page !== undefined,
  );
  let found = begin(nameGlyphs(pages, file.shapes()), file.outline(), file.information('Title'));
  for (const pass of PASSES.slice(
    0,
    PASSES.findIndex(({ name }) => name === 'headings'),
  ))
    found = { ...found, ...pass.run(found) };
  return headingCandidates(found.drafts, headingSetting(found));
}

/** Papers with many candidates count more, but less than proportionally. */
function examplesOf(some: readonly Paper[]): Examples {
  const all = some.flatMap(({ rows }) =>
    rows.map((row) => ({ ...row, weight: Math.sqrt(40 / Math.max(10, rows.length)) })),
  );
  return {
    rows: all.map(({ features }) => features),
    isPositive: all.map(({ isHeading }) => isHeading),
    weights: all.map(({ weight }) => weight),
  };
}

/** F1 of headings on their own line, cross-validated by publisher. */
function check(): void {
  const foldOf = (group: string): number => (createHash('sha256').update(`fold ${group}`).digest()[0] ?? 0) % FOLDS;
  const scores = new Map<string, number[]>();
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const model = trainTrees(examplesOf(papers.filter(({ group }) => foldOf(group) !== fold)));
    for (const { set, rows, headings } of papers.filter(({ group }) => foldOf(group) === fold)) {
      const found = rows.filter(({ features }) => scoreOf(model, features) > 0);
      const right = found.filter(({ isHeading }) => isHeading).length;
      if (headings > 0) scores.set(set, [...(scores.get(set) ?? []), (2 * right) / (found.length + headings)]);
    }
  }
  for (const [set, all] of scores)
    console.log(
      set.padEnd(12),
      (all.reduce((sum, each) => sum + each, 0) / all.length).toFixed(3),
      `${all.length} papers`,
    );
}
