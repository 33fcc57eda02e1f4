import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Clock, Warn } from '../../base/index.ts';
import { AppError, openOrSetAside, sha256 } from '../../base/index.ts';
import { lettersOf } from '../link/letters.ts';
import { withoutLabel } from '../link/parse-reference.ts';

/** A registered work that a catalogue takes a printed reference for. */
export interface FoundWork {
  readonly kind: 'found';
  readonly doi: string;
  readonly title: string;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly venue: string | null;
  /** 0 to 1: how well it fits what is printed. */
  readonly score: number;
}

/** What a catalogue knows of a printed reference; `doubtful` has works that may be the one, and none that surely is. */
export type ReferenceAnswer = FoundWork | { readonly kind: 'doubtful' } | { readonly kind: 'none' };

/** The work behind an id that a record cites. */
export interface KnownWork {
  readonly kind: 'known';
  readonly doi: string | null;
  readonly title: string | null;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly venue: string | null;
}

/** An answer that is kept: whose it is, and when it was given. */
export interface KeptAnswer {
  readonly answer: ReferenceAnswer | KnownWork;
  readonly origin: string;
  readonly readAt: string;
}

/** How catalogues are asked: where answers are kept, and how many are asked for at most. */
export interface LookupOptions {
  readonly answers: ReferenceAnswers;
  readonly most: number;
  readonly clock: Clock;
  readonly warn: Warn;
}

const VERSION = 1;

/** What catalogues said about references, by what is printed or by the id that a record cites: nothing is asked twice, and a graph is the same with the same answers. */
export class ReferenceAnswers implements Disposable {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Opens the file, which need not be there yet; a damaged one is put aside, and what it held is asked again. */
  static open(path: string, warn?: Warn): ReferenceAnswers {
    mkdirSync(dirname(path), { recursive: true });
    return openOrSetAside(path, () => new ReferenceAnswers(openDatabase(path)), warn);
  }

  /** The answer about a reference, however its print is spaced and numbered. */
  find(text: string): KeptAnswer | undefined {
    const row = this.#database.prepare('SELECT * FROM answers WHERE question = ?').get(questionOf(text));
    return (
      row && {
        answer: JSON.parse(String(row['answer'])) as KeptAnswer['answer'],
        origin: String(row['origin']),
        readAt: String(row['read_at']),
      }
    );
  }

  /** Keeps an answer; on the disk when this returns. */
  keep(text: string, { answer, origin, readAt }: KeptAnswer): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)')
      .run(questionOf(text), origin, readAt, JSON.stringify(answer));
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** What a reference is asked under: its letters and digits, without the number in front. */
export function questionOf(text: string): string {
  return sha256(lettersOf(withoutLabel(text)));
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL');
    const { user_version: have } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (have > VERSION)
      throw new AppError('REFERENCE_ANSWERS_NEWER', `${path} was written by a newer version`, {
        hint: 'upgrade docstokg',
      });
    database.exec(`CREATE TABLE IF NOT EXISTS answers (
      question TEXT NOT NULL PRIMARY KEY, origin TEXT NOT NULL, read_at TEXT NOT NULL, answer TEXT NOT NULL) WITHOUT ROWID;
      PRAGMA user_version = ${VERSION}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
