import { createHash } from 'node:crypto';

import { AppError, sha256 } from '../../base/index.ts';
import type { PostgresConnection, RunStatement } from '../../queue/kept/index.ts';
import type { Passage } from '../passage.ts';
import { countTerms, termsOf } from '../segment/lexical.ts';
import type { IndexDense, IndexedDocument } from '../segment/write-segment.ts';
import { facetOf } from '../segment/write-segment.ts';
import type { Generation, VectorSchema } from './generation.ts';
import { openGeneration, prepareIndex, switchTo, tendGeneration } from './generation.ts';
import { JOINED_DOCUMENTS, joinWords } from './join-words.ts';
import { encodeVectors } from './vector-bytes.ts';

/** Rows of totals: writers of different documents seldom wait for each other. */
const SLOTS = 16;

/** Writes the search index of a corpus in PostgreSQL, one document at a time and from any number of machines. */
export class PostgresIndex {
  readonly #connection: PostgresConnection;
  readonly #vector: VectorSchema | undefined;
  readonly #anew: boolean;
  readonly #joined: number;
  readonly #generations = new Map<string, Promise<Generation>>();

  private constructor(
    connection: PostgresConnection,
    vector: VectorSchema | undefined,
    { anew, joined }: { readonly anew: boolean; readonly joined: number },
  ) {
    this.#connection = connection;
    this.#vector = vector;
    this.#anew = anew;
    this.#joined = joined;
  }

  /**
   * The connection stays the caller's. `anew` writes an index beside the one that is searched, until it is complete;
   * `joined` is how many documents make a segment of words.
   */
  static async open(
    connection: PostgresConnection,
    { anew = false, joined = JOINED_DOCUMENTS } = {},
  ): Promise<PostgresIndex> {
    return new PostgresIndex(connection, await prepareIndex(connection), { anew, joined });
  }

  /** Whether the server can hold vectors. */
  get hasVectors(): boolean {
    return this.#vector !== undefined;
  }

