import { AppError, isDamaged, lettersOf } from '../../base/index.ts';
import type { EdgeKind, EntityKind, GraphPicture, NodeKind } from '../../graph/index.ts';
import { ENTITY_KINDS, entityName, nodeKey } from '../../graph/index.ts';
import { hasGraph } from '../../database/graph/index.ts';
import { CorpusStore } from '../../database/index.ts';
import type { NamedTogether, NamingWork } from './entities.ts';
import { namedTogether, populationsNamed, sentencesNamingBoth, speciesOf, worksNaming } from './entities.ts';
import type { AskedName, WorkEffect } from './effects.ts';
import { effectsOf, findingsAbout } from './effects.ts';
import type { Funding, Measured } from './measured.ts';
import { fundedWorks, fundingOf, likeWord, measuredHow } from './measured.ts';
import { neighbourhoodOf } from './neighbourhood.ts';
import type { GraphNode, Neighbour, ShownEvidence, Weighted } from './types.ts';
import type { EvidenceRow, NodeRow } from './types.ts';
import { EVIDENCE, evidenceOf, nodeOf } from './types.ts';

/** Kinds that can be found by label: SPSS, Ana Silva, Journal of Seas. */
const LABELLED_KINDS = [...ENTITY_KINDS, 'term', 'author', 'institution', 'venue', 'funder', 'topic']
  .map((kind) => `'${kind}'`)
  .join(', ');
/** The node and its other ids. CROSS JOIN makes SQLite start from the node; otherwise it scans all edges. */
const SAME = `WITH RECURSIVE same(node) AS (
  SELECT :node UNION SELECT edges.target FROM same CROSS JOIN edges ON edges.source = same.node AND edges.kind = 'same_as'
  UNION SELECT edges.source FROM same CROSS JOIN edges ON edges.target = same.node AND edges.kind = 'same_as')`;

/**
 * Questions to the graph of a corpus.
 *
 * ```ts
 * import { openGraph } from 'docstokg/library';
 *
 * using graph = openGraph('runs/coral');
 * for (const { kind, node } of graph.neighbours('work:doi:10.1038/nature02691')) console.log(kind, node.label);
 * ```
 */
export class Graph implements Disposable {
  /** The database that holds the graph. */
  readonly store: CorpusStore;

  /** Use `openGraph`. The store is closed with the graph. */
  constructor(store: CorpusStore) {
    this.store = store;
  }

  /** Finds a node by id, DOI, OpenAlex id, document, label, abbreviation, or words of a title. */
  find(name: string): GraphNode {
    const found = this.#lookUp(name);
    const node = found && this.#preferred(found);
    if (!node)
      throw new AppError('GRAPH_NO_NODE', `no node found: ${name}`, {
        hint: 'ids look like work:doi:10.1000/182; docstokg graph list stats and docstokg graph list terms show some',
      });
    return node;
  }

  /** The node of this id or name itself, where `find` gives the one that it was merged into. */
  nodeNamed(name: string): GraphNode {
    return this.#lookUp(name) ?? this.find(name);
  }

