import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { systemClock } from '../../src/base/index.ts';
import type { ManifestRow } from '../../src/download/index.ts';
import { manifestRow } from '../../src/download/index.ts';
import { ManifestFolder } from '../../src/harvest/index.ts';
import { openStore, WorkQueue } from '../../src/queue/index.ts';
import { buildIndex } from '../../src/search/index.ts';
import type { WorkRecord } from '../../src/works/index.ts';
import { emptyRecord, NO_IDS, RecordStore, workFromIds } from '../../src/works/index.ts';
import { paragraphs } from '../../test/fixtures/papers.ts';

const REASONS = ['no-plan', 'paywalled', 'not-found', 'timeout'] as const;

/** What came of a work; six of ten are saved. */
export function rowOf(number: number): ManifestRow {
  const work = workFromIds({ ...NO_IDS, openalex: `W${number}` });
  if (!work) throw new Error('no work');
  const reason = REASONS[number % 4] ?? 'no-plan';
  const lost = { kind: 'failed', reason, detail: null } as const;
  const moments = { startedAt: 1.7e12 + number * 1000, endedAt: 1.7e12 + number * 1000 + 500 };
  const row = manifestRow({ work, outcome: lost, attempts: [], problems: [], asked: ['arxiv'], ...moments }, 'r');
  return number % 10 < 6 ? { ...row, outcome: 'saved', reason: 'success', path: `PDF/W${number}.pdf`, bytes: 7 } : row;
}

/** A run of so many works, nine of ten of them settled and those that were saved parsed. */
export async function makeRun(folder: string, works: number): Promise<void> {
  mkdirSync(join(folder, 'Data', 'Manifests'), { recursive: true });
  {
    using records = new RecordStore(join(folder, 'manifest.sqlite3'));
    records.replace(recordsOf(works));
  }
  await using manifest = await ManifestFolder.open({ folder, runId: 'r', clock: systemClock });
  const settled = Math.floor(works * 0.9);
  for (let from = 0; from < settled; from += 1_000) {
    const numbers = Array.from({ length: Math.min(1_000, settled - from) }, (_, at) => from + at);
    await Promise.all(numbers.map((number) => manifest.write(rowOf(number))));
  }
  for (const stage of ['doctags', 'chunk']) {
    let text = '';
    for (let number = 0; number < settled; number += 1)
      if (number % 10 < 6)
        text += `${JSON.stringify({ stage, doc_id: `W${number}`, status: 'success', duration_s: 1, finished_at: '2026-01-01T00:00:00.000Z' })}\n`;
    writeFileSync(join(folder, 'Data', 'Manifests', `docparse.${stage}.manifest.jsonl`), text);
  }
}

function* recordsOf(works: number): Generator<WorkRecord> {
  for (let number = 0; number < works; number += 1)
    yield {
      ...emptyRecord(`W${number}`, { openalex: `W${number}`, doi: `10.5555/${number}` }),
      title: `On the ${(number * 7_919) % works}th matter of reefs and their ${number % 97} neighbours`,
      authors: [{ name: `Ana Berg ${number % 500}`, family: null, given: null, orcid: null, institutions: [] }],
      date: String(1980 + (number % 45)),
      venue: `Journal ${number % 300}`,
      type: number % 5 === 0 ? 'preprint' : 'article',
      license: ['cc-by', 'cc0', null, 'cc-by-nc'][number % 4] ?? null,
      citedBy: number % 1_000,
    };
}

/** A queue of so many jobs, most of them done, a few failed: as a large one looks near its end. */
export async function makeQueue(path: string, jobs: number): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  {
    await using queue = new WorkQueue(await openStore(path, { durability: 'none' }));
    await queue.bulkImport(
      (function* rows() {
        for (let number = 0; number < jobs; number += 1)
          yield {
            artifactId: `W${number}`,
            artifact: { title: `Work ${number}` },
            url: `https://h${number % 50}.example/x`,
          };
      })(),
    );
  }
  // Settling them one by one would take as long as a harvest; the counts are kept as the store keeps them.
  using database = new DatabaseSync(path);
  database.exec(`
    UPDATE jobs SET state = 'done' WHERE id % 10 < 8;
    UPDATE jobs SET state = 'error', last_error = 'HTTP_404: not there' WHERE id % 1000 = 9;
    DELETE FROM tally;
    INSERT INTO tally SELECT state, resolver_hint, CASE WHEN last_error IS NULL THEN '' ELSE 'HTTP_404' END, count(*) FROM jobs GROUP BY 1, 2, 3;
    UPDATE control SET counted = (SELECT max(id) FROM jobs)`);
}

/** What is asked of the passages. */
export const QUESTIONS = [
  'effects of temperature on protein folding',
  'stem cell differentiation signalling pathway',
  'gene expression in the human brain',
  'antibiotic resistance of bacteria in hospitals',
  'immune response to vaccination in children',
] as const;

/** An index of so many passages by their words. */
export async function makeIndex(folder: string, passages: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const texts = paragraphs(passages);
  await buildIndex(
    folder,
    texts.map((text, at) => ({
      id: `${at}`,
      document: `W${at}`,
      title: `Paper ${at}`,
      headings: [],
      page: 1,
      file: undefined,
      text,
      vectors: [],
    })),
  );
}
