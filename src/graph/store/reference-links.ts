import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { sha256 } from '../../base/index.ts';
import type { EdgeStatement, NodeStatement, OpenReference, TextPlace } from '../contribution.ts';
import { RANK } from '../contribution.ts';
import type { CitedWork } from '../link/link.ts';
import { LINK_VERSION, linkReference, readPrintedReference, referenceKeys, workKeys } from '../link/link.ts';
import { lettersOf } from '../link/letters.ts';
import { parseReference, referenceLabel } from '../link/parse-reference.ts';
import { nodeKey } from '../schema.ts';
import type { RowWriter } from './rows.ts';
import { RowInsert } from './rows.ts';

/** Works that share fewer names with a reference than this are not compared: one short row of letters is chance. */
const LEAST_SHARED = 2;
const NUMBER_WEIGHT = 5;
const MOST_CANDIDATES = 60;

interface PrintedRow {
  readonly owner: string;
  readonly part: string;
  readonly node: string;
  readonly work: string;
  readonly text: string;
  readonly place: string;
}

/**
 * Which work each reference without an identifier means. That depends on the works in the graph: when works come, go or
 * change, the references that share a name with them are linked again, and no others.
 */
export class ReferenceLinks {
  readonly #rows: RowWriter;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #printedKeys: RowInsert;
  readonly #workKeys: RowInsert;

  constructor(database: DatabaseSync, rows: RowWriter) {
    this.#database = database;
    this.#rows = rows;
    this.#printedKeys = new RowInsert(database, 'printed_keys', 3);
    this.#workKeys = new RowInsert(database, 'work_keys', 2);
    database.exec(
      'CREATE TEMP TABLE open_references (owner TEXT NOT NULL, part TEXT NOT NULL, PRIMARY KEY (owner, part)) WITHOUT ROWID',
    );
  }

