import { existsSync, readFileSync } from 'node:fs';

import { canonicalJson, sha256 } from '../../base/index.ts';
import { blocksPath, parsedDocuments } from '../../parse/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { normalizeDoi } from '../../works/index.ts';
import type { ClaimsFile } from '../claims/claims-stage.ts';
import { claimsPath, readClaimsFile } from '../claims/claims-stage.ts';
import type { Contribution, NodeStatement } from '../schema.ts';
import { RANK, workNodeId } from '../schema.ts';
import { extractRecord } from '../extract/extract-record.ts';
import { withWork } from '../extract/reading.ts';
import { LINK_VERSION } from '../link/link.ts';
import type { StoredAnswer, StoredAnswers } from '../lookup/look-up.ts';
import { findAnswer, withAnswers, withNames } from '../lookup/look-up.ts';
import { factsPath } from './stage.ts';

export interface GraphInput {
  readonly dataRoot: string;
  readonly records?: { all(): Iterable<WorkRecord>; ofDocument(document: string): WorkRecord | undefined };
  /** Catalogues' answers about references without an identifier and about cited ids. */
  readonly answers?: Pick<StoredAnswers, 'get'> | undefined;
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
  /** Whether its claims were skipped because they come from an older text. */
  readonly hasStaleClaims: boolean;
}

export function* graphSources({ dataRoot, records, answers }: GraphInput): Generator<GraphSource> {
  const answerTo = (question: string): StoredAnswer | undefined => findAnswer(answers, question);
  for (const record of records?.all() ?? []) {
    const said = extractRecord(record);
    const named = withNames(said, answerTo);
    yield {
      kind: 'record',
      owner: `record:${record.id}`,
      content: sha256(`${canonicalJson(record)}${named === said ? '' : JSON.stringify(named)}`),
      read: () => named,
      hasStaleClaims: false,
    };
  }
  for (const document of parsedDocuments(dataRoot)) {
    const path = factsPath(dataRoot, document);
    if (!existsSync(path)) continue;
    const text = readFileSync(path, 'utf8');
    const record = records?.ofDocument(document);
    const claims = claimsOf(dataRoot, document);
    const stated = claims === 'stale' ? undefined : claims;
    const ids = record ? canonicalJson(record.ids) : '';
    const claimed = stated ? JSON.stringify([stated.nodes, stated.edges]) : '';
    yield {
      kind: 'document',
      owner: document,
      content: sha256(`${LINK_VERSION} ${text}\n${ids}${claimed}${answersIn(text, answers)}`),
      read: () => withAnswers(ofDocument(text, document, record, stated), answerTo),
      hasStaleClaims: claims === 'stale',
    };
  }
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

function claimsOf(dataRoot: string, document: string): ClaimsFile | 'stale' | undefined {
  const claims = readClaimsFile(claimsPath(dataRoot, document));
  if (!claims) return undefined;
  return claims.blocksSha256 === sha256(readFileSync(blocksPath(dataRoot, document))) ? claims : 'stale';
}

/** The facts under the work of the record, else of the DOI in the document, else of the document itself. */
function ofDocument(
  text: string,
  document: string,
  record: WorkRecord | undefined,
  claims: ClaimsFile | undefined,
): Contribution {
  const { known, contribution: said } = JSON.parse(text) as Facts;
  const contribution =
    claims === undefined
      ? said
      : { ...said, nodes: [...said.nodes, ...claims.nodes], edges: [...said.edges, ...claims.edges] };
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
  const named = withWork(contribution, work);
  return { ...named, nodes: [...named.nodes, node] };
}