  #preferred(node: GraphNode): GraphNode {
    const other = this.#node(
      `SELECT nodes.* FROM edges JOIN nodes ON nodes.node = edges.target WHERE edges.source = ? AND edges.kind = 'same_as' ORDER BY edges.target LIMIT 1`,
      nodeKey(node.id),
    );
    return other ?? node;
  }

  #lookUp(name: string): GraphNode | undefined {
    const ids = [name, `work:${name}`, `work:doi:${name.toLowerCase()}`, `work:openalex:${name}`];
    for (const id of ids) {
      const node = this.#node('SELECT * FROM nodes WHERE node = ?', nodeKey(id));
      if (node) return node;
    }
    const [entity] = this.#entitiesNamed(name);
    if (entity) return entity;
    return (
      this.#node('SELECT * FROM nodes WHERE node = ?', nodeKey(`term:text:${name.toLowerCase()}`)) ??
      this.#node(
        'SELECT nodes.* FROM graph_sources JOIN nodes ON nodes.node = graph_sources.work WHERE owner = ?',
        name,
      ) ??
      this.#node(
        `SELECT * FROM nodes WHERE kind IN (${LABELLED_KINDS})
           AND (label = ?1 COLLATE NOCASE OR data ->> '$.abbreviation' = ?1)
         ORDER BY (SELECT count(*) FROM edges WHERE edges.target = nodes.node) DESC, node LIMIT 1`,
        name,
      ) ??
      this.#node(
        `SELECT * FROM nodes WHERE kind = 'work' AND label LIKE ? ESCAPE '\\' ORDER BY json_extract(data, '$.inCorpus') IS NOT 1, length(label), node LIMIT 1`,
        `%${name.replace(/[\\%_]/g, '\\$&')}%`,
      )
    );
  }

  /** The entities of this name, of whatever type, most works first. */
  #entitiesNamed(name: string): GraphNode[] {
    const keys = ENTITY_KINDS.map((kind) =>
      nodeKey(`${kind}:name:${kind === 'software' ? lettersOf(name) : entityName(name, kind)}`),
    );
    return this.store
      .all<NodeRow>(
        `SELECT nodes.* FROM json_each(?) AS given CROSS JOIN nodes ON nodes.node = given.value
         ORDER BY (SELECT count(*) FROM edges WHERE edges.target = nodes.node) DESC, nodes.node`,
        JSON.stringify(keys),
      )
      .map(nodeOf);
  }

  /** The keys of a node and of all that are the same. */
  #keysOf(node: GraphNode): string[] {
    return this.#sameAs(nodeKey(node.id));
  }

  #sameAs(key: string): string[] {
    return this.store.all<{ node: string }>(`${SAME} SELECT node FROM same`, { node: key }).map(({ node }) => node);
  }

  /** What papers name in the same sentences as an entity, of one kind or of all, most works first. */
  namedTogether(name: string, options: { readonly kind?: EntityKind; readonly limit?: number } = {}): NamedTogether[] {
    return namedTogether(this.store, this.#keysNamed(name), { kind: options.kind, limit: options.limit ?? 50 });
  }

  /** The works that name all of these, newest first, with a sentence for each. Populations are found by their words. */
  worksNaming(names: readonly string[], limit = 50): NamingWork[] {
    const groups = names.map((name) => {
      const same = [...this.#asked(name).keys, ...populationsNamed(this.store, wordsOf(name))];
      return same.length > 0 ? same : this.#keysOf(this.find(name));
    });
    return worksNaming(this.store, groups, limit);
  }

  /** What works say of the effect of one thing on another, or on anything: by work and direction, newest first. */
  effects(of: string, on?: string, limit = 50): WorkEffect[] {
    return effectsOf(this.store, this.#asked(of), on === undefined ? undefined : this.#asked(on), limit);
  }

  /** How works measured what these words name, newest first. */
  measuredHow(words: string, limit = 50): Measured[] {
    return measuredHow(this.store, wordsOf(words), limit);
  }

  /** Who paid for a work, the works that a funder paid for, or who paid for the works that name something. */
  funding(name: string, limit = 50): Funding[] {
    const funders = this.store.column(
      `SELECT node FROM nodes WHERE kind = 'funder' AND NOT EXISTS (
         SELECT 1 FROM json_each(?) AS word WHERE label NOT LIKE word.value ESCAPE '\\')`,
      JSON.stringify(wordsOf(name).map(likeWord)),
    );
    if (funders.length > 0) return fundingOf(this.store, { funders }, limit);
    const node = this.find(name);
    const works = node.kind === 'work' ? [node] : this.worksNaming([name], MOST_WORKS).map((each) => each.node);
    return fundingOf(this.store, { works: works.flatMap((work) => this.#keysOf(work)) }, limit);
  }

  /** Works that say who paid for them, by the number of their funders. */
  funded(limit = 50): Weighted[] {
    return fundedWorks(this.store, limit);
  }

  /** The entities of a name; of a genus its species too. */
  #asked(name: string): AskedName {
    const entities = this.#entitiesNamed(name).map(({ id }) => nodeKey(id));
    const keys = [...entities, ...speciesOf(this.store, name)].flatMap((key) => this.#sameAs(key));
    return { keys: [...new Set(keys)], name };
  }

  /** The keys of what a name asks about, or of the node that `find` gives for it. */
  #keysNamed(name: string): readonly string[] {
    const { keys } = this.#asked(name);
    return keys.length > 0 ? keys : this.#keysOf(this.find(name));
  }

  /** Whether the graph has any source. */
  exists(): boolean {
    return hasGraph(this.store);
  }

  /** How many documents, nodes and edges of each kind, and sentences there are. */
  stats() {
    const counts = (table: string): Record<string, number> =>
      Object.fromEntries(this.store.map<number>(`SELECT kind, count(*) FROM ${table} GROUP BY kind ORDER BY kind`));
    return {
      documents: this.store.count("graph_sources WHERE owner NOT LIKE 'record:%'"),
      nodes: counts('nodes'),
      edges: counts('edges'),
      evidence: this.store.count('evidence'),
    };
  }

  /** The neighbours of a node under any of its ids, with some evidence of each edge, sentences first. */
  neighbours(
    name: string,
    options: { readonly kinds?: readonly EdgeKind[] | undefined; readonly limit?: number } = {},
  ): Neighbour[] {
    const edges = this.edgesOf(name, options.kinds, options.limit);
    const same = Map.groupBy(edges, ({ kind, direction, node }) => `${kind} ${direction} ${node.id}`);
    return [...same.values()].flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const { kind, direction, node } = first;
      const evidence = group.flatMap(({ source, target }) => this.evidenceOf(source, kind, target));
      evidence.sort((a, b) => Number(a.quote === null) - Number(b.quote === null));
      return [{ kind, direction, node, evidence: evidence.slice(0, EVIDENCE_SHOWN) }];
    });
  }

  /** The edges of a node in both directions, without their evidence. */
  edgesOf(
    name: string,
    kinds: readonly EdgeKind[] = [],
    limit = 1_000,
  ): (Omit<Neighbour, 'evidence'> & { readonly source: string; readonly target: string })[] {
    const wanted = ":kinds = '[]' OR edges.kind IN (SELECT value FROM json_each(:kinds))";
    return this.store
      .all<NodeRow & { edge: EdgeKind; direction: 'out' | 'in'; source: string; target: string }>(
        `${SAME} SELECT edges.kind AS edge, 'out' AS direction, edges.source AS source, edges.target AS target, nodes.*
         FROM same CROSS JOIN edges ON edges.source = same.node CROSS JOIN nodes ON nodes.node = edges.target WHERE ${wanted}
         UNION ALL SELECT edges.kind, 'in', edges.source, edges.target, nodes.*
         FROM same CROSS JOIN edges ON edges.target = same.node CROSS JOIN nodes ON nodes.node = edges.source WHERE ${wanted}
         ORDER BY edge, direction DESC, year, label, id LIMIT :limit`,
        { node: nodeKey(this.find(name).id), kinds: JSON.stringify(kinds), limit },
      )
      .map(({ source, edge: kind, target, direction, ...row }) => ({
        source,
        kind,
        target,
        direction,
        node: nodeOf(row),
      }));
  }

  /** A node and its neighbours, placed for drawing. */
  neighbourhood(name: string): GraphPicture {
    return neighbourhoodOf(this, name);
  }

  /** The works of the corpus, sorted by the number of works that they cite or that cite them. */
  works(limit: number): GraphNode[] {
    return this.store
      .all<NodeRow>(
        `SELECT nodes.* FROM nodes WHERE node IN (SELECT work FROM graph_sources)
         ORDER BY (SELECT count(*) FROM edges WHERE edges.source = nodes.node AND edges.kind = 'cites')
           + (SELECT count(*) FROM edges WHERE edges.target = nodes.node AND edges.kind = 'cites') DESC, id LIMIT ?`,
        limit,
      )
      .map(nodeOf);
  }

  /** The sentences that an edge is based on. */
  evidence(source: string, kind: EdgeKind, target: string): ShownEvidence[] {
    return this.evidenceOf(nodeKey(this.find(source).id), kind, nodeKey(this.find(target).id), 10_000);
  }

  /** The findings that name an entity in any of their parts, each with its sentence. */
  findingsAbout(
    name: string,
    limit = 50,
  ): { readonly finding: GraphNode; readonly evidence: readonly ShownEvidence[] }[] {
    return findingsAbout(this.store, this.#keysNamed(name), limit);
  }

  /** The works that cite a work, newest first. */
  citedBy(name: string): Neighbour[] {
    return this.neighbours(name, { kinds: ['cites'] })
      .filter(({ direction }) => direction === 'in')
      .sort((a, b) => (b.node.year ?? 0) - (a.node.year ?? 0) || (a.node.id < b.node.id ? -1 : 1));
  }

  /** Works similar to a work: cited together with it, or citing the same works; each shared work counts once. */
  related(name: string, limit = 20): (Weighted & { readonly cocited: number; readonly coupled: number })[] {
    return this.store
      .all<WeightedRow & { cocited: number; coupled: number }>(
        `${SAME}, pairs(other, cocited, coupled) AS (
           SELECT b.target, 1, 0 FROM same CROSS JOIN edges AS a ON a.target = same.node AND a.kind = 'cites'
             CROSS JOIN edges AS b ON b.source = a.source AND b.kind = 'cites' AND b.target NOT IN (SELECT node FROM same)
           UNION ALL SELECT b.source, 0, 1 FROM same CROSS JOIN edges AS a ON a.source = same.node AND a.kind = 'cites'
             CROSS JOIN edges AS b ON b.target = a.target AND b.kind = 'cites' AND b.source NOT IN (SELECT node FROM same))
         SELECT nodes.*, sum(cocited) AS cocited, sum(coupled) AS coupled, sum(cocited + coupled) AS weight
         FROM pairs CROSS JOIN nodes ON nodes.node = other GROUP BY other ORDER BY weight DESC, id LIMIT :limit`,
        { node: nodeKey(this.find(name).id), limit },
      )
      .map(({ cocited, coupled, ...row }) => ({ ...weightedOf(row), cocited, coupled }));
  }

  /** A shortest path between two nodes, preferably through citations and authors; undefined beyond `most` steps. */
  path(from: string, to: string, most = 6): PathStep[] | undefined {
    const ends = [nodeKey(this.find(from).id), nodeKey(this.find(to).id)] as const;
    const together = this.#throughOneSentence(ends, most);
    if (together) return together;
    const way = shortestPath(this.store, ends, most, TELLING_KINDS) ?? shortestPath(this.store, ends, most);
    return way?.map((step, at) => {
      const before = way[at - 1];
      if (!before || step.edge === null) return { ...step, evidence: [] };
      const [from, to] = [nodeKey(before.node.id), nodeKey(step.node.id)];
      const [source, target] = step.direction === 'out' ? [from, to] : [to, from];
      return { ...step, evidence: this.evidenceOf(source, step.edge, target, 1) };
    });
  }

  /** A path through a work that names both ends in one sentence: it says more than two sentences of a work. */
  #throughOneSentence([from, to]: readonly [string, string], most: number): PathStep[] | undefined {
    if (most < 2 || from === to) return undefined;
    const [both] = sentencesNamingBoth(this.store, [from], [to]);
    const [start, work, end] = [from, both?.work ?? '', to].map((key) =>
      this.#node('SELECT * FROM nodes WHERE node = ?', key),
    );
    if (!both || !start || !work || !end) return undefined;
    const kindTo = (key: string): EdgeKind =>
      this.store.get<{ kind: EdgeKind }>(
        'SELECT kind FROM edges WHERE source = ? AND target = ? ORDER BY kind LIMIT 1',
        both.work,
        key,
      )?.kind ?? 'names';
    return [
      { node: start, edge: null, direction: null, evidence: [] },
      { node: work, edge: kindTo(from), direction: 'in', evidence: [both.evidence] },
      { node: end, edge: kindTo(to), direction: 'out', evidence: [both.evidence] },
    ];
  }

  /** Nodes of a kind, most works first; with `like`, only nodes whose label contains it. */
  most(kind: NodeKind, options: { readonly like?: string | undefined; readonly limit?: number } = {}): Weighted[] {
    const { like, limit = 30 } = options;
    return this.store
      .all<WeightedRow>(
        `SELECT shown.*, count(DISTINCT edges.source) AS weight FROM nodes
         JOIN edges ON edges.target = nodes.node AND edges.kind NOT IN ('same_as', 'has_subject', 'has_object', 'in_population', 'compared_with')
         LEFT JOIN edges AS same ON same.source = nodes.node AND same.kind = 'same_as'
         JOIN nodes AS shown ON shown.node = coalesce(same.target, nodes.node)
         WHERE nodes.kind = :kind AND (:like IS NULL OR nodes.label LIKE :like OR shown.label LIKE :like)
         GROUP BY shown.node ORDER BY weight DESC, shown.label, shown.id LIMIT :limit`,
        { kind, like: like === undefined ? null : `%${like}%`, limit },
      )
      .map(weightedOf);
  }

  /**
   * Quantities whose name or sentence contains all of these words, matches in the name first. Those of which fewer than four
   * in five were right when some were read, values in running text, only if `unsure` is set.
   */
  quantities(
    words: string,
    { limit = 50, unsure = false }: { readonly limit?: number; readonly unsure?: boolean } = {},
  ) {
    const like = words
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => `%${word}%`);
    return this.store
      .all<EvidenceRow & { quantity: string; source: string }>(
        `SELECT ${EVIDENCE}, quantity.id AS quantity, source_node.id AS source FROM evidence
         JOIN nodes AS quantity ON quantity.node = evidence.target JOIN nodes AS source_node ON source_node.node = evidence.source
         WHERE evidence.kind = 'measures' AND evidence.score >= :least AND NOT EXISTS (
           SELECT 1 FROM json_each(:like) WHERE (quantity.label || ' ' || evidence.quote) NOT LIKE json_each.value)
         ORDER BY (SELECT count(*) FROM json_each(:like) WHERE quantity.label NOT LIKE json_each.value),
           quantity.label, evidence.owner, evidence.number LIMIT :limit`,
        { like: JSON.stringify(like), limit, least: unsure ? 0 : LEAST_SHOWN },
      )
      .map(({ quantity, source, ...row }) => ({
        quantity: this.find(quantity),
        source: this.find(source),
        evidence: evidenceOf(row),
      }));
  }

  /** Works by year: how many are in the corpus, and how many it cites. */
  timeline() {
    return this.store
      .all<{ year: number; corpus: number; cited: number }>(
        `SELECT year, sum(json_extract(data, '$.inCorpus') IS 1) AS corpus, sum(json_extract(data, '$.inCorpus') IS NOT 1) AS cited
         FROM nodes WHERE kind = 'work' AND year IS NOT NULL GROUP BY year ORDER BY year`,
      )
      .map((row) => ({ ...row }));
  }

  /** Works that the corpus often cites but does not contain. */
  gaps({ least = 2, limit = 50 }: { readonly least?: number; readonly limit?: number } = {}): Weighted[] {
    return this.store
      .all<WeightedRow>(
        `SELECT nodes.*, count(*) AS weight FROM nodes JOIN edges ON edges.target = nodes.node AND edges.kind = 'cites'
         WHERE nodes.kind = 'work' AND json_extract(data, '$.inCorpus') IS NOT 1
           AND NOT EXISTS (SELECT 1 FROM edges AS same WHERE same.source = nodes.node AND same.kind = 'same_as')
         GROUP BY nodes.node HAVING count(*) >= ? ORDER BY weight DESC, year DESC, id LIMIT ?`,
        least,
        limit,
      )
      .map(weightedOf);
  }

  /** Texts of printed references that match no work, most cited first. */
  unknownReferences(): string[] {
    return this.store.column(
      `SELECT min(text) FROM printed JOIN evidence USING (owner, part)
       WHERE evidence.kind = 'resolves_to' AND evidence.method = 'reference-print'
       GROUP BY evidence.target ORDER BY count(DISTINCT owner) DESC, evidence.target`,
    );
  }

  /** Ids of cited works about which the graph knows nothing else, most cited first. */
  namelessWorks(origin: string): string[] {
    const prefix = `work:${origin}:`;
    return this.store.column(
      `SELECT substr(nodes.id, ?) FROM nodes JOIN edges ON edges.target = nodes.node AND edges.kind = 'cites'
       WHERE nodes.kind = 'work' AND nodes.id >= ? AND nodes.id < ? AND json_extract(nodes.data, '$.title') IS NULL
         AND NOT EXISTS (SELECT 1 FROM edges AS same WHERE same.source = nodes.node AND same.kind = 'same_as')
       GROUP BY nodes.node ORDER BY count(*) DESC, nodes.id`,
      prefix.length + 1,
      prefix,
      `work:${origin};`,
    );
  }

  /** How many groups of works that cite each other there are. */
  communities(): number {
    return new Set(communities(this.store).values()).size;
  }

  /** The works that citations make most central. */
  mostCentral(limit: number): Weighted[] {
    const rank = [...pageRank(this.store)].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, limit);
    return rank.flatMap(([key, weight]) => {
      const node = this.#node('SELECT * FROM nodes WHERE node = ?', key);
      return node ? [{ node: this.#preferred(node), weight }] : [];
    });
  }

  /** The rows of a read-only statement. */
  sql(statement: string): Record<string, unknown>[] {
    const { database } = this.store;
    try {
      database.exec('pragma query_only = on');
      return Array.from(database.prepare(statement).all(), (row) => ({ ...row }));
    } catch (error) {
      if (isDamaged(error) || !(error instanceof Error)) throw error;
      throw new AppError('USAGE_GRAPH_SQL', error.message, {
        hint: 'see docs/reference/graph.md for the tables; the database is read-only',
        cause: error,
      });
    } finally {
      database.exec('pragma query_only = off');
    }
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]();
  }

  #node(sql: string, value: string): GraphNode | undefined {
    const row = this.store.get<NodeRow>(sql, value);
    return row && nodeOf(row);
  }

  /** The sentences of an edge, by the keys of its nodes. */
  evidenceOf(source: string, kind: EdgeKind, target: string, limit = EVIDENCE_SHOWN): ShownEvidence[] {
    return this.store
      .all<EvidenceRow>(
        `SELECT ${EVIDENCE} FROM evidence WHERE source = ? AND kind = ? AND target = ? ORDER BY owner, part, number LIMIT ?`,
        source,
        kind,
        target,
        limit,
      )
      .map(evidenceOf);
  }
}

