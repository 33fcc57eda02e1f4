import type { CorpusStore } from '../../database/index.ts';
import type { EvidenceRow, GraphNode, NodeRow, ShownEvidence, Weighted } from './types.ts';
import { EVIDENCE, evidenceOf, nodeOf } from './types.ts';

/** How a work measured something. */
export interface Measured {
  /** The work. */
  readonly work: GraphNode;
  /** What it measured. */
  readonly what: string;
  /** By what means. */
  readonly how: string;
  /** The sentences that say so. */
  readonly evidence: readonly ShownEvidence[];
}

/** How works measured what all of these words name, newest work first. */
export function measuredHow(store: CorpusStore, words: readonly string[], limit: number): Measured[] {
  const rows = store.all<NodeRow & { procedure: string; what: string; how: string }>(
    `SELECT works.*, procedures.node AS procedure, procedures.data ->> 'what' AS what, procedures.data ->> 'how' AS how
     FROM nodes AS procedures CROSS JOIN edges ON edges.target = procedures.node AND edges.kind = 'determines'
       CROSS JOIN nodes AS works ON works.node = edges.source
     WHERE procedures.kind = 'procedure' AND NOT EXISTS (
       SELECT 1 FROM json_each(?) AS word WHERE procedures.data ->> 'what' NOT LIKE word.value ESCAPE '\\')
     ORDER BY works.year DESC, works.label, procedures.label LIMIT ?`,
    JSON.stringify(words.map(likeWord)),
    limit,
  );
  return rows.map(({ procedure, what, how, ...row }) => ({
    work: nodeOf(row),
    what,
    how,
    evidence: sentencesOf(store, row.node, 'determines', procedure),
  }));
}

/** A pattern for a word, with and without its plural. */
export function likeWord(word: string): string {
  return `%${word.replace(/s$/i, '').replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** A work and who paid for it. */
export interface Funding {
  /** The funder. */
  readonly funder: GraphNode;
  /** The work. */
  readonly work: GraphNode;
  /** Sentences and catalogues that say so, sentences first. */
  readonly evidence: readonly ShownEvidence[];
}

type Ends = Readonly<Record<'source' | 'target', string>>;

/** Who paid for these works, or the works that these funders paid for. */
export function fundingOf(
  store: CorpusStore,
  { works, funders }: { readonly works?: readonly string[] | undefined; readonly funders?: readonly string[] },
  limit: number,
): Funding[] {
  const rows =
    works === undefined
      ? store.all<Ends>(
          `SELECT edges.source, edges.target FROM json_each(?) AS given CROSS JOIN edges
             ON edges.target = given.value AND edges.kind = 'funded_by' ORDER BY edges.target, edges.source LIMIT ?`,
          JSON.stringify(funders ?? []),
          limit,
        )
      : store.all<Ends>(
          `SELECT edges.source, edges.target FROM json_each(?) AS given CROSS JOIN edges
             ON edges.source = given.value AND edges.kind = 'funded_by' ORDER BY edges.target, edges.source LIMIT ?`,
          JSON.stringify(works),
          limit,
        );
  return rows.flatMap(({ source, target }) => {
    const [work, funder] = [nodeAt(store, source), nodeAt(store, target)];
    return work && funder ? [{ work, funder, evidence: sentencesOf(store, source, 'funded_by', target) }] : [];
  });
}

/** Works that say who paid for them, with how many they name, those with most first. */
export function fundedWorks(store: CorpusStore, limit: number): Weighted[] {
  return store
    .all<NodeRow & { weight: number }>(
      `SELECT works.*, count(DISTINCT coalesce(funder.target, edges.target)) AS weight FROM edges
         LEFT JOIN edges AS work ON work.source = edges.source AND work.kind = 'same_as'
         LEFT JOIN edges AS funder ON funder.source = edges.target AND funder.kind = 'same_as'
         JOIN nodes AS works ON works.node = coalesce(work.target, edges.source)
       WHERE edges.kind = 'funded_by' AND works.kind = 'work'
       GROUP BY works.node ORDER BY weight DESC, works.label, works.id LIMIT ?`,
      limit,
    )
    .map(({ weight, ...row }) => ({ node: nodeOf(row), weight }));
}

function nodeAt(store: CorpusStore, key: string): GraphNode | undefined {
  const row = store.get<NodeRow>('SELECT * FROM nodes WHERE node = ?', key);
  return row && nodeOf(row);
}

const SHOWN = 2;

function sentencesOf(store: CorpusStore, source: string, kind: string, target: string): ShownEvidence[] {
  return store
    .all<EvidenceRow>(
      `SELECT ${EVIDENCE} FROM evidence WHERE source = ? AND kind = ? AND target = ?
       ORDER BY quote IS NULL, owner, part, number LIMIT ${SHOWN}`,
      source,
      kind,
      target,
    )
    .map(evidenceOf);
}
