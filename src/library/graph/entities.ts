import type { CorpusStore } from '../../database/index.ts';
import type { EntityKind } from '../../graph/index.ts';
import type { EvidenceRow, GraphNode, NodeRow, ShownEvidence } from './types.ts';
import { EVIDENCE, evidenceOf, nodeOf } from './types.ts';
import { likeWord } from './measured.ts';

/** An entity that is named beside another one. */
export interface NamedTogether {
  readonly node: GraphNode;
  /** The works that name both in one sentence. */
  readonly works: number;
  /** Some of these sentences. */
  readonly evidence: readonly ShownEvidence[];
}

/** A work that names all of some entities. */
export interface NamingWork {
  readonly node: GraphNode;
  /** For each entity a sentence that names it, in the order asked for; sentences that name several come first. */
  readonly evidence: readonly ShownEvidence[];
}

const SENTENCES_SHOWN = 3;

/** What is named in the same sentences as any of these nodes, by the number of works. */
export function namedTogether(
  store: CorpusStore,
  nodes: readonly string[],
  { kind, limit }: { readonly kind: EntityKind | undefined; readonly limit: number },
): NamedTogether[] {
  const rows = store.all<NodeRow & { works: number; places: string }>(
    `WITH asked AS MATERIALIZED (
       SELECT DISTINCT said.owner, said.block, said.start_at, said.quote, said.source FROM json_each(:nodes) AS given
         CROSS JOIN edges ON edges.target = given.value AND edges.kind = 'names'
         CROSS JOIN evidence AS said ON said.source = edges.source AND said.kind = 'names' AND said.target = edges.target),
     beside AS (
       SELECT other.target, other.source, other.owner, other.number FROM asked CROSS JOIN evidence AS other
         ON other.source = asked.source AND other.kind = 'names' AND other.owner = asked.owner
         AND other.block = asked.block AND other.start_at = asked.start_at AND other.quote = asked.quote
       WHERE other.target NOT IN (SELECT value FROM json_each(:nodes)))
     SELECT nodes.*, count(DISTINCT beside.source) AS works, json_group_array(json_array(owner, number)) AS places
     FROM beside CROSS JOIN nodes ON nodes.node = beside.target WHERE :kind IS NULL OR nodes.kind = :kind
     GROUP BY nodes.node ORDER BY works DESC, count(*) DESC, nodes.label, nodes.id LIMIT :limit`,
    { nodes: JSON.stringify(nodes), kind: kind ?? null, limit },
  );
  return rows.map(({ works, places, ...row }) => {
    const all = store.parse<[owner: string, number: number][]>(places);
    all.sort(([a, first], [b, second]) => (a === b ? first - second : a < b ? -1 : 1));
    // One sentence of each work, then further ones.
    const firsts = all.filter(([owner], at) => all.findIndex((other) => other[0] === owner) === at);
    const shown = [...new Set([...firsts, ...all])].slice(0, SENTENCES_SHOWN);
    return { node: nodeOf(row), works, evidence: shown.flatMap((place) => sentenceAt(store, place)) };
  });
}

function sentenceAt(store: CorpusStore, [owner, number]: readonly [string, number]): ShownEvidence[] {
  const row = store.get<EvidenceRow>(
    `SELECT ${EVIDENCE} FROM evidence WHERE owner = ? AND part = '' AND number = ?`,
    owner,
    number,
  );
  return row ? [evidenceOf(row)] : [];
}

/** Kinds of edges by which a work names something, or says whom it studied. */
const NAMING = "('names', 'uses', 'about', 'defines', 'studies')";

/**
 * The works that name at least one node of each group, newest first. Sentences under a heading come before those of the first
 * page: an address names a country too.
 */
export function worksNaming(store: CorpusStore, groups: readonly (readonly string[])[], limit: number): NamingWork[] {
  const rows = store.all<NodeRow>(
    `SELECT nodes.* FROM nodes WHERE nodes.node IN (
       SELECT edges.source FROM json_each(:groups) AS grouped, json_each(grouped.value) AS given
         CROSS JOIN edges ON edges.target = given.value AND edges.kind IN ${NAMING}
       GROUP BY edges.source HAVING count(DISTINCT grouped.key) = json_array_length(:groups))
     ORDER BY nodes.year DESC, nodes.label, nodes.id LIMIT :limit`,
    { groups: JSON.stringify(groups), limit },
  );
  return rows.map((row) => ({
    node: nodeOf(row),
    evidence: groups.flatMap((group) => {
      const said = store.get<EvidenceRow>(
        `SELECT ${EVIDENCE} FROM json_each(:group) AS given CROSS JOIN evidence
           ON evidence.source = :source AND evidence.kind IN ${NAMING} AND evidence.target = given.value
         ORDER BY detail ->> 'section' IS NULL, score DESC, block, start_at LIMIT 1`,
        { group: JSON.stringify(group), source: row.node },
      );
      return said ? [evidenceOf(said)] : [];
    }),
  }));
}

/** The populations whose words contain all of these. */
export function populationsNamed(store: CorpusStore, words: readonly string[]): string[] {
  return store.column(
    `SELECT node FROM nodes WHERE kind = 'population' AND NOT EXISTS (
       SELECT 1 FROM json_each(?) AS word WHERE label NOT LIKE word.value ESCAPE '\\') ORDER BY node`,
    JSON.stringify(words.map(likeWord)),
  );
}

/** What follows the genus in "Bacillus cereus ATCC 14579" and "Salmonella enterica serovar Typhi"; not in "Potato virus Y". */
const EPITHET =
  /^ (?:spp?\.|(?!\p{Ll}*virus)\p{Ll}{3,}(?:-\p{Ll}+)?)(?:$| (?:[\p{Lu}\d]|(?:subsp|ssp|var|serovar|serotype|biovar|pv)\b))/u;

/** The species of a genus, and their strains: organisms named by it and an epithet. None for words that are no genus. */
export function speciesOf(store: CorpusStore, genus: string): string[] {
  if (!/^\p{Lu}\p{Ll}+$/u.test(genus)) return [];
  return store
    .all<{ node: string; label: string }>(
      "SELECT node, label FROM nodes WHERE kind = 'organism' AND label LIKE ? ESCAPE '\\' ORDER BY node",
      `${genus} %`,
    )
    .flatMap(({ node, label }) => (EPITHET.test(label.slice(genus.length)) ? [node] : []));
}

/** The first sentence of each of these works that names both nodes. */
export function sentencesNamingBoth(
  store: CorpusStore,
  first: readonly string[],
  second: readonly string[],
): { readonly work: string; readonly evidence: ShownEvidence }[] {
  return store
    .all<EvidenceRow & { work: string }>(
      `SELECT one.source AS work, ${EVIDENCE.split(/,\s*/)
        .map((column) => `one.${column}`)
        .join(', ')}
       FROM json_each(:first) AS given CROSS JOIN edges ON edges.target = given.value AND edges.kind IN ${NAMING}
         CROSS JOIN evidence AS one ON one.source = edges.source AND one.kind = edges.kind AND one.target = edges.target
       WHERE EXISTS (SELECT 1 FROM json_each(:second) AS other CROSS JOIN evidence AS two
         ON two.source = one.source AND two.kind IN ${NAMING} AND two.target = other.value
         AND two.owner = one.owner AND two.block = one.block AND two.start_at = one.start_at
         AND two.quote = one.quote)
       ORDER BY one.score DESC, one.owner, one.number`,
      { first: JSON.stringify(first), second: JSON.stringify(second) },
    )
    .map(({ work, ...row }) => ({ work, evidence: evidenceOf(row) }));
}