type WeightedRow = NodeRow & { readonly weight: number };

function weightedOf({ weight, ...row }: WeightedRow): Weighted {
  return { node: nodeOf(row), weight };
}

/** Opens the graph of a corpus folder for reading. Dispose of it after use. */
export function openGraph(folder: string): Graph {
  const store = CorpusStore.open(folder);
  const graph = new Graph(store);
  if (graph.exists()) return graph;
  store[Symbol.dispose]();
  throw new AppError('GRAPH_MISSING', `no graph found in ${folder}`, { hint: 'create it with docstokg graph build' });
}

const EVIDENCE_SHOWN = 5;
/** The least share that was right when nodes of a kind were read, for a kind to be shown by default. */
const LEAST_SHOWN = 0.8;
/** Works that are looked at for those who paid for them. */
const MOST_WORKS = 10_000;

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** A node on a path and the edge to it; the first has none. */
interface PathStep {
  readonly node: GraphNode;
  readonly edge: EdgeKind | null;
  readonly direction: 'out' | 'in' | null;
  /** Sentences that the edge is based on. */
  readonly evidence: readonly ShownEvidence[];
}

type Link = { readonly from: string; readonly edge: EdgeKind; readonly direction: 'out' | 'in' };

/** Kinds of nodes that make a path meaningful: programs, journals and topics connect unrelated works. */
const TELLING_KINDS: ReadonlySet<string> = new Set(
  'work reference passage author dataset finding figure table'.split(' '),
);

