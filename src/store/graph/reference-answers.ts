import type { StoredAnswer, StoredAnswers } from '../../graph/link/index.ts';
import type { CorpusStore } from '../corpus-store.ts';

/** Answers of catalogues about references and cited ids, logged in `records.jsonl`. Nothing is asked twice, and the same answers give the same graph. */
export class ReferenceAnswers implements StoredAnswers {
  readonly #store: CorpusStore;

  constructor(store: CorpusStore) {
    this.#store = store;
  }

  get(question: string): StoredAnswer | undefined {
    const row = this.#store.get<{ origin: string; read_at: string; answer: string }>(
      'select origin, read_at, answer from answers where question = ?',
      question,
    );
    return row && { answer: JSON.parse(row.answer) as StoredAnswer['answer'], origin: row.origin, readAt: row.read_at };
  }

  set(question: string, answer: StoredAnswer): void {
    this.#store.append('records', [JSON.stringify({ kind: 'answer', question, ...answer })]);
  }
}
