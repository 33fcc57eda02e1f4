import { AppError, errorInfo } from '../../base/index.ts';
import type { DenseEngine } from '../../parse/index.ts';
import type { PostgresConnection, RunStatement } from '../../queue/kept/index.ts';
import type {
  Candidate,
  IndexManifest,
  IndexReader,
  IndexSnapshot,
  SearchFilter,
  WantedCandidates,
} from '../index-reader.ts';
import { filterKey } from '../index-reader.ts';
import type { Passage } from '../passage.ts';
import { checkModel, SearchIndex } from '../search-index.ts';
import { isAside } from '../section.ts';
import { hasVector, readFacet } from '../segment/write-segment.ts';
import type { Generation, VectorSchema } from './generation.ts';
import { currentGeneration, prepareIndex } from './generation.ts';
import type { JoinedParts } from './joined-words.ts';
import { JoinedWords, NO_PARTS, readParts } from './joined-words.ts';

/** Places of a snapshot: the number of a document, times this, plus that of its passage. */
const PLACES = 2 ** 20;
const FILTERS_KEPT = 8;
/** A table that is gone: its generation was replaced. */
const UNDEFINED_TABLE = '42P01';
/** How many of the nearest the index of vectors gives; 1,000 is the most that it looks at together. */
const MOST_NEIGHBOURS = 1_000;
/** How many documents a filter may leave for their vectors to be compared without that index. */
const COMPARED_DOCUMENTS = 1_000;
/** The server cannot know what comparing all vectors costs, and would choose it too often. */
const USE_INDEX = (others: 'on' | 'off'): string =>
  ['seqscan', 'bitmapscan', 'sort'].map((way) => `SET LOCAL enable_${way} = ${others}`).join('; ');
/** How far the index of vectors is searched for what a filter lets through. */
const SEARCHED = 'SET LOCAL hnsw.max_scan_tuples = 100000; SET LOCAL hnsw.scan_mem_multiplier = 8';

/** Opens the index of a corpus in PostgreSQL; with an engine also its vectors. The connection stays the caller's. */
export async function openPostgresIndex(connection: PostgresConnection, engine?: DenseEngine): Promise<SearchIndex> {
  const reader = await PostgresReader.open(connection);
  checkModel(reader.manifest, engine);
  return new SearchIndex(reader, engine);
}

/** What the index in PostgreSQL holds; undefined if there is none that this version can search. */
export async function readPostgresManifest(connection: PostgresConnection): Promise<IndexManifest | undefined> {
  await prepareIndex(connection);
  const generation = await currentGeneration(connection);
  return generation && (await manifestOf(connection, generation));
}

/** Identifies the index that is searched; null if there is none. */
export async function readPostgresStamp(connection: PostgresConnection): Promise<string | null> {
  const [found] = await connection.run<{ there: boolean }>(
    'has-index',
    "SELECT to_regclass('search_generations') IS NOT NULL AS there",
    {},
  );
  const generation = found?.there === true ? await currentGeneration(connection) : undefined;
  return generation ? String(generation.number) : null;
}

async function manifestOf(connection: PostgresConnection, { number, dense }: Generation): Promise<IndexManifest> {
  const [row] = await connection.run<{ passages: number; documents: number }>(
    `manifest ${number}`,
    `SELECT coalesce(sum(passages), 0)::bigint AS passages, coalesce(sum(documents), 0)::bigint AS documents
     FROM search_totals_${number}`,
    {},
  );
  return { passages: row?.passages ?? 0, documents: row?.documents ?? 0, dense };
}

/** Which documents a filter lets through: those, or all but those. */
interface Chosen {
  readonly isOnly: boolean;
  readonly documents: readonly number[];
  readonly set: ReadonlySet<number>;
}

function chosenOf(isOnly: boolean, documents: readonly number[]): Chosen {
  return { isOnly, documents, set: new Set(documents) };
}

/** The documents of an index, as they were after so many changes. */
interface KnownDocuments {
  readonly at: string;
  readonly all: readonly { readonly number: number; readonly id: string; readonly is_copy: boolean }[];
  readonly chosen: Map<string, Chosen>;
}

interface Totals {
  readonly changes: number;
  readonly passages: number;
  readonly words: number;
  readonly embedded: number;
  /** Whether there is an index of vectors. */
  readonly near: boolean;
}

