import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { sha256 } from '../../base/index.ts';
import type { Contribution } from '../contribution.ts';
import { nodeKey } from '../schema.ts';
import { compactInto, openDatabase } from './database.ts';
import { ReferenceLinks } from './reference-links.ts';
import { RowWriter } from './rows.ts';

/** What a change of the graph came to. */
export interface GraphChange {
  readonly added: number;
  readonly removed: number;
  readonly relinked: number;
}

/**
 * The graph in one SQLite file. A document is added or removed as a whole, with the links of references that it makes or
 * breaks elsewhere; what is there afterwards is what a build from nothing would give.
 */
export class GraphStore implements Disposable {
  readonly database: DatabaseSync;
  readonly #rows: RowWriter;
  readonly #links: ReferenceLinks;
  readonly #insertDocument: StatementSync;
  readonly #deleteDocument: StatementSync;

  constructor(path: string) {
    this.database = openDatabase(path, { readOnly: false });
    this.#rows = new RowWriter(this.database);
    this.#links = new ReferenceLinks(this.database, this.#rows);
    this.#insertDocument = this.database.prepare('INSERT INTO documents VALUES (?, ?, ?, ?)');
    this.#deleteDocument = this.database.prepare('DELETE FROM documents WHERE owner = ?');
  }

  /** The documents in the graph, each with the hash of what it said. */
  documents(): Map<string, string> {
    const rows = this.database.prepare('SELECT owner, content FROM documents').all() as {
      owner: string;
      content: string;
    }[];
    return new Map(rows.map(({ owner, content }) => [owner, content]));
  }

  /** Adds and removes documents in one transaction: all of it happens, or nothing. */
  async apply(
    change: { readonly add?: AsyncIterable<Contribution> | Iterable<Contribution>; readonly remove?: Iterable<string> },
    contentOf: (contribution: Contribution) => string = contentHash,
  ): Promise<GraphChange> {
    const { database } = this;
    database.exec('BEGIN IMMEDIATE');
    try {
      let removed = 0;
      let added = 0;
      const empty = this.#isEmpty();
      for (const owner of change.remove ?? []) if (this.#remove(owner)) removed += 1;
      const indexes = empty ? this.#dropIndexes() : [];
      this.#rows.noting = !empty;
      for await (const contribution of change.add ?? []) {
        this.#remove(contribution.owner);
        this.#add(contribution, contentOf(contribution));
        added += 1;
      }
      this.#rows.noting = true;
      for (const sql of indexes) database.exec(sql);
      if (empty) this.#settleAll();
      else this.#settle();
      const relinked = this.#links.relink();
      this.#settle();
      database.exec('COMMIT');
      return { added, removed, relinked };
    } catch (error) {
      this.#rows.noting = true;
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Writes a copy as a build from nothing would have written it. */
  async writeCopy(path: string): Promise<void> {
    await compactInto(this.database, path);
  }

  [Symbol.dispose](): void {
    if (this.database.isOpen) this.database.close();
  }

  #add(contribution: Contribution, content: string): void {
    const { owner, nodes, edges } = contribution;
    this.#insertDocument.run(owner, content, nodeKey(contribution.work), contribution.fileSha256);
    this.#rows.add({ owner, part: '', nodes, edges });
    for (const reference of contribution.references) this.#links.add(owner, contribution.work, reference);
  }

  #remove(owner: string): boolean {
    const known = this.#deleteDocument.run(owner).changes > 0;
    if (known) {
      this.#rows.remove(owner, null);
      this.#links.remove(owner);
    }
    return known;
  }

  #isEmpty(): boolean {
    return this.database.prepare('SELECT 1 FROM documents LIMIT 1').get() === undefined;
  }

  /** Into an empty graph rows go without indexes, which are made afterwards, sorted; gives what makes them again, in their order. */
  #dropIndexes(): string[] {
    const rows = this.database
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid")
      .all() as { name: string; sql: string }[];
    for (const { name } of rows) this.database.exec(`DROP INDEX ${name}`);
    return rows.map(({ sql }) => sql);
  }

  /** Makes all nodes and edges of a graph that was empty, in the order of their keys. */
  #settleAll(): void {
    this.database.exec(`
      INSERT INTO nodes
        SELECT node, id, kind, label, year, data FROM (
          SELECT node, owner, part, row_number() OVER (PARTITION BY node ORDER BY rank, owner, part) AS place
          FROM said INDEXED BY said_node
        ) CROSS JOIN said USING (node, owner, part) WHERE place = 1 ORDER BY node;
      INSERT INTO edges
        SELECT source, kind, target, count(*) FROM evidence INDEXED BY evidence_edge
        GROUP BY source, kind, target ORDER BY source, kind, target`);
    this.#links.noteAllWorks();
  }

  /** Makes the nodes and edges that were touched anew from what documents say about them. */
  #settle(): void {
    const works = this.#links.forgetTouchedWorks();
    this.database.exec(`
      DELETE FROM nodes WHERE node IN (SELECT node FROM touched_nodes);
      INSERT INTO nodes
        SELECT node, id, kind, label, year, data FROM (
          SELECT said.*, row_number() OVER (PARTITION BY node ORDER BY rank, owner, part) AS place
          FROM touched_nodes CROSS JOIN said USING (node)
        ) WHERE place = 1 ORDER BY node;
      DELETE FROM edges WHERE (source, kind, target) IN (SELECT source, kind, target FROM touched_edges);
      INSERT INTO edges
        SELECT source, kind, target, count(*) FROM touched_edges CROSS JOIN evidence USING (source, kind, target)
        GROUP BY source, kind, target ORDER BY source, kind, target`);
    this.#links.noteTouchedWorks(works);
    this.database.exec('DELETE FROM touched_nodes; DELETE FROM touched_edges');
  }
}

/** The hash of everything a document says. */
function contentHash(contribution: Contribution): string {
  return sha256(JSON.stringify(contribution));
}