  /** Takes a reference in; it is linked by the next `relink`. */
  add(owner: string, work: string, reference: OpenReference): void {
    const part = reference.id;
    this.#run(
      'INSERT INTO printed VALUES (?, ?, ?, ?, ?, ?)',
      owner,
      part,
      reference.id,
      work,
      reference.text,
      JSON.stringify(reference.place),
    );
    const keys = [...referenceKeys(readPrintedReference(reference.text))].sort();
    for (const key of keys) this.#printedKeys.add(key, owner, part);
    this.#printedKeys.flush();
    this.#run('INSERT OR IGNORE INTO open_references VALUES (?, ?)', owner, part);
  }

  /** Forgets the references of a document. */
  remove(owner: string): void {
    for (const table of ['printed', 'printed_keys', 'open_references'])
      this.#run(`DELETE FROM ${table} WHERE owner = ?`, owner);
  }

  /** The works among the nodes that are about to be made anew, as they are now. */
  forgetTouchedWorks(): Map<string, string> {
    const before = this.#touchedWorks();
    return new Map(before.map(({ node, data }) => [node, data]));
  }

  /** Compares with the works as they have become: references that share a name with a changed one are opened again. */
  noteTouchedWorks(before: ReadonlyMap<string, string>): void {
    const after = new Map(this.#touchedWorks().map(({ node, data }) => [node, data]));
    for (const node of [...new Set([...before.keys(), ...after.keys()])].sort()) {
      const now = after.get(node);
      if (now === before.get(node)) continue;
      this.#reopen(node);
      this.#run('DELETE FROM work_keys WHERE node = ?', node);
      if (now === undefined) continue;
      this.#addWork(node, now);
      this.#reopen(node);
    }
  }

  /** Takes in every work of a graph that was empty: no reference is linked yet. */
  noteAllWorks(): void {
    const works = this.#all<{ node: string; data: string }>(
      "SELECT node, data FROM nodes WHERE kind = 'work' AND id NOT LIKE 'work:printed:%' ORDER BY node",
    );
    for (const { node, data } of works) this.#addWork(node, data);
  }

  /** Links every open reference anew; says how many. */
  relink(): number {
    const open = this.#all<PrintedRow>(
      'SELECT printed.* FROM open_references JOIN printed USING (owner, part) ORDER BY owner, part',
    );
    for (const row of open) {
      this.#rows.remove(row.owner, row.part);
      const { node, edges } = this.#link(row);
      this.#rows.add({ owner: row.owner, part: row.part, nodes: node ? [node] : [], edges });
    }
    this.#run('DELETE FROM open_references');
    return open.length;
  }

  #addWork(node: string, data: string): void {
    for (const key of [...workKeys(citedWorkOf(data))].sort()) this.#workKeys.add(key, node);
    this.#workKeys.flush();
  }

  #touchedWorks(): { readonly node: string; readonly data: string }[] {
    return this.#all(
      `SELECT node, data FROM touched_nodes JOIN nodes USING (node)
       WHERE kind = 'work' AND id NOT LIKE 'work:printed:%' ORDER BY node`,
    );
  }

  #reopen(node: string): void {
    this.#run(
      'INSERT OR IGNORE INTO open_references SELECT owner, part FROM work_keys CROSS JOIN printed_keys USING (key) WHERE node = ?',
      node,
    );
  }

  #link(row: PrintedRow): { readonly node: NodeStatement | undefined; readonly edges: readonly EdgeStatement[] } {
    const own = nodeKey(row.work);
    const candidates = this.#all<{ node: string; id: string; data: string }>(
      `SELECT node, id, data FROM (
         SELECT node, sum(CASE substr(key, 1, 2) WHEN 't:' THEN 1 ELSE ${NUMBER_WEIGHT} END) AS shared
         FROM printed_keys CROSS JOIN work_keys USING (key) WHERE owner = ? AND part = ? GROUP BY node
       ) JOIN nodes USING (node) WHERE shared >= ${LEAST_SHARED} AND node <> ? ORDER BY shared DESC, node LIMIT ${MOST_CANDIDATES}`,
      row.owner,
      row.part,
      own,
    );
    const reference = readPrintedReference(row.text);
    const link = linkReference(
      reference,
      candidates.map(({ id, data }) => [id, citedWorkOf(data)] as const),
    );
    const printed = link ? undefined : printedWork(row.text);
    const target = link?.work ?? printed?.id ?? '';
    const evidence = {
      place: JSON.parse(row.place) as TextPlace,
      method: link ? 'reference-match' : 'reference-print',
      version: LINK_VERSION,
      score: link ? Math.round(link.score * 1000) / 1000 : 1,
      detail: link ? { ...link.agreement, title: Math.round((link.agreement.title ?? 0) * 1000) / 1000 } : {},
    };
    return {
      node: printed,
      edges: [
        { source: row.node, kind: 'resolves_to', target, evidence },
        { source: row.work, kind: 'cites', target, evidence },
      ],
    };
  }

  #run(sql: string, ...values: string[]): void {
    this.#statement(sql).run(...values);
  }

  #all<T>(sql: string, ...values: string[]): T[] {
    return this.#statement(sql).all(...values) as T[];
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }
}

/** A work that is known by its print alone: equal prints of who, when and what (or where) are one work. */
function printedWork(text: string): NodeStatement {
  const { label: _label, ...parsed } = parseReference(text);
  const what =
    lettersOf(parsed.title ?? '') || `${lettersOf(parsed.source ?? '')}/${parsed.volume ?? ''}/${parsed.pages ?? ''}`;
  const known = parsed.authors.length > 0 && parsed.year !== null && what.length > 4;
  const print = known ? `${lettersOf(parsed.authors[0] ?? '')}/${parsed.year ?? ''}/${what}` : lettersOf(text);
  return {
    id: `work:printed:${sha256(print).slice(0, 24)}`,
    kind: 'work',
    label: referenceLabel(parsed, text),
    year: parsed.year,
    rank: RANK.guess,
    data: { ...parsed } satisfies CitedWork,
  };
}

/** What a work's node keeps for references to be recognised by. */
function citedWorkOf(data: string): CitedWork {
  const { title, authors, year, source, volume, pages } = JSON.parse(data) as Partial<CitedWork>;
  return {
    title: title ?? null,
    authors: authors ?? [],
    year: year ?? null,
    source: source ?? null,
    volume: volume ?? null,
    pages: pages ?? null,
  };
}