/** The index in the tables of a server. Every question is answered from the generation that is current then. */
class PostgresReader implements IndexReader {
  readonly manifest: IndexManifest;
  readonly #connection: PostgresConnection;
  readonly #vector: VectorSchema | undefined;
  #centroid: { readonly at: string; readonly mean: Float32Array } = { at: '', mean: new Float32Array() };
  #parts: JoinedParts = NO_PARTS;
  #documents: KnownDocuments = { at: '', all: [], chosen: new Map() };

  private constructor(connection: PostgresConnection, manifest: IndexManifest, vector: VectorSchema | undefined) {
    this.#connection = connection;
    this.manifest = manifest;
    this.#vector = vector;
  }

  static async open(connection: PostgresConnection): Promise<PostgresReader> {
    const vector = await prepareIndex(connection);
    const generation = await currentGeneration(connection);
    if (!generation) throw missing();
    return new PostgresReader(connection, await manifestOf(connection, generation), vector);
  }

  async snapshot(terms: readonly string[]): Promise<IndexSnapshot> {
    const generation = await currentGeneration(this.#connection);
    if (!generation) throw missing();
    // Vectors of another model cannot be compared with those that this reader was opened for.
    if (JSON.stringify(generation.dense) !== JSON.stringify(this.manifest.dense))
      throw new AppError('INDEX_MODEL', 'the index was built again with another model', { hint: 'open it again' });
    const { number } = generation;
    const { totals, words } = await this.#read(async (run) => {
      await run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      const [counted] = await run<Totals>(
        `SELECT coalesce(sum(changes), 0)::bigint AS changes, coalesce(sum(passages), 0)::bigint AS passages,
           coalesce(sum(words), 0)::bigint AS words, coalesce(sum(embedded), 0)::bigint AS embedded,
           to_regclass('search_near_${number}') IS NOT NULL AS near
         FROM search_totals_${number}`,
      );
      const parts = await readParts(run, number, this.#parts);
      this.#parts = parts;
      return {
        totals: counted ?? { changes: 0, passages: 0, words: 0, embedded: 0, near: false },
        words: await JoinedWords.read(run, parts, terms),
      };
    });
    const at = `${number} ${totals.changes}`;
    const centroid = await this.#centroidAt(at, generation, totals.embedded);
    return {
      passages: totals.passages,
      centroid,
      frequency: (term) => words.frequency(term),
      candidates: (wanted) =>
        this.#candidates(generation, wanted, {
          hasNear: totals.near,
          words,
          averageLength: totals.words / totals.passages || 1,
        }),
      read: (places) => this.#passages(number, places),
    };
  }

  async documents(): Promise<readonly string[]> {
    const generation = await currentGeneration(this.#connection);
    if (!generation) throw missing();
    const { all } = await this.#read(async (run) => {
      await run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      return await this.#documentsNow(run, generation.number);
    });
    return all.flatMap(({ id, is_copy: isCopy }) => (isCopy ? [] : [id])).sort();
  }

  async passagesOf(document: string): Promise<readonly Passage[]> {
    const generation = await currentGeneration(this.#connection);
    if (!generation) throw missing();
    const rows = await this.#read((run) =>
      run<{ content: string }>(
        `SELECT content FROM search_passages_${generation.number} WHERE document =
           (SELECT number FROM search_documents_${generation.number} WHERE id = :document) ORDER BY place`,
        { document },
      ),
    );
    return rows.map(({ content }) => JSON.parse(content) as Passage);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The connection is the caller's.
  }

  async #candidates(
    { number, dense }: Generation,
    { filter, terms, byWords, near }: WantedCandidates,
    {
      hasNear,
      words,
      averageLength,
    }: { readonly hasNear: boolean; readonly words: JoinedWords; readonly averageLength: number },
  ): Promise<readonly Candidate[]> {
    const vector = dense && this.#vector !== undefined && near ? { ...near, schema: this.#vector } : undefined;
    return await this.#read(async (run) => {
      // All statements see the same documents, whatever is replaced meanwhile.
      await run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      // Plans depend on how much a filter leaves, and on how frequent the words are.
      await run('SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off');
      const chosen = await this.#chosenBy(run, filter, number);
      const places = { ...facetsOf(filter), ...chosenValues(chosen) };
      const nearest = vector
        ? await nearestOf(run, { number, chosen, hasNear, dimensions: dense?.dimensions ?? 0 }, vector, places)
        : [];
      const worded = words.best(
        terms,
        { facets: markedBytes(places.facets), accepts: (document) => chosen.set.has(document) === chosen.isOnly },
        { count: Math.ceil(byWords), averageLength, also: nearest },
      );
      const all = new Map<number, { lexical: number; isRare: boolean; similarity?: number; facet: number }>();
      for (const row of nearest)
        all.set(placeOf(row), { lexical: 0, isRare: false, similarity: row.similarity, facet: row.facet });
      for (const { lexical, isRare, facet, ...place } of worded)
        all.set(placeOf(place), { facet, ...all.get(placeOf(place)), lexical, isRare });
      if (vector) await addSimilarities(run, number, vector, all);
      return Array.from(all, ([place, { facet, similarity, ...rest }]) => ({
        place,
        ...rest,
        similarity,
        hasVector: hasVector(facet),
        section: readFacet(facet).section,
      }));
    });
  }

  async #passages(generation: number, places: readonly number[]): Promise<ReadonlyMap<number, Passage>> {
    if (places.length === 0) return new Map();
    const rows = await this.#read((run) =>
      run<{ document: number; place: number; content: string }>(
        `SELECT document, place, content FROM search_passages_${generation}
         JOIN unnest(:documents::int[], :places::int[]) AS wanted(document, place) USING (document, place)`,
        { documents: places.map(documentOf), places: places.map((place) => place % PLACES) },
      ),
    );
    return new Map(rows.map((row) => [placeOf(row), JSON.parse(row.content) as Passage]));
  }

  /** The mean of all vectors. */
  async #centroidAt(at: string, { number, dense }: Generation, embedded: number): Promise<Float32Array> {
    if (this.#centroid.at === at) return this.#centroid.mean;
    const slots = dense
      ? await this.#read((run) => run<{ vectors: readonly number[] }>(`SELECT vectors FROM search_totals_${number}`))
      : [];
    const sum = new Float64Array(dense?.dimensions ?? 0);
    for (const { vectors } of slots)
      for (const [each, value] of vectors.entries()) sum[each] = (sum[each] ?? 0) + value;
    const mean = Float32Array.from(sum, (value) => value / Math.max(1, embedded));
    this.#centroid = { at, mean };
    return mean;
  }

  async #chosenBy(run: RunStatement, filter: SearchFilter, generation: number): Promise<Chosen> {
    const { documents } = filter;
    if (!documents) {
      // Copies are few: without another filter there is no need for the names of all.
      const rows = await run<{ number: number }>(`SELECT number FROM search_documents_${generation} WHERE is_copy`);
      return chosenOf(
        false,
        rows.map(({ number }) => number),
      );
    }
    const { all, chosen } = await this.#documentsNow(run, generation);
    const key = filterKey({ documents });
    const known = chosen.get(key);
    if (known) return known;
    const isAccepted = (each: (typeof all)[number]): boolean => !each.is_copy && documents.accepts(each.id);
    const [accepted, others] = [all.filter(isAccepted), all.filter((each) => !isAccepted(each))];
    const isOnly = accepted.length < others.length;
    const made = chosenOf(
      isOnly,
      (isOnly ? accepted : others).map(({ number }) => number),
    );
    for (const oldest of chosen.keys()) {
      if (chosen.size < FILTERS_KEPT) break;
      chosen.delete(oldest);
    }
    chosen.set(key, made);
    return made;
  }

  /** The documents as a transaction sees them: those that were read before, if nothing has changed since. */
  async #documentsNow(run: RunStatement, generation: number): Promise<KnownDocuments> {
    const [now] = await run<{ changes: number }>(
      `SELECT coalesce(sum(changes), 0)::bigint AS changes FROM search_totals_${generation}`,
    );
    const at = `${generation} ${now?.changes}`;
    if (this.#documents.at !== at) {
      const all = await run<KnownDocuments['all'][number]>(
        `SELECT number, id, is_copy FROM search_documents_${generation}`,
      );
      this.#documents = { at, all, chosen: new Map() };
    }
    return this.#documents;
  }

  /** Statements of one transaction; one that misses its table says that the index was replaced. */
  async #read<T>(work: (run: RunStatement) => Promise<T>): Promise<T> {
    try {
      return await this.#connection.transaction(work);
    } catch (error) {
      if (errorInfo(error).code !== UNDEFINED_TABLE) throw error;
      throw new AppError('INDEX_REPLACED', 'the index was replaced by another one', {
        hint: 'try again',
        cause: error,
      });
    }
  }
}

