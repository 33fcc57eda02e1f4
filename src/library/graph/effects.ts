import type { CorpusStore } from '../../database/index.ts';
import type { FindingRelation } from '../../graph/index.ts';
import { entityName } from '../../graph/index.ts';
import type { EvidenceRow, GraphNode, NodeRow, ShownEvidence } from './types.ts';
import { EVIDENCE, evidenceOf, nodeOf } from './types.ts';

/** What a paper says that something does to something else. */
type EffectDirection = 'increases' | 'decreases' | 'no difference' | 'associated' | 'contains' | 'other';

/** The findings of one work that say the same of an effect. */
export interface WorkEffect {
  /** The work that states them. */
  readonly work: GraphNode;
  /** What they say. */
  readonly direction: EffectDirection;
  /** The findings. */
  readonly findings: readonly GraphNode[];
  /** Their sentences. */
  readonly evidence: readonly ShownEvidence[];
}

/** What is asked about: the keys of its nodes, and its name for findings whose words no node stands for. */
export interface AskedName {
  readonly keys: readonly string[];
  readonly name: string;
}

const DIRECTIONS: Readonly<Record<FindingRelation, EffectDirection>> = {
  increases: 'increases',
  decreases: 'decreases',
  inhibits: 'decreases',
  'no difference': 'no difference',
  associated: 'associated',
  predicts: 'associated',
  contains: 'contains',
  other: 'other',
};
/** What is said of the comparator if this is said of the subject. */
const REVERSED: Readonly<Record<EffectDirection, EffectDirection>> = {
  increases: 'decreases',
  decreases: 'increases',
  'no difference': 'no difference',
  associated: 'associated',
  contains: 'other',
  other: 'other',
};

type Part = 'subject' | 'object' | 'population' | 'comparator';
const PART_EDGES: Readonly<Record<string, Part>> = {
  has_subject: 'subject',
  has_object: 'object',
  in_population: 'population',
  compared_with: 'comparator',
};

/** What the works say of the effect of one thing on another, or on anything: by work and direction, newest first. */
export function effectsOf(store: CorpusStore, of: AskedName, on: AskedName | undefined, limit: number): WorkEffect[] {
  const found = findingsNaming(store, of).flatMap((finding) => {
    const direction = directionOf(finding, partsNaming(store, finding, of), on && partsNaming(store, finding, on));
    return direction === undefined ? [] : statedBy(store, finding).map((stated) => ({ finding, direction, ...stated }));
  });
  const byWork = Map.groupBy(found, ({ work, direction }) => `${work.id} ${direction}`);
  return [...byWork.values()]
    .flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const { work, direction } = first;
      const findings = group.map(({ finding }) => finding);
      return [{ work, direction, findings, evidence: group.flatMap(({ evidence }) => evidence) }];
    })
    .toSorted(
      (a, b) =>
        (b.work.year ?? 0) - (a.work.year ?? 0) || compare(a.work.id, b.work.id) || compare(a.direction, b.direction),
    )
    .slice(0, limit);
}

/** The findings of which any part names one of these nodes, each with its sentences. */
export function findingsAbout(
  store: CorpusStore,
  keys: readonly string[],
  limit: number,
): { readonly finding: GraphNode; readonly evidence: readonly ShownEvidence[] }[] {
  const rows = store.all<NodeRow>(
    `SELECT nodes.* FROM nodes WHERE nodes.node IN (
       SELECT edges.source FROM json_each(?) AS given CROSS JOIN edges ON edges.target = given.value
         AND edges.kind IN ('has_subject', 'has_object', 'in_population', 'compared_with'))
     ORDER BY nodes.label, nodes.id LIMIT ?`,
    JSON.stringify(keys),
    limit,
  );
  return rows.map(nodeOf).map((finding) => ({
    finding,
    evidence: statedBy(store, finding).flatMap(({ evidence }) => evidence),
  }));
}

/** How far works agree about an effect. Only an increase, a decrease and no difference exclude each other. */
export function agreementOf(effects: readonly WorkEffect[]): 'agree' | 'contradict' | 'one paper' | 'differ' {
  const works = new Set(effects.map(({ work }) => work.id));
  if (works.size < 2) return 'one paper';
  const said = new Set(effects.map(({ direction }) => direction));
  const exclusive = ['increases', 'decreases', 'no difference'] as const;
  const sided = exclusive.filter((each) => said.has(each));
  if (sided.length > 1 || (said.has('no difference') && said.has('associated'))) return 'contradict';
  return said.size === 1 ? 'agree' : 'differ';
}

