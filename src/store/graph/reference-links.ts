import type { EdgeStatement, NodeStatement, OpenReference, TextPlace } from '../../graph/link/index.ts';
import {
  citedWorkOf,
  nodeKey,
  readPrintedReference,
  referenceKeys,
  resolveReference,
  workKeys,
} from '../../graph/link/index.ts';
import type { CorpusStore } from '../corpus-store.ts';

/** Works that share fewer keys with a reference are not compared: one short row of letters is chance. */
const LEAST_SHARED = 2;
const NUMBER_WEIGHT = 5;
const MOST_CANDIDATES = 60;

/**
 * Which work each reference without an identifier means. That depends on the works in the graph: when works are added,
 * removed or changed, the references that share a key with them are opened again, and no others.
 */
export class ReferenceLinks {
  readonly #store: CorpusStore;

  constructor(store: CorpusStore) {
    this.#store = store;
  }

  /** Adds a reference, open. */
  add(owner: string, work: string, { id, text, place }: OpenReference): void {
    this.#store.run('insert into printed values (?, ?, ?, ?, ?)', owner, id, work, text, JSON.stringify(place));
    const keys = [...referenceKeys(readPrintedReference(text))].sort();
    this.#store.insertRows(
      'printed_keys',
      keys.map((key) => [key, owner, id]),
    );
    this.#store.run('insert or ignore into open_references values (?, ?)', owner, id);
  }

  /** Removes the references of a document. */
  remove(owner: string): void {
    for (const table of ['printed', 'printed_keys', 'open_references'])
      this.#store.run(`delete from ${table} where owner = ?`, owner);
  }

  /** Some open references, which are open no more. */
  open(most: number): { readonly owner: string; readonly part: string }[] {
    const open = this.#store.all<{ owner: string; part: string }>(
      'select * from open_references order by owner, part limit ?',
      most,
    );
    for (const { owner, part } of open)
      this.#store.run('delete from open_references where owner = ? and part = ?', owner, part);
    return open;
  }

  /** The touched nodes that are works, with their data. */
  touchedWorks(): Map<string, string> {
    const rows = this.#store.all<{ node: string; data: string }>(
      `select node, data from touched_nodes cross join nodes using (node)
       where kind = 'work' and id not like 'work:printed:%' order by node`,
    );
    return new Map(rows.map(({ node, data }) => [node, data]));
  }

  /** Compares the touched works with what they were: references that share a key with a changed one are opened again. */
  worksChanged(before: ReadonlyMap<string, string>): void {
    const after = this.touchedWorks();
    for (const node of new Set([...before.keys(), ...after.keys()])) {
      const now = after.get(node);
      if (now === before.get(node)) continue;
      this.#reopen(node);
      this.#store.run('delete from work_keys where node = ?', node);
      if (now === undefined) continue;
      const keys = [...workKeys(citedWorkOf(now))].sort();
      this.#store.insertRows(
        'work_keys',
        keys.map((key) => [key, node]),
      );
      this.#reopen(node);
    }
  }

  /** What an open reference means now. */
  resolve(
    owner: string,
    part: string,
  ): { readonly nodes: readonly NodeStatement[]; readonly edges: readonly EdgeStatement[] } {
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
      { node: part, work, text, place: JSON.parse(place) as TextPlace },
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
