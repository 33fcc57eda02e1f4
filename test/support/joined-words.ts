import type { RunStatement } from '../../src/queue/kept/index.ts';
import { readPostings } from '../../src/search/postgres/posting-bytes.ts';

/** Of each term, `document place times` of the passages that have it. */
type Words = ReadonlyMap<string, ReadonlySet<string>>;

/** Differences between the words of documents, and what segments, documents in none and removed ones add up to. */
export async function findWordFaults(run: RunStatement): Promise<string[]> {
  await run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  const [current] = await run<{ generation: number }>('SELECT generation FROM search_generations WHERE is_current');
  const number = current?.generation ?? 0;
  const documents = await run<{ number: number; segment: number | null; terms: string; passages: number }>(
    `SELECT number, segment, terms, coalesce(cardinality(lengths), 0) AS passages FROM search_documents_${number}`,
  );
  const segments = await run<{ segment: number; documents: number[]; counts: number[] }>(
    `SELECT segment, documents, counts FROM search_segments_${number}`,
  );
  const removed = await run<{ number: number; segment: number }>(
    `SELECT number, segment FROM search_removed_${number}`,
  );
  const words = await run<{ term: string; segment: number; passages: number; postings: Buffer }>(
    `SELECT term, segment, passages, postings FROM search_words_${number}`,
  );
  const faults: string[] = [];
  const gone = new Set(removed.map((each) => each.number));
  const places = new Map<number, string[]>();
  for (const { segment, documents: own, counts } of segments) {
    places.set(
      segment,
      own.flatMap((document, at) => Array.from({ length: counts[at] ?? 0 }, (_, place) => `${document} ${place}`)),
    );
    const members = documents.filter((each) => each.segment === segment).map((each) => each.number);
    const expected = own.filter((document) => !gone.has(document));
    if (members.toSorted(byNumber).join() !== expected.toSorted(byNumber).join())
      faults.push(`segment ${segment} has ${expected.length} documents, ${members.length} say that they are in it`);
  }
  const found = new Map<string, Set<string>>();
  for (const { term, segment, passages, postings } of words) {
    let count = 0;
    readPostings(postings, (passage, times) => {
      count += 1;
      const place = places.get(segment)?.[passage] ?? `nowhere in ${segment}`;
      if (!gone.has(Number(place.split(' ')[0]))) add(found, term, `${place} ${times}`);
    });
    if (count !== passages) faults.push(`${term} in segment ${segment}: ${passages} passages, ${count} are there`);
  }
  const wanted = new Map<string, Set<string>>();
  for (const { number: document, segment, terms } of documents)
    for (const [term, postings] of Object.entries(JSON.parse(terms) as Record<string, number[]>))
      for (const posting of segment === null ? [] : postings)
        add(wanted, term, `${document} ${Math.floor(posting / 4096)} ${(posting % 4096) + 1}`);
  return [...faults, ...differences(found, wanted)];
}

function byNumber(one: number, other: number): number {
  return one - other;
}

function add(all: Map<string, Set<string>>, term: string, place: string): void {
  const known = all.get(term);
  if (known) known.add(place);
  else all.set(term, new Set([place]));
}

function differences(found: Words, wanted: Words): string[] {
  return [...new Set([...found.keys(), ...wanted.keys()])].flatMap((term) => {
    const [own, others] = [found.get(term) ?? new Set(), wanted.get(term) ?? new Set()];
    return own.symmetricDifference(others).size === 0 ? [] : [`the places of ${term} are not those of its documents`];
  });
}
