import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { canonicalJson, sha256, sha256File } from '../../base/index.ts';
import type { Send } from '../../http/index.ts';
import type { AnswerWriter, ModelPrices, ModelSettings } from '../../model/index.ts';
import {
  AnswerStore,
  askModel,
  askSupport,
  Budget,
  dropReasonOf,
  markedUp,
  ModelServer,
  promptTokens,
} from '../../model/index.ts';
import { readBlockLines, readSidecar } from '../../parse/index.ts';
import type { StageOptions, StageOutcome, StageRuntime, StageWorker, WorkItem } from '../../stage/index.ts';
import { runStage } from '../../stage/index.ts';
import { documentItems } from '../build/stage.ts';
import { Reading, Statements } from '../extract/reading.ts';
import type { EdgeStatement, NodeStatement } from '../schema.ts';
import type { Dropped, QuotedFinding } from './findings-prompt.ts';
import { checkFindings, findingsPrompt, PROMPT_VERSION } from './findings-prompt.ts';
import type { PaperSection } from './paper-sections.ts';
import { paperSections, placeIn } from './paper-sections.ts';
import { sayFinding } from './say-finding.ts';

/** Raised when the same answers give other findings. */
const CHECK_VERSION = 2;

/** Which papers a language model is asked about, and how. */
export interface FindingsRequest {
  readonly dataRoot: string;
  /** The file of stored answers. */
  readonly answers: string;
  readonly model: ModelSettings;
  /** Only these documents; undefined means all. */
  readonly documents?: ReadonlySet<string> | undefined;
  /** Sections of a document to send, from its start; 0 means all. */
  readonly sectionsPerDocument: number;
  readonly prices: ModelPrices;
}

/** What a run would cost at most. */
export interface FindingsEstimate {
  readonly documents: number;
  readonly sections: number;
  /** Sections with a stored answer, which cost nothing. */
  readonly known: number;
  readonly inputTokens: number;
  readonly mostOutputTokens: number;
  /** Null where prices are not set. */
  readonly mostUsd: number | null;
}

/** What a run found. */
export interface ExtractedFindings {
  readonly outcome: StageOutcome;
  /** Documents skipped because of the budget. */
  readonly tooDear: number;
  readonly findings: number;
  readonly dropped: Dropped;
  /** Sections whose answer was unreadable twice. */
  readonly unreadable: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
}

/** Each section is asked about once, and what was found in it is checked once: two requests of about that size. */
const REQUESTS_PER_SECTION = 2;

/** Upper bounds of a run, without asking anything. */
export async function findingsEstimate(
  request: FindingsRequest,
  send: Send,
  signal?: AbortSignal,
): Promise<FindingsEstimate> {
  const items = itemsOf(request, '', () => ({}));
  const server = new ModelServer(request.model, send);
  using answers = new AnswerStore(request.answers);
  let [sections, known, inputTokens] = [0, 0, 0];
  for (const item of items) {
    signal?.throwIfAborted();
    for (const section of paperSections(await readingOf(item), request.sectionsPerDocument)) {
      const prompt = findingsPrompt(section);
      sections += 1;
      if (answers.find(server.keyOf(prompt))) known += 1;
      else inputTokens += REQUESTS_PER_SECTION * promptTokens(prompt);
    }
  }
  const mostOutputTokens = REQUESTS_PER_SECTION * (sections - known) * request.model.maxTokens;
  const mostUsd = new Budget(request.prices).usd(inputTokens, mostOutputTokens);
  return { documents: items.length, sections, known, inputTokens, mostOutputTokens, mostUsd };
}

function itemsOf(
  { dataRoot, documents }: FindingsRequest,
  cfgHash: string,
  outputs: (document: string) => WorkItem['outputs'],
): WorkItem[] {
  return documentItems(dataRoot, cfgHash, outputs).filter(({ itemId }) => documents?.has(itemId) !== false);
}

/** Asks the model about every section without a stored answer and writes the findings that their quotes support. */
export async function readFindings(
  request: FindingsRequest,
  send: Send,
  options: StageOptions,
  runtime: StageRuntime = {},
): Promise<ExtractedFindings> {
  const { dataRoot, answers: path, model: settings, sectionsPerDocument, prices } = request;
  const { model, maxTokens } = settings;
  const given = { prompt: PROMPT_VERSION, check: CHECK_VERSION, model, maxTokens, sectionsPerDocument };
  const cfgHash = sha256(canonicalJson(given));
  const items = itemsOf(request, cfgHash, (document) => ({ findings: findingsPath(dataRoot, document) }));
  using answers = new AnswerStore(path);
  const budget = new Budget(prices);
  const writer = { name: model, server: new ModelServer(settings, send), answers, maxTokens, budget };
  const dropped: Record<string, number> = {};
  let [tooDear, findings, unreadable] = [0, 0, 0];
  const outcome = await runStage(
    { stageName: 'findings', items, totalItems: items.length },
    findingsWorker(writer, sectionsPerDocument),
    options,
    {
      afterItem: (_item, ended) => {
        if (!('status' in ended)) return;
        if (ended.reason === 'budget') tooDear += 1;
        const account = ended.manifest as unknown as FindingsAccount | undefined;
        findings += account?.findings ?? 0;
        unreadable += account?.unreadable ?? 0;
        addTo(dropped, account?.dropped ?? {});
      },
    },
    runtime,
  );
  const { inputTokens, outputTokens } = budget;
  return { outcome, tooDear, findings, dropped, unreadable, inputTokens, outputTokens, usd: budget.usd() };
}

