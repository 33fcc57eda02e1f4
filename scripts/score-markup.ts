import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { parseMarkup } from '../src/parse/doctags/parse-markup.ts';
import { writeDoctags } from '../src/parse/doctags/formats/doctags-writer.ts';

/** What the scorer says about one document; null where the document has nothing of the kind. */
export interface MarkupScore {
  readonly id: string;
  readonly values: Readonly<Record<string, number | null>>;
}

export interface MarkupScores {
  readonly set: 'jats' | 'html';
  readonly target: number;
  readonly rows: readonly MarkupScore[];
  readonly mean: Readonly<Record<string, number | null>>;
}

interface Scorer {
  readonly readPred: (path: string) => unknown;
  readonly readTruth: (path: string) => unknown;
  readonly scoreDoc: (prediction: unknown, truth: unknown) => Record<string, unknown>;
}

const TARGETS = { jats: 0.985, html: 0.96 } as const;
// Overall scores of others on the same documents, measured with the same scorer.
const BASELINES = {
  jats: 'pandoc 0.745, a 40-line walk over a saxes tree 0.947',
  html: 'turndown 0.843, defuddle 0.842, readability 0.827',
} as const;
const COLUMNS: Readonly<Record<string, (score: Record<string, unknown>) => unknown>> = {
  overall: (score) => score['overall'],
  text: (score) => score['textSim'],
  bow: (score) => score['bowF1'],
  title: (score) => score['titleOk'],
  headF1: (score) => (score['headTruth'] ? score['headF1'] : null),
  hlevel: (score) => score['headLevel'],
  tabDet: (score) => table(score, 'detF1'),
  teds: (score) => table(score, 'teds'),
  list: (score) => score['listF1'],
  capt: (score) => score['captionF1'],
  foot: (score) => score['footnoteF1'],
  refs: (score) => score['refF1'],
  para: (score) => score['paraF1'],
  formula: (score) => score['formulaRatio'],
};

function table(score: Record<string, unknown>, part: string): unknown {
  const tables = score['tables'] as { truth: number; [part: string]: number } | null;
  return tables?.truth ? tables[part] : null;
}

/** Reads every JATS and HTML file that has a truth beside it and scores the DocTags written from it. */
export async function scoreMarkup(options: {
  readonly data: string;
  readonly scorer: string;
}): Promise<MarkupScores[]> {
  const load = (file: string): Promise<Record<string, unknown>> =>
    import(pathToFileURL(join(options.scorer, 'src', file)).href) as Promise<Record<string, unknown>>;
  const scorer = { ...(await load('io.ts')), ...(await load('score.ts')) } as unknown as Scorer;
  const folder = mkdtempSync(join(tmpdir(), 'score-markup-'));
  try {
    return (['jats', 'html'] as const).map((set) => {
      const rows = readdirSync(join(options.data, set))
        .filter((file) => file.endsWith('.truth.json'))
        .sort()
        .map((file) => scoreOne(scorer, { folder, set: join(options.data, set), id: basename(file, '.truth.json') }));
      const mean = Object.fromEntries(
        Object.keys(COLUMNS).map((column) => [column, average(rows.map((row) => row.values[column] ?? null))]),
      );
      return { set, target: TARGETS[set], rows, mean };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function scoreOne(scorer: Scorer, place: { folder: string; set: string; id: string }): MarkupScore {
  const source = ['.xml', '.html'].map((end) => join(place.set, place.id + end)).find((path) => existsSync(path));
  if (source === undefined) throw new Error(`no source beside the truth of ${place.id}`);
  const prediction = join(place.folder, `${place.id}.doctags`);
  writeFileSync(prediction, writeDoctags(parseMarkup(readFileSync(source))));
  const score = scorer.scoreDoc(
    scorer.readPred(prediction),
    scorer.readTruth(join(place.set, `${place.id}.truth.json`)),
  );
  const values = Object.fromEntries(
    Object.entries(COLUMNS).map(([column, pick]) => {
      const value = pick(score);
      return [column, typeof value === 'number' && !Number.isNaN(value) ? value : null];
    }),
  );
  return { id: place.id, values };
}

function average(values: readonly (number | null)[]): number | null {
  const numbers = values.filter((value) => value !== null);
  return numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

/** The scores as a table for people. */
export function formatScores({ set, target, rows, mean }: MarkupScores): string {
  const columns = Object.keys(COLUMNS);
  const line = (id: string, values: Readonly<Record<string, number | null>>): string =>
    id.padEnd(24).slice(0, 24) + columns.map((column) => (values[column]?.toFixed(3) ?? '-').padStart(8)).join('');
  return [
    `${set} (${rows.length} documents; overall at least ${target})`,
    ''.padEnd(24) + columns.map((column) => column.padStart(8)).join(''),
    ...rows.map((row) => line(row.id, row.values)),
    line('mean', mean),
    `others, overall: ${BASELINES[set]}`,
  ].join('\n');
}

if (import.meta.main) {
  const shared = join(import.meta.dirname, '..', '..', 'shared');
  const data = join(shared, 'data', 'parse', 'open');
  if (!existsSync(data)) {
    console.error(`${data} is absent: nothing can be scored`);
    process.exit(2);
  }
  const scores = await scoreMarkup({ data, scorer: join(shared, 'tools', 'parse-score') });
  if (process.argv.includes('--json')) console.log(JSON.stringify(scores, null, 1));
  else for (const score of scores) console.log(`${formatScores(score)}\n`);
  process.exit(scores.every((score) => (score.mean['overall'] ?? 0) >= score.target) ? 0 : 1);
}
