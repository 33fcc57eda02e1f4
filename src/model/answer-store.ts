import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

import { AppError, openOwnDatabase } from '../base/index.ts';

export interface ModelAnswer {
  readonly content: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const VERSION = 1;

/** Stored answers of models by prompt, so that none is paid for twice, even after a crash. */
export class AnswerStore implements Disposable {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.#database = openOwnDatabase(path, 'DtKa');
    try {
      this.#database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL');
      const { user_version: have } = this.#database.prepare('PRAGMA user_version').get() as { user_version: number };
      if (have > VERSION)
        throw new AppError('MODEL_STORE_NEWER', `${path} was written by a newer version`, {
          hint: 'upgrade docstokg',
        });
      this.#database.exec(`CREATE TABLE IF NOT EXISTS answers (
        question TEXT NOT NULL PRIMARY KEY, model TEXT NOT NULL, content TEXT NOT NULL,
        input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL) WITHOUT ROWID;
        PRAGMA user_version = ${VERSION}`);
    } catch (cause) {
      this.#database.close();
      if (cause instanceof AppError) throw cause;
      throw new AppError('MODEL_STORE_BROKEN', `${path} cannot be used as the cache of model answers`, {
        hint: 'remove it if it is damaged; its answers then have to be requested (and paid for) again',
        cause,
      });
    }
  }

  find(question: string): ModelAnswer | undefined {
    const sql =
      'SELECT content, input_tokens AS inputTokens, output_tokens AS outputTokens FROM answers WHERE question = ?';
    return this.#database.prepare(sql).get(question) as ModelAnswer | undefined;
  }

  /** Stores an answer; it is on disk when this returns. */
  keep(question: string, model: string, { content, inputTokens, outputTokens }: ModelAnswer): void {
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO answers (question, model, content, input_tokens, output_tokens)
         VALUES (:question, :model, :content, :inputTokens, :outputTokens)`,
      )
      .run({ question, model, content, inputTokens, outputTokens });
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