/** A shortest path of at most `most` steps between two keys, only through nodes of the kinds `through`. */
function shortestPath(
  store: CorpusStore,
  [start, goal]: readonly [start: string, goal: string],
  most: number,
  through?: ReadonlySet<string>,
): Omit<PathStep, 'evidence'>[] | undefined {
  const cameFrom = new Map<string, Link | null>([[start, null]]);
  let border = [start];
  for (let depth = 0; depth < most && border.length > 0 && !cameFrom.has(goal); depth += 1) {
    const next: string[] = [];
    for (const from of border)
      for (const { node, edge, direction, kind } of store.all<Omit<Link, 'from'> & { node: string; kind: string }>(
        `SELECT target AS node, edges.kind AS edge, 'out' AS direction, nodes.kind AS kind
         FROM edges CROSS JOIN nodes ON nodes.node = edges.target WHERE source = ?1
         UNION ALL SELECT source, edges.kind, 'in', nodes.kind
         FROM edges CROSS JOIN nodes ON nodes.node = edges.source WHERE target = ?1 ORDER BY 1, 2`,
        from,
      )) {
        if (cameFrom.has(node) || (node !== goal && through?.has(kind) === false)) continue;
        cameFrom.set(node, { from, edge, direction });
        next.push(node);
      }
    border = next;
  }
  if (!cameFrom.has(goal)) return undefined;
  const path: Omit<PathStep, 'evidence'>[] = [];
  for (let at: string | undefined = goal; at !== undefined;) {
    const row = store.get<NodeRow>('SELECT * FROM nodes WHERE node = ?', at);
    const link: Link | null = cameFrom.get(at) ?? null;
    if (row) path.unshift({ node: nodeOf(row), edge: link?.edge ?? null, direction: link?.direction ?? null });
    at = link?.from;
  }
  return path;
}

