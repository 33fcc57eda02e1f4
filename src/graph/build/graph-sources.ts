import { existsSync, readFileSync } from 'node:fs';

import { canonicalJson, lettersOf, sha256 } from '../../base/index.ts';
import { blocksPath, parsedDocuments } from '../../parse/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { normalizeDoi } from '../../works/index.ts';
import type { FindingsFile } from '../findings/findings-stage.ts';
import { findingsPath, readFindingsFile } from '../findings/findings-stage.ts';
import { FINDING_LINK_VERSION, linkFindings } from '../findings/link-findings.ts';
import type { Contribution, NodeStatement } from '../schema.ts';
import { RANK, workNodeId } from '../schema.ts';
import { extractRecord, funderId } from '../extract/extract-record.ts';
import { withWork } from '../extract/reading.ts';
import { LINK_VERSION } from '../link/link.ts';
import type { StoredAnswer, StoredAnswers } from '../lookup/look-up.ts';
import { findAnswer, withAnswers, withNames } from '../lookup/look-up.ts';
import type { DecidedNode } from './decided.ts';
import { decidedMerges, withSplitNames } from './decided.ts';
import { namesAcross } from './names-across.ts';
import { factsPath } from './stage.ts';

export interface GraphInput {
  readonly dataRoot: string;
  readonly records?: { all(): Iterable<WorkRecord>; ofDocument(document: string): WorkRecord | undefined };
  /** Catalogues' answers about references without an identifier and about cited ids. */
  readonly answers?: Pick<StoredAnswers, 'get'> | undefined;
  /** What people decided about nodes. */
  readonly decided?: readonly DecidedNode[] | undefined;
}

interface Facts {
  readonly known: { readonly title: string | null; readonly authors: readonly string[]; readonly doi: string | null };
  readonly contribution: Contribution;
}

export interface GraphSource {
  readonly kind: 'document' | 'record';
  readonly owner: string;
  /** The hash of all inputs of `read`. */
  readonly content: string;
  readonly read: () => Contribution;
  /** Whether findings of a model were skipped because they come from an older text. */
  readonly hasStaleFindings: boolean;
}

export function* graphSources({ dataRoot, records, answers, decided = [] }: GraphInput): Generator<GraphSource> {
  const answerTo = (question: string): StoredAnswer | undefined => findAnswer(answers, question);
  for (const record of records?.all() ?? []) {
    const said = extractRecord(record);
    const named = withNames(said, answerTo);
    yield {
      kind: 'record',
      owner: `record:${record.id}`,
      content: sha256(`${canonicalJson(record)}${named === said ? '' : JSON.stringify(named)}`),
      read: () => named,
      hasStaleFindings: false,
    };
  }
  const merges = decidedMerges(decided);
  if (merges) yield sourceOf(merges);
  const across = namesAcross(decided);
  for (const document of parsedDocuments(dataRoot)) {
    const path = factsPath(dataRoot, document);
    if (!existsSync(path)) continue;
    const text = readFileSync(path, 'utf8');
    across.add(text);
    const record = records?.ofDocument(document);
    const findings = findingsOf(dataRoot, document);
    const stated = findings === 'stale' ? undefined : findings;
    const ids = record ? canonicalJson([record.ids, record.funders]) : '';
    const splits = decided.filter(({ node, name }) => name !== '' && text.includes(JSON.stringify(node)));
    const found = stated ? JSON.stringify([stated.nodes, stated.edges]) : '';
    yield {
      kind: 'document',
      owner: document,
      content: sha256(
        `${LINK_VERSION} ${FINDING_LINK_VERSION} ${text}\n${ids}${found}${answersIn(text, answers)}${splits.length > 0 ? JSON.stringify(splits) : ''}`,
      ),
      read: () => withAnswers(ofDocument(text, document, { record, findings: stated, splits }), answerTo),
      hasStaleFindings: findings === 'stale',
    };
  }
  const joined = across.merges();
  if (joined) yield sourceOf(joined);
}

/** What no document says. */
function sourceOf(contribution: Contribution): GraphSource {
  return {
    kind: 'record',
    owner: contribution.owner,
    content: sha256(JSON.stringify(contribution)),
    read: () => contribution,
    hasStaleFindings: false,
  };
}

export function hasFacts(dataRoot: string): boolean {
  return parsedDocuments(dataRoot).some((document) => existsSync(factsPath(dataRoot, document)));
}

function answersIn(facts: string, answers: GraphInput['answers']): string {
  if (!answers) return '';
  const { references } = (JSON.parse(facts) as Facts).contribution;
  const found = references
    .map(({ text }) => findAnswer(answers, text))
    .filter((stored) => stored?.answer.kind === 'found');
  return found.length === 0 ? '' : JSON.stringify(found);
}

function findingsOf(dataRoot: string, document: string): FindingsFile | 'stale' | undefined {
  const findings = readFindingsFile(findingsPath(dataRoot, document));
  if (!findings) return undefined;
  return findings.blocksSha256 === sha256(readFileSync(blocksPath(dataRoot, document))) ? findings : 'stale';
}

/** The facts under the work of the record, else of the DOI in the document, else of the document itself. */
function ofDocument(
  text: string,
  document: string,
  {
    record,
    findings,
    splits,
  }: {
    readonly record: WorkRecord | undefined;
    readonly findings: FindingsFile | undefined;
    readonly splits: readonly DecidedNode[];
  },
): Contribution {
  const { known, contribution: said } = JSON.parse(text) as Facts;
  const contribution =
    findings === undefined
      ? said
      : { ...said, nodes: [...said.nodes, ...findings.nodes], edges: [...said.edges, ...findings.edges] };
  const doi = normalizeDoi(known.doi ?? '');
  const work =
    (record && (workNodeId(record.ids) ?? `work:record:${record.id}`)) ??
    (doi === undefined ? `work:document:${document}` : `work:doi:${doi.toLowerCase()}`);
  const node: NodeStatement = {
    id: work,
    kind: 'work',
    label: known.title ?? document,
    year: null,
    rank: RANK.document,
    data: { title: known.title, authors: known.authors.slice(0, 30), document, inCorpus: true },
  };
  const named = withWork(withKnownFunders(linkFindings(withSplitNames(contribution, splits)), record), work);
  return { ...named, nodes: [...named.nodes, node] };
}

/** Funders under the ids of the record, where it has the same names. */
function withKnownFunders(contribution: Contribution, record: WorkRecord | undefined): Contribution {
  const ids = new Map(record?.funders.map((funder) => [`funder:name:${lettersOf(funder.name)}`, funderId(funder)]));
  if (ids.size === 0) return contribution;
  const known = (id: string): string => ids.get(id) ?? id;
  return {
    ...contribution,
    nodes: contribution.nodes.map((node) => ({ ...node, id: known(node.id) })),
    edges: contribution.edges.map((edge) => ({ ...edge, target: known(edge.target) })),
  };
}
