import type { DatabaseSync } from 'node:sqlite';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS own_papers (
    document TEXT PRIMARY KEY, sha256 TEXT NOT NULL, checked INTEGER NOT NULL CHECK (checked IN (0, 1))
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS arxiv_versions (work TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS read_documents (document TEXT PRIMARY KEY, stamp TEXT NOT NULL) WITHOUT ROWID;
`;

/** What records were made of, beside them: which documents were read, and which versions there were at arXiv. */
export class Readings {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(SCHEMA);
  }

  /** The papers of one's own that have a record, by document: of which bytes it is, and whether the services were asked about it. */
  ownPapers(): Map<string, { readonly sha256: string; readonly checked: boolean }> {
    const rows = this.#database.prepare('SELECT document, sha256, checked FROM own_papers').all() as {
      document: string;
      sha256: string;
      checked: number;
    }[];
    return new Map(rows.map(({ document, sha256, checked }) => [document, { sha256, checked: checked === 1 }]));
  }

  noteOwnPaper(paper: { readonly document: string; readonly sha256: string; readonly checked: boolean }): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO own_papers (document, sha256, checked) VALUES (?, ?, ?)')
      .run(paper.document, paper.sha256, paper.checked ? 1 : 0);
  }

  /** The documents whose own words are in the records of their works, each with the stamp under which it was read. */
  documents(): Map<string, string> {
    const rows = this.#database.prepare('SELECT document, stamp FROM read_documents').all();
    return new Map((rows as { document: string; stamp: string }[]).map(({ document, stamp }) => [document, stamp]));
  }

  noteDocument(document: string, stamp: string): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO read_documents (document, stamp) VALUES (?, ?)')
      .run(document, stamp);
  }

  /** The version that was arXiv's newest when it was last asked, of works that are kept from there. */
  arxivVersions(): Map<string, number> {
    const rows = this.#database.prepare('SELECT work, version FROM arxiv_versions').all();
    return new Map((rows as { work: string; version: number }[]).map(({ work, version }) => [work, version]));
  }

  noteArxivVersions(versions: Iterable<readonly [string, number]>): void {
    const put = this.#database.prepare(
      'INSERT INTO arxiv_versions (work, version) VALUES (?, ?) ON CONFLICT DO UPDATE SET version = excluded.version',
    );
    for (const [work, version] of versions) put.run(work, version);
  }
}