/** Asks about the sections of a document; a document that would exceed the budget is skipped. */
function findingsWorker(writer: AnswerWriter, sectionsPerDocument: number): StageWorker {
  return async (item, { signal }) => {
    const blocksSha256 = await sha256File(item.inputs['blocks'] ?? '');
    const reading = await readingOf(item);
    const say = new Statements(reading);
    const dropped: Record<string, number> = {};
    const sections = paperSections(reading, sectionsPerDocument);
    let unreadable = 0;
    for (const section of sections) {
      const read = (content: string) => checkFindings(content, section.text);
      const checked = await askModel(findingsPrompt(section), read, writer, signal);
      if (checked === 'over-budget') return { status: 'skip', reason: 'budget' };
      if (!checked) {
        unreadable += 1;
        continue;
      }
      addTo(dropped, checked.dropped);
      const supported = await supportedFindings(section, checked.findings, writer, signal);
      if (supported === 'over-budget') return { status: 'skip', reason: 'budget' };
      addTo(dropped, supported.dropped);
      for (const found of supported.findings) sayFound(say, reading, section, { found, model: writer.name });
    }
    const { nodes, edges } = say;
    const account = { findings: edges.length, unreadable, dropped };
    const file: FindingsFile = { blocksSha256, account, nodes, edges };
    await writeFile(item.outputs['findings'] ?? '', JSON.stringify(file));
    return { status: 'success', manifest: { sections: sections.length, ...account } };
  };
}

/** Without findings that their quote, read in its place, contradicts or does not support. */
async function supportedFindings(
  section: PaperSection,
  findings: readonly QuotedFinding[],
  writer: AnswerWriter,
  signal?: AbortSignal,
): Promise<{ readonly findings: readonly QuotedFinding[]; readonly dropped: Dropped } | 'over-budget'> {
  if (findings.length === 0) return { findings, dropped: {} };
  const { title: paper, heading } = section;
  const cases = findings.map(({ statement, finding, start, end }) => ({
    asked: null,
    sentence: `${statement} (${finding.subject} – ${finding.relation} – ${finding.object})`,
    quotes: [markedUp('quote', { paper, section: heading }, inPlace(section.text, start, end))],
  }));
  const verdicts = await askSupport(cases, [], writer, signal);
  if (verdicts === 'over-budget') return verdicts;
  const dropped: Record<string, number> = {};
  const kept = findings.filter((_, at) => {
    const reason = dropReasonOf(verdicts?.[at]);
    if (reason !== undefined) addTo(dropped, { [reason]: 1 });
    return reason === undefined;
  });
  return { findings: kept, dropped };
}

/** Characters before and after a quote that are shown with it. */
const BESIDE = 300;

function inPlace(text: string, start: number, end: number): string {
  return `${text.slice(Math.max(0, start - BESIDE), start)}[[${text.slice(start, end)}]]${text.slice(end, end + BESIDE)}`;
}

function sayFound(
  say: Statements,
  reading: Reading,
  section: PaperSection,
  { found, model }: { readonly found: QuotedFinding; readonly model: string },
): void {
  const where = placeIn(section, found);
  if (!where) return;
  sayFinding(say, found.finding, reading.place(where), {
    owner: reading.owner,
    method: { name: 'finding-model', version: PROMPT_VERSION },
    score: 1,
    detail: { model, prompt: PROMPT_VERSION, section: section.heading, statement: found.statement },
  });
}

async function readingOf(item: WorkItem): Promise<Reading> {
  const { source_sha256: fileSha256 = null } = readSidecar(item.inputs['sidecar'] ?? '');
  return new Reading(item.itemId, await readBlockLines(item.inputs['blocks'] ?? ''), fileSha256);
}

function addTo(counts: Record<string, number>, more: Dropped): void {
  for (const [reason, count] of Object.entries(more)) counts[reason] = (counts[reason] ?? 0) + count;
}

interface FindingsAccount {
  readonly findings: number;
  readonly unreadable: number;
  readonly dropped: Dropped;
}

/** What a model found in a document. */
export interface FindingsFile {
  /** Hash of the blocks; findings of other blocks are not used. */
  readonly blocksSha256: string;
  readonly account: FindingsAccount;
  readonly nodes: readonly NodeStatement[];
  readonly edges: readonly EdgeStatement[];
}

export function findingsPath(dataRoot: string, document: string): string {
  return join(dataRoot, 'GraphFindings', `${document}.json`);
}

export function readFindingsFile(path: string): FindingsFile | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as FindingsFile) : undefined;
}

/** The stored answers of the model that reads findings. */
export function answersPath(folder: string): string {
  return join(folder, 'Graph', 'findings.sqlite');
}
