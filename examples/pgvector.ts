// Passages and vectors in PostgreSQL: npm install docstokg @duckdb/node-api @electric-sql/pglite @electric-sql/pglite-pgvector
// PGlite is PostgreSQL in this process; a Client of `pg` takes the same statements. DuckDB reads the Parquet files.
import { DuckDBInstance } from '@duckdb/node-api';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { openCorpus } from 'docstokg';

const [folder = 'runs/my-papers', question = 'what is this about?'] = process.argv.slice(2);
const duckdb = await (await DuckDBInstance.create()).connect();
const passages = await duckdb.streamAndReadAll(
  `select chunk_id, doc_id, text, to_json(dense)::varchar as dense
   from '${folder}/Data/Embeddings/*.parquet' join '${folder}/Data/ChunkedDocTagFiles/*.parquet' using (chunk_id, doc_id)`,
);

const postgres = await PGlite.create({ extensions: { vector } });
await postgres.exec(`create extension vector;
  create table passage (chunk_id text primary key, doc_id text, text text, dense vector(384));`);
await postgres.transaction(async (all) => {
  for (const { chunk_id, doc_id, text, dense } of passages.getRowObjectsJson())
    await all.query('insert into passage values ($1, $2, $3, $4)', [chunk_id, doc_id, text, dense]);
});
// Cosine (<=>) needs no scale, so int8 vectors go in as they are.
await postgres.exec('create index on passage using hnsw (dense vector_cosine_ops)');

// More like the best passage for a question.
await using corpus = await openCorpus(folder);
const [best] = await corpus.search(question, { top: 1 });
const { rows } = await postgres.query<{ doc_id: string; nearness: number }>(
  `select doc_id, 1 - (dense <=> (select dense from passage where chunk_id = $1)) as nearness
   from passage order by nearness desc limit 5`,
  [best?.passage.id],
);
for (const { doc_id, nearness } of rows) console.log(nearness.toFixed(2), doc_id);
await postgres.close();