const DAMPING = 0.85;
const MOST_ROUNDS = 100;
const SETTLED = 1e-9;

/** The works that cite or are cited, by key, and for each one the indexes of the works that it cites. */
export function readCitations(store: CorpusStore) {
  const read = (kind: EdgeKind): { source: string; target: string }[] =>
    store.all('SELECT source, target FROM edges WHERE kind = ? ORDER BY source, target', kind);
  // A work with several ids counts once, under the smallest key.
  const same = new Map<string, string>();
  const mainOf = (node: string): string => {
    const other = same.get(node);
    return other === undefined ? node : mainOf(other);
  };
  for (const { source, target } of read('same_as')) {
    const [first = '', second = ''] = [mainOf(source), mainOf(target)].sort();
    if (first !== second) same.set(second, first);
  }
  const cited = new Map<string, Set<string>>();
  for (const edge of read('cites')) {
    const [source, target] = [mainOf(edge.source), mainOf(edge.target)];
    for (const node of [source, target]) if (!cited.has(node)) cited.set(node, new Set());
    cited.get(source)?.add(target);
  }
  const nodes = [...cited.keys()].sort();
  const place = new Map(nodes.map((node, at) => [node, at]));
  return { nodes, cites: nodes.map((node) => Array.from(cited.get(node) ?? [], (each) => place.get(each) ?? 0)) };
}

