import { setImmediate as nextTurn } from 'node:timers/promises';

import type {
  Contribution,
  EdgeStatement,
  GraphSource,
  NodeStatement,
  OpenReference,
  StoredAnswer,
  StoredAnswers,
  TextPlace,
} from '../../graph/link/index.ts';
import {
  citedWorkOf,
  nodeKey,
  readPrintedReference,
  referenceKeys,
  resolveReference,
  workKeys,
} from '../../graph/link/index.ts';
import type { CorpusStore } from '../corpus-store.ts';

/** Statements per transaction; other processes can write between two transactions. */
const STATEMENTS_PER_TRANSACTION = 10_000;
const REFERENCES_PER_TRANSACTION = 500;

export interface GraphUpdate {
  readonly documents: number;
  readonly added: number;
  readonly staleFindings: number;
  readonly relinked: number;
  readonly removed: number;
}

/** Reads new and changed sources and removes the rows of deleted ones. */
export function updateGraph(store: CorpusStore, sources: Iterable<GraphSource>): GraphUpdate {
  for (const steps = updateSteps(store, sources); ;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Like `updateGraph`, but yields to other tasks between transactions. */
export async function updateGraphSoon(
  store: CorpusStore,
  sources: Iterable<GraphSource>,
  signal?: AbortSignal,
): Promise<GraphUpdate> {
  for (const steps = updateSteps(store, sources); ; await nextTurn()) {
    signal?.throwIfAborted();
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** If the process ends between two steps, the graph is incomplete; the next update continues from there. */
function* updateSteps(store: CorpusStore, sources: Iterable<GraphSource>) {
  const rows = new GraphRows(store);
  rows.begin();
  const before = rows.contents();
  // Findings of a model are stale and skipped when the text of their document has changed.
  const count = { documents: 0, added: 0, staleFindings: 0, relinked: 0 };
  const gone = new Set(before.keys());
  let [add, statements]: [(Contribution & { readonly content: string })[], number] = [[], 0];
  for (const { kind, owner, content, read, hasStaleFindings } of sources) {
    gone.delete(owner);
    if (kind === 'document') count.documents += 1;
    if (hasStaleFindings) count.staleFindings += 1;
    if (before.get(owner) === content) continue;
    const contribution = read();
    add.push({ ...contribution, content });
    count.added += 1;
    statements += contribution.nodes.length + contribution.edges.length + contribution.references.length;
    if (statements < STATEMENTS_PER_TRANSACTION) continue;
    rows.apply({ add });
    [add, statements] = [[], 0];
    yield;
  }
  rows.apply({ add, remove: [...gone] });
  for (let linked = rows.link(); linked > 0; linked = rows.link()) {
    count.relinked += linked;
    yield;
  }
  rows.end();
  return { ...count, removed: gone.size };
}

export function hasGraph(store: CorpusStore): boolean {
  return store.get('select 1 from graph_sources limit 1') !== undefined;
}

/** An update is running or was interrupted. */
export function isGraphUnfinished(store: CorpusStore): boolean {
  return store.get('select 1 from graph_update') !== undefined;
}

/**
 * The tables of the graph. Once `link` returns 0, they are the same as if built from scratch. References without an id
 * are linked by keys they share with works: when a work changes, only the references that share a key are linked again.
 *
 *   documents ──apply──▶ statements, evidence, open references; nodes and edges made from them ──link──▶ references linked
 */
export class GraphRows {
  readonly #store: CorpusStore;

  constructor(store: CorpusStore) {
    this.#store = store;
    // Nodes and edges to rebuild at the end of a transaction.
    store.database.exec(`create temp table if not exists touched_nodes (node text primary key) without rowid;
      create temp table if not exists touched_edges (source text not null, kind text not null, target text not null,
        primary key (source, kind, target)) without rowid`);
  }

  begin(): void {
    this.#store.run("insert into graph_update values (datetime('now'))");
  }

  end(): void {
    this.#store.run('delete from graph_update');
  }

  /** The hash of each document's content. */
  contents(): Map<string, string> {
    return this.#store.map('select owner, content from graph_sources');
  }

  apply(change: {
    readonly add?: readonly (Contribution & { readonly content: string })[];
    readonly remove?: readonly string[];
  }): void {
    this.#store.transaction(() => {
      for (const owner of change.remove ?? []) this.#remove(owner);
      for (const contribution of change.add ?? []) {
        this.#remove(contribution.owner);
        this.#add(contribution);
      }
      this.#settle();
    });
  }

  /** Links some of the open references to works; returns how many. */
  link(): number {
    return this.#store.transaction(() => {
      const open = this.#store.all<{ owner: string; part: string }>(
        `delete from open_references where (owner, part) in
           (select owner, part from open_references order by owner, part limit ?) returning owner, part`,
        REFERENCES_PER_TRANSACTION,
      );
      for (const { owner, part } of open) {
        this.#removeRows(owner, part);
        this.#addRows(owner, part, this.#resolve(owner, part));
      }
      this.#settle();
      return open.length;
    });
  }

  #add({ owner, content, work, fileSha256, nodes, edges, references }: Contribution & { content: string }): void {
    this.#store.insert('graph_sources', { owner, content, work: nodeKey(work), file_sha256: fileSha256 });
    this.#addRows(owner, '', { nodes, edges });
    for (const reference of references) this.#addReference(owner, work, reference);
  }

  #remove(owner: string): void {
    if (this.#store.run('delete from graph_sources where owner = ?', owner) === 0) return;
    this.#removeRows(owner, null);
    for (const table of ['printed', 'printed_keys', 'open_references'])
      this.#store.run(`delete from ${table} where owner = ?`, owner);
  }

  /** With `part`, the rows from linking one reference of the document. */
  #addRows(owner: string, part: string, { nodes, edges }: Pick<Contribution, 'nodes' | 'edges'>): void {
    const keys = new Map<string, string>();
    const keyOf = (id: string): string => {
      const key = keys.get(id) ?? nodeKey(id);
      keys.set(id, key);
      return key;
    };
    const stated = bestOfEach(nodes, keyOf).map(([node, { rank, id, kind, label, year, data }]) => {
      return { owner, part, node, rank, id, kind, label, year, data: JSON.stringify(data) };
    });
    this.#store.insertRows('statements', stated);
    const reasons = sorted(edges).map(({ source, kind, target, evidence }, number) => {
      const { place, method, version, score, detail } = evidence;
      const text = place.kind === 'text' ? place : undefined;
      const [origin, readAt] = place.kind === 'metadata' ? [place.origin, place.readAt] : [null, null];
      return {
        owner,
        part,
        number,
        source: keyOf(source),
        kind,
        target: keyOf(target),
        method,
        version,
        score,
        file_sha256: text?.fileSha256 ?? null,
        block: text?.block ?? null,
        start_at: text?.start ?? null,
        end_at: text?.end ?? null,
        quote: text?.quote ?? null,
        page: text?.page ?? null,
        boxes: text ? JSON.stringify(text.boxes) : null,
        origin,
        read_at: readAt,
        detail: JSON.stringify(detail),
      };
    });
    this.#store.insertRows('evidence', reasons);
    this.#touch(owner, part);
  }

  /** With `part`, only the rows from linking one reference of the document. */
  #removeRows(owner: string, part: string | null): void {
    this.#touch(owner, part);
    for (const table of ['statements', 'evidence'])
      this.#store.run(`delete from ${table} where owner = ?1 and (?2 is null or part = ?2)`, owner, part);
  }

  #touch(owner: string, part: string | null): void {
    const where = 'where owner = ?1 and (?2 is null or part = ?2)';
    this.#store.run(`insert or ignore into touched_nodes select node from statements ${where}`, owner, part);
    this.#store.run(
      `insert or ignore into touched_edges select source, kind, target from evidence ${where}`,
      owner,
      part,
    );
  }

  #settle(): void {
    const before = this.#touchedWorks();
    for (const sql of SETTLE) this.#store.run(sql);
    this.#worksChanged(before);
    for (const table of ['touched_nodes', 'touched_edges']) this.#store.run(`delete from ${table}`);
  }

  #addReference(owner: string, work: string, { id, text, place }: OpenReference): void {
    this.#store.insert('printed', { owner, part: id, work, text, place: JSON.stringify(place) });
    const keys = [...referenceKeys(readPrintedReference(text))].sort();
    this.#store.insertRows(
      'printed_keys',
      keys.map((key) => ({ key, owner, part: id })),
    );
    this.#store.insert('open_references', { owner, part: id }, 'or ignore');
  }

  #touchedWorks(): Map<string, string> {
    return this.#store.map(
      `select node, data from touched_nodes cross join nodes using (node)
       where kind = 'work' and id not like 'work:printed:%' order by node`,
    );
  }

  /** Reopens references that share a key with a work whose data has changed. */
  #worksChanged(before: ReadonlyMap<string, string>): void {
    const after = this.#touchedWorks();
    for (const node of new Set([...before.keys(), ...after.keys()])) {
      const now = after.get(node);
      if (now === before.get(node)) continue;
      this.#reopen(node);
      this.#store.run('delete from work_keys where node = ?', node);
      if (now === undefined) continue;
      const keys = [...workKeys(citedWorkOf(now))].sort();
      this.#store.insertRows(
        'work_keys',
        keys.map((key) => ({ key, node })),
      );
      this.#reopen(node);
    }
  }

  #resolve(owner: string, part: string): Pick<Contribution, 'nodes' | 'edges'> {
    const row = this.#store.get<{ work: string; text: string; place: string }>(
      'select work, text, place from printed where owner = ? and part = ?',
      owner,
      part,
    );
    if (!row) return { nodes: [], edges: [] };
    const { work, text, place } = row;
    const candidates = this.#store.all<{ id: string; data: string }>(
      `select id, data from (
         select node, sum(case substr(key, 1, 2) when 't:' then 1 else ${NUMBER_WEIGHT} end) as shared
         from printed_keys cross join work_keys using (key) where owner = ? and part = ? group by node
       ) cross join nodes using (node) where shared >= ${LEAST_SHARED} and node <> ?
       order by shared desc, node limit ${MOST_CANDIDATES}`,
      owner,
      part,
      nodeKey(work),
    );
    return resolveReference(
      { node: part, work, text, place: this.#store.parse<TextPlace>(place) },
      candidates.map(({ id, data }) => [id, citedWorkOf(data)] as const),
    );
  }

  #reopen(node: string): void {
    this.#store.run(
      'insert or ignore into open_references select owner, part from work_keys cross join printed_keys using (key) where node = ?',
      node,
    );
  }
}

