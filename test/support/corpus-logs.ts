import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { sha256 } from '../../src/base/index.ts';
import { manifestRow } from '../../src/download/index.ts';
import type { CorpusStore } from '../../src/database/index.ts';
import { emptyRecord, NO_IDS, workFromIds } from '../../src/works/index.ts';
import { seededRandom } from '../fixtures/random-document.ts';

const NOT_SAVED = { kind: 'failed', reason: 'no-plan', detail: null } as const;

/** A line of some log of a corpus, by the path of its log. */
export interface LogLine {
  readonly log: string;
  readonly text: string;
}

/** Lines as a run, services, people and stages write them: works under several ids, tried again, merged and taken apart. */
export function corpusLines(count: number, seed: number): LogLine[] {
  const random = seededRandom(seed);
  const pick = (most: number): number => Math.floor(random() * most);
  const works = Math.max(3, Math.floor(count / 8));
  return Array.from({ length: count }, (_, at): LogLine => {
    const number = pick(works);
    const [openalex, doi, pmid] = [`W${number}`, `10.5555/w${number}`, String(1000 + number)];
    const json = (log: string, value: unknown): LogLine => ({ log, text: `${JSON.stringify(value)}\n` });
    switch (pick(12)) {
      case 11: {
        const bytes = pick(3);
        return json('objects.jsonl', { path: `PDF/${openalex}.pdf`, sha256: sha256(String(bytes)), bytes, at: '' });
      }
      case 10: {
        const until = pick(3) === 0 ? new Date(pick(1e6)).toISOString() : null;
        const done = { 200: pick(3), 503: pick(2), timeout: pick(2) };
        return json('hosts.jsonl', {
          kind: 'host',
          host: `host-${pick(4)}.org`,
          at: new Date(at).toISOString(),
          ms: 1000,
          sent: pick(5),
          done,
          bytes: 9,
          waited_ms: 1,
          most: 1,
          cap: pick(3),
          asked_until: until,
          held_until: null,
        });
      }
      case 9:
        return json('records.jsonl', {
          kind: 'input',
          file: `${pick(2)}.txt`,
          works: [openalex, `doi:${doi}`],
          from: pick(2),
        });
      case 0:
      case 1:
      case 2: {
        const ids = [{ openalex }, { doi }, { pmid }][pick(3)] ?? {};
        const work = workFromIds({ ...NO_IDS, ...ids }, { title: `Try ${at}` });
        if (!work) throw new Error('no work');
        const row = manifestRow(
          { work, outcome: NOT_SAVED, attempts: [], problems: [], asked: [], startedAt: at, endedAt: at },
          'r',
        );
        if (pick(6) === 0)
          return json('manifest.jsonl', {
            ...row,
            outcome: 'skipped',
            reason: 'duplicate',
            duplicate_of: [`W${pick(works)}`, `doi:10.5555/w${pick(works)}`][pick(2)],
          });
        const isSaved = pick(2) === 0;
        return json(
          'manifest.jsonl',
          isSaved ? { ...row, outcome: 'saved', reason: 'success', path: 'PDF/x.pdf' } : row,
        );
      }
      case 3:
      case 4: {
        const title = `Reefs ${pick(works)} and what became of them`;
        const record = { ...emptyRecord(openalex, { openalex, doi, ...(pick(2) && { pmid }) }), title, date: '2024' };
        return json('records.jsonl', { kind: 'record', record });
      }
      case 5:
        return json('records.jsonl', {
          kind: 'record',
          record: { ...emptyRecord(`doi:${doi}`, { doi }), venue: `Journal ${pick(9)}`, citedBy: pick(50) },
        });
      case 6: {
        const document = `own-${pick(5)}`;
        const said = [emptyRecord(`paper:${document}`)];
        const work = pick(2) === 0 ? openalex : `paper:${document}`;
        return json('records.jsonl', { kind: 'paper', document, sha256: 'a', checked: true, work, said });
      }
      case 7: {
        const decision = [
          { kind: 'label', work: openalex, label: pick(2) === 0 ? 'included' : 'excluded', at: '' },
          { kind: 'version', work: openalex, of: `W${pick(works)}`, reason: 'same-id', score: 1, at: '' },
          { kind: pick(2) === 0 ? 'split' : 'merge', work: openalex, of: null, at: '' },
          { kind: 'identity', work: `doi:${doi}`, of: `W${pick(works)}`, same: pick(2) === 0, at: '' },
        ];
        return json('decisions.jsonl', decision[pick(4)]);
      }
      default: {
        const stage = ['doctags', 'chunk', 'embed'][pick(3)] ?? '';
        const [status, reason] = [['success'], ['failure'], ['skip', 'needs-ocr'], ['skip', 'done']][pick(4)] ?? [];
        const row = { stage, doc_id: openalex, status, reason, message: 'm', finished_at: '' };
        return json(join('Data', 'Manifests', `docparse.${stage}.manifest.jsonl`), row);
      }
    }
  });
}

export function appendLine(folder: string, { log, text }: LogLine): void {
  mkdirSync(dirname(join(folder, log)), { recursive: true });
  appendFileSync(join(folder, log), text);
}

/** Every row of a database, apart from what depends on the order of changes: numbers of rows, and segments of the index. */
export function dumpOf(store: CorpusStore): string {
  const tables = store.all<{ name: string }>(
    "select name from sqlite_schema where type = 'table' and name not like 'words%' and name not in ('segments', 'log_pieces') order by name",
  );
  const rows = tables.flatMap(({ name }) => [
    name,
    ...store
      .all(`select * from ${name}`)
      .map((row) =>
        JSON.stringify({
          ...row,
          ...(name === 'works' && { row: null }),
          ...(name === 'indexed_documents' && { segment: null, first: null }),
        }),
      )
      .sort(),
  ]);
  const found = store.all(
    "select works.work from words join works on works.row = words.rowid where words match 'reefs' order by 1",
  );
  return [...rows, ...found.map(({ work }) => `found ${String(work)}`)].join('\n');
}
