import { existsSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

import type { Warn } from '../../base/index.ts';
import {
  AppError,
  FileLock,
  canonicalJson,
  isDamaged,
  partPath,
  setAsideIfDamaged,
  sha256,
  sha256File,
  systemClock,
} from '../../base/index.ts';
import type { WorkRecord } from '../../works/index.ts';
import { normalizeDoi } from '../../works/index.ts';
import type { Contribution, NodeStatement } from '../contribution.ts';
import { RANK } from '../contribution.ts';
import { LINK_VERSION } from '../link/link.ts';
import { extractRecord } from '../extract/extract-record.ts';
import { withWork } from '../extract/reading.ts';
import type { GraphChange } from '../store/graph-store.ts';
import { GraphStore } from '../store/graph-store.ts';
import { workNodeId } from '../schema.ts';
import type { KeptAnswer } from '../lookup/answers.ts';
import { withAnswers, withNames } from '../lookup/answers.ts';
import type { ClaimsFile } from '../claims/claims-stage.ts';
import { claimsPath, readClaimsFile } from '../claims/claims-stage.ts';
import { blocksPath, documentsIn, factsPath } from './stage.ts';

/** What a graph is brought up to date with. */
export interface GraphSources {
  /** The file of the graph. */
  readonly path: string;
  /** Where the stages have written. */
  readonly dataRoot: string;
  /** Told when the file was damaged and is made anew. */
  readonly warn?: Warn | undefined;
  /** The records of the works, and which of them a document holds. */
  readonly records?: { all(): Iterable<WorkRecord>; ofDocument(document: string): WorkRecord | undefined };
  /** What catalogues said about references that carry no identifier. */
  readonly answers?: { find(text: string): KeptAnswer | undefined } | undefined;
}

interface Facts {
  readonly known: { readonly title: string | null; readonly authors: readonly string[]; readonly doi: string | null };
  readonly contribution: Contribution;
}

/** What came of bringing a graph up to date. */
export interface GraphUpdate extends GraphChange {
  readonly documents: number;
  /** Documents whose claims were read out of another text than they have now, and are left out. */
  readonly staleClaims: number;
}

/**
 * Brings a graph up to date with the facts of documents and the records of works: what has changed or gone is taken out,
 * what is new is added. The file is the same as if it had been built at once.
 */
export async function updateGraph(sources: GraphSources): Promise<GraphUpdate> {
  const lock = new FileLock(`${sources.path}.lock`, systemClock);
  using held = lock.tryTake();
  if (!held)
    throw new AppError('GRAPH_BUSY', `another process is updating ${sources.path}`, {
      hint: 'wait until it has finished',
    });
  try {
    return await update(sources);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    setAsideIfDamaged(sources.path, sources.warn);
    return await update(sources);
  }
}

async function update(sources: GraphSources): Promise<GraphUpdate> {
  const existed = existsSync(sources.path);
  const before = existed ? documentsOf(sources.path) : new Map<string, string>();
  const wanted = new Map<string, { readonly content: string; readonly read: () => Promise<Contribution> }>();
  const answerTo = (question: string): KeptAnswer | undefined => sources.answers?.find(question);
  for (const record of sources.records?.all() ?? []) {
    const said = extractRecord(record);
    const named = withNames(said, answerTo);
    wanted.set(`record:${record.id}`, {
      content: sha256(`${canonicalJson(record)}${named === said ? '' : JSON.stringify(named)}`),
      read: async () => withNames(extractRecord(record), answerTo),
    });
  }
  let [documents, staleClaims] = [0, 0];
  for (const document of documentsIn(sources.dataRoot)) {
    const path = factsPath(sources.dataRoot, document);
    if (!existsSync(path)) continue;
    documents += 1;
    const text = await readFile(path, 'utf8');
    const record = sources.records?.ofDocument(document);
    const claims = await claimsOf(sources.dataRoot, document);
    if (claims === 'stale') staleClaims += 1;
    const stated = claims === 'stale' ? undefined : claims;
    const looked = answersIn(text, sources.answers);
    const content = sha256(
      `${LINK_VERSION} ${text}\n${record ? canonicalJson(record.ids) : ''}${stated ? JSON.stringify([stated.nodes, stated.edges]) : ''}${looked}`,
    );
    wanted.set(document, {
      content,
      read: async () => {
        const said = ofDocument(
          await readFile(path, 'utf8'),
          document,
          record,
          await claimsOf(sources.dataRoot, document),
        );
        return withAnswers(said, answerTo);
      },
    });
  }
  const remove = [...before.keys()].filter((owner) => !wanted.has(owner));
  const add = [...wanted]
    .filter(([owner, { content }]) => before.get(owner) !== content)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const contents = new Map(add.map(([owner, { content }]) => [owner, content]));
  const draft = partPath(sources.path);
  try {
    if (existed) copyGraph(sources.path, draft);
    using store = new GraphStore(draft);
    const change = await store.apply(
      { add: contributions(add.map(([, { read }]) => read)), remove },
      ({ owner }) => contents.get(owner) ?? '',
    );
    if (change.added + change.removed > 0 || !existed) await store.writeCopy(sources.path);
    return { ...change, documents, staleClaims };
  } finally {
    rmSync(draft, { force: true });
  }
}

function documentsOf(path: string): Map<string, string> {
  using store = new GraphStore(path);
  return store.documents();
}

/** Changes are made in a copy: who reads the graph meanwhile keeps reading the old file, and neither waits for the other. */
function copyGraph(path: string, draft: string): void {
  using store = new GraphStore(path);
  store.database.prepare('VACUUM INTO ?').run(draft);
}

/** What catalogues found for the references of a document, to tell whether that has changed; empty when there is nothing. */
function answersIn(facts: string, answers: GraphSources['answers']): string {
  if (!answers) return '';
  const { references } = (JSON.parse(facts) as Facts).contribution;
  const found = references.map(({ text }) => answers.find(text)).filter((kept) => kept?.answer.kind === 'found');
  return found.length === 0 ? '' : JSON.stringify(found);
}

/** The claims that were read out of a document as it is now. */
async function claimsOf(dataRoot: string, document: string): Promise<ClaimsFile | 'stale' | undefined> {
  const claims = await readClaimsFile(claimsPath(dataRoot, document));
  if (!claims) return undefined;
  return claims.blocksSha256 === (await sha256File(blocksPath(dataRoot, document))) ? claims : 'stale';
}

/** One after the other: the facts of many documents are never in memory together. */
async function* contributions(reads: readonly (() => Promise<Contribution>)[]): AsyncGenerator<Contribution> {
  for (const read of reads) yield await read();
}

/** The facts of a document with its work: the one that a record names, else the DOI that stands in it, else itself. */
function ofDocument(
  text: string,
  document: string,
  record: WorkRecord | undefined,
  claims: ClaimsFile | 'stale' | undefined,
): Contribution {
  const { known, contribution: said } = JSON.parse(text) as Facts;
  const contribution =
    claims === undefined || claims === 'stale'
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