function missing(): AppError {
  return new AppError('INDEX_MISSING', 'the database has no search index', {
    hint: 'docstokg run --fleet builds it, and docstokg reindex --database builds it again',
  });
}

interface Place {
  readonly document: number;
  readonly place: number;
}

function placeOf({ document, place }: Place): number {
  return document * PLACES + place;
}

function documentOf(place: number): number {
  return Math.floor(place / PLACES);
}

/** A one at each of these places. */
function markedBytes(places: readonly number[]): Uint8Array {
  const marked = new Uint8Array(256);
  for (const place of places) marked[place] = 1;
  return marked;
}

/** The facets that a filter lets through. */
function facetsOf({ sections, has }: SearchFilter): { readonly facets: readonly number[] } {
  const wanted = new Set(sections);
  const facets = Array.from({ length: 256 }, (_, facet) => facet).filter((facet) => {
    const { section, hasTable, hasFigure } = readFacet(facet);
    if (sections ? !wanted.has(section) : isAside(section)) return false;
    return (has !== 'table' || hasTable) && (has !== 'figure' || hasFigure);
  });
  return { facets };
}

function chosenValues({ documents }: Chosen): { readonly chosen: readonly number[] } {
  return { chosen: documents };
}

/** A condition on the column with a document's number. */
function chosenCondition({ isOnly, documents }: Chosen, column: string): string {
  if (!isOnly && documents.length === 0) return '';
  return isOnly ? `AND ${column} = ANY(:chosen::int[])` : `AND ${column} <> ALL(:chosen::int[])`;
}