  /**
   * Adds a document, or replaces the one of that name, in one transaction; false if it was there with the same stamp.
   * Documents with another model go into another generation, which is searched when `complete` is called for it.
   */
  async put(document: IndexedDocument, dense: IndexDense | null): Promise<boolean> {
    const generation = await this.#generationOf(dense);
    const rows = await rowsOf(document, generation.dense);
    const isNew = await this.#connection.transaction((run) => replace(run, generation.number, document, rows));
    if (isNew) await joinWords(this.#connection, generation.number, { joined: this.#joined });
    return isNew;
  }

  /** Removes documents from the generation of a model. */
  async remove(documents: readonly string[], dense: IndexDense | null): Promise<void> {
    const { number } = await this.#generationOf(dense);
    for (const id of documents)
      await this.#connection.transaction((run) => replace(run, number, { id, stamp: '', passages: [] }, undefined));
    await joinWords(this.#connection, number, { joined: this.#joined });
  }

  /** The stamps of the documents in the generation of a model. */
  async stamps(dense: IndexDense | null): Promise<Map<string, string>> {
    const { number } = await this.#generationOf(dense);
    const rows = await this.#connection.run<{ id: string; stamp: string }>(
      `stamps ${number}`,
      `SELECT id, stamp FROM search_documents_${number}`,
      {},
    );
    return new Map(rows.map(({ id, stamp }) => [id, stamp]));
  }

  /** Searches the generation of a model from now on: it has all documents. Others are dropped. */
  async complete(dense: IndexDense | null): Promise<void> {
    const generation = await this.#generationOf(dense);
    const options = { joined: this.#joined, waits: true };
    while (await joinWords(this.#connection, generation.number, options));
    await tendGeneration(this.#connection, generation, this.#vector);
    await switchTo(this.#connection, generation);
    this.#generations.clear();
  }

  #generationOf(dense: IndexDense | null): Promise<Generation> {
    const wanted = this.#vector === undefined ? null : dense;
    const key = JSON.stringify(wanted);
    const known =
      this.#generations.get(key) ??
      openGeneration(this.#connection, wanted, { vector: this.#vector, anew: this.#anew });
    this.#generations.set(key, known);
    known.catch(() => this.#generations.delete(key));
    return known;
  }
}

/** A document as rows of the tables. */
interface DocumentRows {
  readonly textHash: string;
  readonly contents: readonly string[];
  readonly facets: readonly number[];
  readonly lengths: readonly number[];
  /** Of each passage; undefined without one. */
  readonly embeddings: readonly (Float32Array | undefined)[];
  readonly vectors: readonly number[];
  /** JSON of each term, and the passages that have it. */
  readonly terms: string;
}

async function rowsOf({ passages }: IndexedDocument, dense: IndexDense | null): Promise<DocumentRows> {
  const [contents, texts]: [string[], string[]] = [[], []];
  const [facets, lengths]: [number[], number[]] = [[], []];
  const embeddings: (Float32Array | undefined)[] = [];
  const sum = new Float64Array(dense?.dimensions ?? 0);
  const postings = new Map<string, number[]>();
  for await (const { vector, searchText, ...stated } of passages) {
    const passage: Passage = { section: 'body', boxes: [], hasTable: false, hasFigure: false, ...stated };
    const terms = termsOf(searchText ?? passage.text, passage.title);
    countTerms(terms, contents.length, postings);
    const own = dense ? vector : undefined;
    if (own && own.length !== sum.length)
      throw new AppError('INDEX_DIMENSIONS', `a vector has ${own.length} numbers, the index ${sum.length}`, {
        hint: 'embed everything with the same model',
      });
    if (own) for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (own[at] ?? 0);
    embeddings.push(own);
    contents.push(JSON.stringify(passage));
    texts.push(passage.text);
    facets.push(facetOf(passage, own !== undefined));
    lengths.push(terms.length);
  }
  const isEmbedded = embeddings.some((each) => each !== undefined);
  return {
    textHash: texts.length === 0 ? '' : sha256(texts.join('\n')),
    contents,
    facets,
    lengths,
    embeddings,
    vectors: isEmbedded ? [...sum] : [],
    terms: jsonOf(postings),
  };
}

/** An object with thousands of names takes many times as long to make as its text. */
function jsonOf(postings: ReadonlyMap<string, readonly number[]>): string {
  const fields = Array.from(postings, ([term, own]) => `${JSON.stringify(term)}:[${own.join(',')}]`);
  return `{${fields.join(',')}}`;
}

interface KnownRow {
  readonly number: number;
  readonly stamp: string;
  readonly text_hash: string;
  readonly words: number;
  readonly passages: number;
  readonly embedded: number;
  readonly vectors: readonly number[];
}

/** Replaces the rows of a document; without new ones they are removed. False if nothing has changed. */
async function replace(
  run: RunStatement,
  generation: number,
  { id, stamp }: IndexedDocument,
  rows: DocumentRows | undefined,
): Promise<boolean> {
  const documents = `search_documents_${generation}`;
  const passages = `search_passages_${generation}`;
  // Two writers of one document take turns, and so do writers of documents with the same text.
  await lock(run, [`${generation} document ${id}`]);
  const [known] = await run<KnownRow>(
    `SELECT number, stamp, text_hash, words, vectors, coalesce(cardinality(lengths), 0) AS passages,
       (SELECT count(embedding) FROM ${passages} WHERE document = number)::int AS embedded
     FROM ${documents} WHERE id = :id`,
    { id },
  );
  if (rows ? known?.stamp === stamp : !known) return false;
  const hashes = [known?.text_hash ?? '', rows?.textHash ?? ''].filter((hash) => hash !== '');
  await lock(run, hashes.map((hash) => `${generation} text ${hash}`).sort());
  if (known) {
    // Another process may have put it into a segment meanwhile: the deleted row says so.
    await run(
      `WITH gone AS (DELETE FROM ${documents} WHERE number = :it RETURNING number, segment, terms)
       INSERT INTO search_removed_${generation} SELECT * FROM gone WHERE segment IS NOT NULL`,
      { it: known.number },
    );
    await run(`DELETE FROM ${passages} WHERE document = :it`, { it: known.number });
  }
  const words = rows?.lengths.reduce((sum, each) => sum + each, 0) ?? 0;
  if (rows) {
    const { textHash, contents, facets, lengths, embeddings, vectors, terms } = rows;
    const [added] = await run<{ number: number }>(
      `INSERT INTO ${documents} (id, stamp, text_hash, is_copy, words, lengths, facets, vectors, terms)
       VALUES (:id, :stamp, :hash, false, :words, :lengths::int[], :facets, :vectors::float8[], :terms)
       RETURNING number`,
      { id, stamp, hash: textHash, words, lengths, facets: Buffer.from(facets), vectors, terms },
    );
    const number = added?.number;
    const isDense = embeddings.some((each) => each !== undefined);
    const type = isDense ? await vectorType(run, passages) : undefined;
    await run(
      `INSERT INTO ${passages} (document, place, facet, content${type ? ', embedding' : ''})
       SELECT :number::int, place - 1, facet, content${type ? ', embedding' : ''}
       FROM (SELECT * FROM unnest(:facets::smallint[], :contents::text[], ${type ? `:embeddings::${type.name}[]` : 'NULL::text[]'})
         WITH ORDINALITY AS given(facet, content, embedding, place)) AS given`,
      { number, facets, contents, ...(type && { embeddings: encodeVectors(embeddings, type.number) }) },
    );
  }
  await run(
    `UPDATE ${documents} AS own SET is_copy = NOT own.is_copy WHERE text_hash = ANY(:hashes::text[]) AND is_copy <>
       EXISTS (SELECT 1 FROM ${documents} AS other WHERE other.text_hash = own.text_hash AND other.id < own.id)`,
    { hashes },
  );
  await run(
    `INSERT INTO search_totals_${generation} AS own VALUES (:slot, 1, :documents, :passages, :words, :embedded, :vectors::float8[])
     ON CONFLICT (slot) DO UPDATE SET changes = own.changes + 1, documents = own.documents + excluded.documents,
       passages = own.passages + excluded.passages, words = own.words + excluded.words,
       embedded = own.embedded + excluded.embedded,
       vectors = (SELECT coalesce(array_agg(coalesce(one, 0) + coalesce(other, 0) ORDER BY at), '{}')
         FROM unnest(own.vectors, excluded.vectors) WITH ORDINALITY AS pair(one, other, at))`,
    {
      slot: slotOf(id),
      documents: (rows ? 1 : 0) - (known ? 1 : 0),
      passages: (rows?.contents.length ?? 0) - (known?.passages ?? 0),
      words: words - (known?.words ?? 0),
      embedded: (rows?.embeddings.filter((each) => each !== undefined).length ?? 0) - (known?.embedded ?? 0),
      vectors: difference(rows?.vectors ?? [], known?.vectors ?? []),
    },
  );
  return true;
}

/** The type of vectors, wherever the extension is. */
async function vectorType(
  run: RunStatement,
  passages: string,
): Promise<{ readonly name: string; readonly number: number } | undefined> {
  const [column] = await run<{ name: string; number: number }>(
    `SELECT atttypid::regtype::text AS name, atttypid::bigint AS number FROM pg_attribute
     WHERE attrelid = :passages::regclass AND attname = 'embedding'`,
    { passages },
  );
  return column;
}

/** Until the transaction ends; a pooler needs no session for that. */
async function lock(run: RunStatement, names: readonly string[]): Promise<void> {
  for (const name of new Set(names)) await run('SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))', { name });
}

function slotOf(id: string): number {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % SLOTS;
}

function difference(one: readonly number[], other: readonly number[]): number[] {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, at) => (one[at] ?? 0) - (other[at] ?? 0));
}
