import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Warn } from '../base/index.ts';
import { isDamaged, renameFile } from '../base/index.ts';
import type { VersionLink, WorkRecord } from '../works/index.ts';
import type { Decision } from './decisions.ts';
import { appendLine } from './logs.ts';
import type { RecordLine } from './record-rows.ts';

const OLD = 'manifest.sqlite3';
const PIECE_LINES = 500;

/**
 * Turns the databases of versions before 0.2 into logs. The old file is renamed to `NAME.upgraded` last, so that an
 * interrupted upgrade is repeated.
 */
export function upgradeFolder(folder: string, warn: Warn | undefined): void {
  upgradeManifest(folder, warn);
  upgradeGraph(join(folder, 'Graph'), join(folder, 'records.jsonl'), warn);
}

/** Keeps the answers of catalogues; the graph itself is rebuilt from the facts of documents. */
function upgradeGraph(graph: string, records: string, warn: Warn | undefined): void {
  const answers = join(graph, 'references.sqlite');
  if (existsSync(answers)) {
    try {
      using old = new DatabaseSync(answers, { timeout: 10_000 });
      const lines = old
        .prepare('select question, origin, read_at as readAt, answer from answers order by question')
        .all()
        .map(({ answer, ...row }) =>
          JSON.stringify({ kind: 'answer', ...row, answer: JSON.parse(String(answer)) as unknown }),
        );
      if (lines.length > 0) appendLine(records, `${lines.join('\n')}\n`);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      warn?.(`${answers} is damaged: its references can be looked up again`);
    }
    putAside(answers);
  }
  const nodes = join(graph, 'graph.sqlite');
  if (!existsSync(nodes)) return;
  putAside(nodes);
  warn?.(`${nodes} was written by an older version: the graph is built again, in corpus.sqlite`);
}

function putAside(path: string): void {
  for (const ending of ['', '-wal', '-shm'])
    if (existsSync(path + ending)) renameFile(path + ending, `${path}.upgraded${ending}`);
}

function upgradeManifest(folder: string, warn: Warn | undefined): void {
  const path = join(folder, OLD);
  if (!existsSync(path)) return;
  let lines = 0;
  try {
    using old = new DatabaseSync(path, { timeout: 10_000 });
    const tables = new Set(
      old
        .prepare("select name from sqlite_schema where type = 'table'")
        .all()
        .map(({ name }) => name),
    );
    const rows = (table: string, order: string): Iterable<Record<string, unknown>> =>
      tables.has(table) ? old.prepare(`select * from ${table} order by ${order}`).iterate() : [];
    lines += writeLog(folder, 'records.jsonl', recordLines(rows));
    lines += writeLog(folder, 'decisions.jsonl', decisionLines(rows));
    if (!existsSync(join(folder, 'manifest.jsonl')))
      lines += writeLog(
        folder,
        'manifest.jsonl',
        [...rows('manifest', 'sequence')].map((row) => String(row['row_json'])),
      );
  } catch (error) {
    if (!isDamaged(error)) throw error;
    warn?.(`${path} is damaged: what can be read of it was taken over`);
  }
  putAside(path);
  warn?.(
    `${folder} was written by an older version: upgraded, ${lines} lines of records and decisions (${OLD} stays as ${OLD}.upgraded)`,
  );
}

/** An existing log was written by an upgrade that got this far, or by a newer version. */
function writeLog(folder: string, name: string, lines: Iterable<string>): number {
  const path = join(folder, name);
  if (existsSync(path)) return 0;
  const part = `${path}.upgrade.part`;
  rmSync(part, { force: true });
  let count = 0;
  const piece: string[] = [];
  for (const line of lines) {
    count += 1;
    piece.push(line);
    if (piece.length >= PIECE_LINES) appendLine(part, `${piece.splice(0).join('\n')}\n`);
  }
  if (piece.length > 0) appendLine(part, `${piece.join('\n')}\n`);
  if (count > 0) renameFile(part, path);
  return count;
}

type Rows = (table: string, order: string) => Iterable<Record<string, unknown>>;

function* recordLines(rows: Rows): Generator<string> {
  const line = (value: RecordLine): string => JSON.stringify(value);
  const papers = new Map([...rows('own_papers', 'document')].map((row) => [String(row['document']), row]));
  for (const row of rows('works', 'id'))
    yield line({ kind: 'whole', record: JSON.parse(String(row['record_json'])) as WorkRecord });
  for (const { document, work } of rows('work_documents', 'document')) {
    const paper = papers.get(String(document));
    if (!paper) continue;
    const about = { document: String(document), sha256: String(paper['sha256']), checked: paper['checked'] === 1 };
    yield line({ kind: 'paper', ...about, work: String(work), said: [] });
  }
  for (const { document, stamp } of rows('read_documents', 'document'))
    yield line({ kind: 'words', document: String(document), stamp: String(stamp), work: '', said: [] });
  for (const { work, version } of rows('arxiv_versions', 'work'))
    yield line({ kind: 'arxiv', work: String(work), version: Number(version) });
  const repeats = [...rows('repeated_entries', 'work')].map(
    (row) => [String(row['work']), Number(row['times'])] as const,
  );
  if (repeats.length > 0) yield line({ kind: 'repeats', times: repeats });
}

function* decisionLines(rows: Rows): Generator<string> {
  const at = new Date(0).toISOString();
  const line = (value: Decision): string => JSON.stringify(value);
  for (const row of rows('work_versions', 'work, of')) {
    const { work, of, reason, score, at: since } = row as unknown as VersionLink & { at: string };
    yield line({ kind: 'version', work, of, reason, score, at: since });
  }
  for (const row of rows('work_versions', 'work, of'))
    if (row['undone'] === 1) yield line({ kind: 'split', work: String(row['work']), of: String(row['of']), at });
  for (const { work, label } of rows('work_labels', 'work'))
    yield line({ kind: 'label', work: String(work), label: label as 'included', at });
}