/** PageRank of the works by citations; the sum is 1. */
export function pageRank(store: CorpusStore): Map<string, number> {
  const { nodes, cites } = readCitations(store);
  const count = nodes.length;
  let rank = new Float64Array(count).fill(1 / count);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const next = new Float64Array(count);
    let loose = 0;
    for (let at = 0; at < count; at += 1) {
      const cited = cites[at] ?? [];
      const share = rank[at] ?? 0;
      if (cited.length === 0) loose += share;
      for (const other of cited) next[other] = (next[other] ?? 0) + share / cited.length;
    }
    let moved = 0;
    for (let at = 0; at < count; at += 1) {
      const value = (1 - DAMPING) / count + DAMPING * ((next[at] ?? 0) + loose / count);
      moved += Math.abs(value - (rank[at] ?? 0));
      next[at] = value;
    }
    rank = next;
    if (moved < SETTLED) break;
  }
  return new Map(nodes.map((node, at) => [node, rank[at] ?? 0]));
}

/** Communities of works by citations (Louvain, Blondel et al. 2008); the same graph gives the same groups. */
export function communities(store: CorpusStore): Map<string, number> {
  const { nodes, cites } = readCitations(store);
  let links = linksOf(nodes.length, undirected(cites));
  const member = nodes.map((_, at) => at);
  for (let level = 0; level < 10; level += 1) {
    const moved = moveOnce(links);
    const names = new Map<number, number>();
    for (const group of moved) if (!names.has(group)) names.set(group, names.size);
    const groups = moved.map((group) => names.get(group) ?? 0);
    for (const [at, group] of member.entries()) member[at] = groups[group] ?? 0;
    if (names.size === links.length) break;
    links = linksOf(names.size, joined(links, groups));
  }
  return new Map(nodes.map((node, at) => [node, member[at] ?? 0]));
}