const SETTLE = [
  'delete from nodes where node in (select node from touched_nodes)',
  `insert into nodes select node, id, kind, label, year, data from (
     select statements.*, row_number() over (partition by node order by rank, owner, part) as place
     from touched_nodes cross join statements using (node)
   ) where place = 1 order by node`,
  'delete from edges where (source, kind, target) in (select source, kind, target from touched_edges)',
  `insert into edges select source, kind, target, count(*) from touched_edges cross join evidence using (source, kind, target)
   group by source, kind, target order by source, kind, target`,
];

function bestOfEach(nodes: readonly NodeStatement[], keyOf: (id: string) => string): [string, NodeStatement][] {
  const best = new Map<string, NodeStatement>();
  for (const node of nodes) {
    const key = keyOf(node.id);
    const other = best.get(key);
    if (!other || node.rank < other.rank || (node.rank === other.rank && node.label < other.label)) best.set(key, node);
  }
  return [...best].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Edges in a deterministic order; duplicate evidence of an edge counts once. */
function sorted(edges: readonly EdgeStatement[]): EdgeStatement[] {
  const byText = new Map(
    edges.map((edge) => [JSON.stringify([edge.source, edge.kind, edge.target, edge.evidence]), edge]),
  );
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge);
}

/** Works that share fewer keys with a reference are not compared: a single shared key is often chance. */
const LEAST_SHARED = 2;
const NUMBER_WEIGHT = 5;
const MOST_CANDIDATES = 60;

/** Answers of catalogues about references, logged in `records.jsonl` so that no question is asked twice. */
export function referenceAnswers(store: CorpusStore): StoredAnswers {
  return {
    get(question) {
      const row = store.get<Omit<StoredAnswer, 'answer'> & { answer: string }>(
        'select origin, read_at as readAt, answer from catalogue_answers where question = ?',
        question,
      );
      return row && { ...row, answer: store.parse<StoredAnswer['answer']>(row.answer) };
    },
    set: (question, answer) => store.append('records', [{ kind: 'answer', question, ...answer }]),
  };
}
