import type { PostgresConnection, RunStatement } from '../../queue/kept/index.ts';
import { MOST_REPEATS } from '../segment/lexical.ts';
import { encodePostings } from './posting-bytes.ts';

/** How many documents make a segment. Until then each is read on its own, once by each process that answers. */
export const JOINED_DOCUMENTS = 256;
/** So many segments of few passages are joined to one. */
const FEW_PASSAGES = 10_000;
const FEW_SEGMENTS = 16;
/** At most so many times as many documents are joined together, if writers were faster. */
const MOST_TIMES = 4;

interface DocumentRow {
  readonly number: number;
  readonly lengths: readonly number[];
  readonly facets: Buffer;
  readonly terms: string;
}

/**
 * Joins the words of documents to a segment, if enough of them are in none; and joins segments again that are small, or
 * from which many documents were removed. In one transaction, so that a question sees each document once. False if there
 * was nothing to do, or another process does it: `waits` does it after that one.
 */
export async function joinWords(
  connection: PostgresConnection,
  generation: number,
  { joined, waits = false }: { readonly joined: number; readonly waits?: boolean },
): Promise<boolean> {
  const [now] = await connection.run<{ loose: number; removed: number }>(
    `loose ${generation}`,
    `SELECT (SELECT count(*) FROM search_documents_${generation} WHERE segment IS NULL) AS loose,
       (SELECT count(*) FROM search_removed_${generation}) AS removed`,
    {},
  );
  if (!waits && now && now.loose < joined && now.removed < joined) return false;
  return await connection.transaction(async (run) => {
    if (!(await isTurn(run, `${connection.schema} ${generation} segments`, waits))) return false;
    const old = await oldSegments(run, generation, joined);
    const [loose] = await run<{ count: number }>(
      `SELECT count(*) AS count FROM search_documents_${generation} WHERE segment IS NULL`,
    );
    if (old.length === 0 && (loose?.count ?? 0) < joined) return false;
    const columns = `SELECT number, lengths, facets, terms FROM search_documents_${generation}`;
    const documents = await run<DocumentRow>(`${columns} WHERE segment = ANY(:old::int[]) FOR UPDATE`, { old });
    // One that is just being replaced is left for the next time.
    const others = await run<DocumentRow>(
      `${columns} WHERE segment IS NULL ORDER BY number LIMIT ${joined * MOST_TIMES} FOR UPDATE SKIP LOCKED`,
    );
    documents.push(...others);
    if (documents.length > 0) await writeSegment(run, generation, documents);
    for (const table of ['words', 'segments', 'removed'])
      await run(`DELETE FROM search_${table}_${generation} WHERE segment = ANY(:old::int[])`, { old });
    return true;
  });
}

/** One process joins at a time; until the end of the transaction, as a pooler needs it. */
async function isTurn(run: RunStatement, name: string, waits: boolean): Promise<boolean> {
  if (waits) {
    await run('SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))', { name });
    return true;
  }
  const [turn] = await run<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0)) AS mine', {
    name,
  });
  return turn?.mine === true;
}

/** Segments to write again: small ones if there are many, and the one that lost most documents if many are gone. */
async function oldSegments(run: RunStatement, generation: number, joined: number): Promise<number[]> {
  const small = await run<{ segment: number }>(
    `SELECT segment FROM search_segments_${generation} WHERE octet_length(facets) < ${FEW_PASSAGES}`,
  );
  const [worst] = await run<{ segment: number; all: number }>(
    `SELECT segment, sum(count(*)) OVER ()::int AS all FROM search_removed_${generation}
     GROUP BY segment ORDER BY count(*) DESC, segment LIMIT 1`,
  );
  return [
    ...new Set([
      ...(small.length >= FEW_SEGMENTS ? small.map(({ segment }) => segment) : []),
      ...(worst && worst.all >= joined ? [worst.segment] : []),
    ]),
  ];
}

async function writeSegment(run: RunStatement, generation: number, given: readonly DocumentRow[]): Promise<void> {
  const documents = given.toSorted((one, other) => one.number - other.number);
  const postings = new Map<string, number[]>();
  let first = 0;
  for (const { lengths, terms } of documents) {
    for (const [term, own] of Object.entries(JSON.parse(terms) as Record<string, number[]>)) {
      const known = postings.get(term) ?? [];
      for (const posting of own) known.push(first * MOST_REPEATS + posting);
      postings.set(term, known);
    }
    first += lengths.length;
  }
  const numbers = documents.map(({ number }) => number);
  const [added] = await run<{ segment: number }>(
    `INSERT INTO search_segments_${generation} (documents, counts, lengths, facets)
     VALUES (:numbers::int[], :counts::int[], :lengths, :facets) RETURNING segment`,
    {
      numbers,
      counts: documents.map(({ lengths }) => lengths.length),
      lengths: Buffer.from(Uint32Array.from(documents.flatMap(({ lengths }) => lengths)).buffer),
      facets: Buffer.concat(documents.map(({ facets }) => facets)),
    },
  );
  await run(
    `INSERT INTO search_words_${generation}
     SELECT term, :segment::int, passages, postings
     FROM unnest(:terms::text[], :passages::int[], :postings::bytea[]) AS given(term, passages, postings)`,
    {
      segment: added?.segment,
      terms: [...postings.keys()],
      passages: Array.from(postings.values(), (own) => own.length),
      postings: Array.from(postings.values(), encodePostings),
    },
  );
  await run(`UPDATE search_documents_${generation} SET segment = :segment::int WHERE number = ANY(:numbers::int[])`, {
    segment: added?.segment,
    numbers,
  });
}