type Links = readonly ReadonlyMap<number, number>[];

function linksOf(count: number, all: Iterable<readonly [from: number, to: number, weight: number]>): Links {
  const links = Array.from({ length: count }, () => new Map<number, number>());
  for (const [from, to, weight] of all) links[from]?.set(to, (links[from]?.get(to) ?? 0) + weight);
  return links;
}

function* undirected(cites: readonly (readonly number[])[]): Generator<[number, number, number]> {
  for (const [at, cited] of cites.entries())
    for (const other of cited) {
      if (other === at) continue;
      yield [at, other, 1];
      yield [other, at, 1];
    }
}

/** Moves each node to the neighbouring group with the highest gain, until none moves. */
function moveOnce(links: Links): number[] {
  const group = links.map((_, at) => at);
  const degree = links.map((each) => [...each.values()].reduce((sum, weight) => sum + weight, 0));
  const total = degree.reduce((sum, each) => sum + each, 0) || 1;
  const inside = [...degree];
  for (let round = 0; round < 20; round += 1) {
    let changes = 0;
    for (let at = 0; at < links.length; at += 1) {
      const own = group[at] ?? 0;
      const mine = degree[at] ?? 0;
      const toward = new Map<number, number>([[own, 0]]);
      for (const [other, weight] of links[at] ?? []) {
        const theirs = group[other] ?? 0;
        if (other !== at) toward.set(theirs, (toward.get(theirs) ?? 0) + weight);
      }
      inside[own] = (inside[own] ?? 0) - mine;
      let best = own;
      let most = Number.NEGATIVE_INFINITY;
      for (const [other, weight] of [...toward].sort(([a], [b]) => a - b)) {
        const gain = weight - ((inside[other] ?? 0) * mine) / total;
        if (gain > most + 1e-12) [best, most] = [other, gain];
      }
      inside[best] = (inside[best] ?? 0) + mine;
      if (best !== own) changes += 1;
      group[at] = best;
    }
    if (changes === 0) break;
  }
  return group;
}

function* joined(links: Links, groups: readonly number[]): Generator<[number, number, number]> {
  for (const [at, each] of links.entries())
    for (const [other, weight] of each) yield [groups[at] ?? 0, groups[other] ?? 0, weight];
}

const MOST_RELATED = 20;

/** Documents connected to these by citations. */
export function nearDocuments(graph: Graph, documents: Iterable<string>): Set<string> {
  const { store } = graph;
  const held = "FROM graph_sources WHERE owner NOT LIKE 'record:%' AND";
  const near = new Set<string>();
  for (const document of documents) {
    // A document parsed after the last build is not in the graph.
    if (!store.get(`SELECT 1 ${held} owner = ?`, document)) continue;
    const around = [...graph.edgesOf(document, ['cites']), ...graph.related(document, MOST_RELATED)];
    const works = JSON.stringify(around.map(({ node }) => nodeKey(node.id)));
    const sql = `SELECT owner ${held} work IN (SELECT value FROM json_each(?))`;
    for (const owner of store.column(sql, works)) near.add(owner);
  }
  return near;
}