interface NearVector {
  readonly vector: Float32Array;
  readonly count: number;
  readonly schema: VectorSchema;
}

interface NearRow extends Place {
  readonly facet: number;
  readonly similarity: number;
}

interface NearTables {
  readonly number: number;
  readonly chosen: Chosen;
  readonly hasNear: boolean;
  readonly dimensions: number;
}

/** The visible passages nearest to a vector: found in half precision and compared exactly, or if they are few, all compared. */
async function nearestOf(
  run: RunStatement,
  { number, chosen, hasNear, dimensions }: NearTables,
  { vector, count, schema }: NearVector,
  places: object,
): Promise<NearRow[]> {
  const isIndexed = hasNear && !(chosen.isOnly && chosen.documents.length <= COMPARED_DOCUMENTS);
  const type = isIndexed ? `${schema}halfvec(${dimensions})` : `${schema}vector`;
  const most = isIndexed ? Math.min(MOST_NEIGHBOURS, count) : count;
  if (isIndexed) {
    // Goes on until the filter has let enough through.
    await run(`SET LOCAL hnsw.ef_search = ${most}; SET LOCAL hnsw.iterative_scan = relaxed_order; ${SEARCHED}`);
    await run(USE_INDEX('off'));
  }
  const rows = await run<NearRow>(
    `WITH near AS MATERIALIZED (
       SELECT document, place, facet, embedding FROM search_passages_${number}
       WHERE embedding IS NOT NULL AND facet = ANY(:facets::smallint[]) ${chosenCondition(chosen, 'document')}
       ORDER BY (embedding::${type}) OPERATOR(${schema}<#>) :vector::text::${type} LIMIT :count::int
     )
     SELECT document, place, facet, -(embedding OPERATOR(${schema}<#>) :vector::text::${schema}vector) AS similarity FROM near`,
    { ...places, vector: `[${vector.join(',')}]`, count: Math.ceil(most) },
  );
  if (isIndexed) await run(USE_INDEX('on'));
  return rows;
}

/** Compares passages that were found by words only. */
async function addSimilarities(
  run: RunStatement,
  number: number,
  { vector, schema }: NearVector,
  found: Map<number, { similarity?: number; readonly facet: number }>,
): Promise<void> {
  const places = [...found].flatMap(([place, { similarity, facet }]) =>
    similarity === undefined && hasVector(facet) ? [place] : [],
  );
  if (places.length === 0) return;
  const rows = await run<Place & { readonly similarity: number }>(
    `SELECT document, place, -(embedding OPERATOR(${schema}<#>) :vector::${schema}vector) AS similarity
     FROM search_passages_${number} JOIN unnest(:documents::int[], :places::int[]) AS wanted(document, place)
     USING (document, place) WHERE embedding IS NOT NULL`,
    {
      vector: `[${vector.join(',')}]`,
      documents: places.map(documentOf),
      places: places.map((place) => place % PLACES),
    },
  );
  for (const row of rows) {
    const known = found.get(placeOf(row));
    if (known) known.similarity = row.similarity;
  }
}