/** The findings of which a part names something: by its node, or by its words. */
function findingsNaming(store: CorpusStore, { keys, name }: AskedName): GraphNode[] {
  const linked = store.all<NodeRow>(
    `SELECT nodes.* FROM nodes WHERE nodes.node IN (
       SELECT edges.source FROM json_each(?) AS given CROSS JOIN edges ON edges.target = given.value
         AND edges.kind IN ('has_subject', 'has_object', 'compared_with'))`,
    JSON.stringify(keys),
  );
  const words = name.split(/\s+/).flatMap((word) => {
    const stem = word.replace(/s$/i, '').replaceAll(/[\\%_]/g, '\\$&');
    return stem === '' ? [] : [`%${stem}%`];
  });
  const worded = store.all<NodeRow>(
    `SELECT nodes.* FROM nodes WHERE nodes.kind = 'finding' AND NOT EXISTS (
       SELECT 1 FROM json_each(?) AS word WHERE nodes.label || ' ' || coalesce(nodes.data ->> 'comparator', '')
         NOT LIKE word.value ESCAPE '\\')`,
    JSON.stringify(words),
  );
  const byId = new Map([...linked, ...worded].map((row) => [row.id, row] as const));
  return [...byId.values()].toSorted((a, b) => compare(a.id, b.id)).map(nodeOf);
}

/** The parts of a finding that name something. */
function partsNaming(store: CorpusStore, finding: GraphNode, { keys, name }: AskedName): ReadonlySet<Part> {
  const linked = store.column(
    `SELECT DISTINCT edges.kind FROM nodes CROSS JOIN edges ON edges.source = nodes.node
     WHERE nodes.id = ? AND edges.target IN (SELECT value FROM json_each(?))`,
    finding.id,
    JSON.stringify(keys),
  );
  const parts = new Set(linked.flatMap((kind) => PART_EDGES[kind] ?? []));
  const asked = wordsOf(name);
  for (const part of Object.values(PART_EDGES)) {
    const text = finding.data[part];
    if (typeof text !== 'string' || asked.length === 0) continue;
    const words = new Set(wordsOf(text));
    if (asked.every((word) => words.has(word))) parts.add(part);
  }
  return parts;
}

/** Words without plural and case, as names of entities are compared. */
function wordsOf(text: string): string[] {
  return text
    .split(/[\s/]+/)
    .flatMap((word) => entityName(word).split(' '))
    .filter((word) => word !== '');
}

/** What a finding says of the effect, by where it names the two. Undefined if it says nothing of it. */
function directionOf(
  finding: GraphNode,
  of: ReadonlySet<Part>,
  on: ReadonlySet<Part> | undefined,
): EffectDirection | undefined {
  const relation = DIRECTIONS[finding.data['relation'] as FindingRelation];
  const isOn = (...parts: readonly Part[]): boolean => on === undefined || parts.some((part) => on.has(part));
  if (of.has('subject') && isOn('object', 'population')) return relation;
  if (of.has('comparator') && isOn('object', 'population')) return REVERSED[relation];
  // "X is associated with Y" says the same of Y and X.
  if (relation === 'associated' && of.has('object') && isOn('subject', 'population')) return relation;
  return undefined;
}

function statedBy(
  store: CorpusStore,
  { id }: GraphNode,
): { readonly work: GraphNode; readonly evidence: readonly ShownEvidence[] }[] {
  const rows = store.all<NodeRow & { finding: string }>(
    `SELECT works.*, edges.target AS finding FROM nodes CROSS JOIN edges ON edges.target = nodes.node AND edges.kind = 'states'
       CROSS JOIN nodes AS works ON works.node = edges.source WHERE nodes.id = ? ORDER BY works.id`,
    id,
  );
  return rows.map(({ finding, ...row }) => {
    const evidence = store.all<EvidenceRow>(
      `SELECT ${EVIDENCE} FROM evidence WHERE source = ? AND kind = 'states' AND target = ? ORDER BY owner, part, number LIMIT 2`,
      row.node,
      finding,
    );
    return { work: nodeOf(row), evidence: evidence.map(evidenceOf) };
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
