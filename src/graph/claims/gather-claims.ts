import { join } from 'node:path';

import type { StageOptions, StageOutcome, StageRuntime } from '../../stage/index.ts';
import { runStage } from '../../stage/index.ts';
import type { Send } from '../../http/index.ts';
import { documentsIn } from '../build/stage.ts';
import type { ModelPrices, ModelSettings } from '../../model/index.ts';
import { AnswerStore, Budget, ModelServer } from '../../model/index.ts';
import type { DropReason } from './check-claims.ts';
import { claimsPath, readClaimsFile } from './claims-file.ts';
import type { ClaimEstimate, ClaimSettings } from './claims-stage.ts';
import { claimsPlan, claimsWorker, estimateClaims } from './claims-stage.ts';

/** What a model is asked about, how, and for how much. */
export interface ClaimRequest {
  readonly dataRoot: string;
  /** The file in which answers are kept. */
  readonly answers: string;
  readonly model: ModelSettings;
  readonly passagesPerDocument: number;
  readonly prices: ModelPrices;
}

/** What came of asking. */
export interface ClaimsGathered {
  readonly outcome: StageOutcome;
  /** Documents that were left because of the budget. */
  readonly tooDear: number;
  readonly documents: number;
  readonly claims: number;
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
  readonly unreadable: number;
  /** Used by this run. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
}

/** What asking would take, before anything is asked. */
export async function claimsEstimate(request: ClaimRequest, send: Send, signal?: AbortSignal): Promise<ClaimEstimate> {
  const settings = settingsOf(request);
  using answers = new AnswerStore(request.answers);
  const tools = { server: new ModelServer(request.model, send), answers, budget: new Budget(request.prices), settings };
  return await estimateClaims(claimsPlan(request.dataRoot, settings).items, tools, signal);
}

/** Asks the model about every passage that has no answer yet and writes down the claims that stand in them. */
export async function gatherClaims(
  request: ClaimRequest,
  send: Send,
  options: StageOptions,
  runtime: StageRuntime = {},
): Promise<ClaimsGathered> {
  const settings = settingsOf(request);
  using answers = new AnswerStore(request.answers);
  const budget = new Budget(request.prices);
  const worker = claimsWorker({ server: new ModelServer(request.model, send), answers, budget, settings });
  let tooDear = 0;
  const outcome = await runStage(
    claimsPlan(request.dataRoot, settings),
    worker,
    options,
    { afterItem: (_item, ended) => void ('status' in ended && ended.reason === 'budget' && (tooDear += 1)) },
    runtime,
  );
  const { inputTokens, outputTokens } = budget;
  const all = await accountOf(request.dataRoot);
  return { outcome, tooDear, ...all, inputTokens, outputTokens, usd: budget.usd() };
}

function settingsOf({ model, passagesPerDocument }: ClaimRequest): ClaimSettings {
  return { model: model.model, maxTokens: model.maxTokens, passagesPerDocument };
}

/** What the claims of all documents come to. */
async function accountOf(
  dataRoot: string,
): Promise<Pick<ClaimsGathered, 'documents' | 'claims' | 'dropped' | 'unreadable'>> {
  const dropped: Partial<Record<DropReason, number>> = {};
  let [documents, claims, unreadable] = [0, 0, 0];
  for (const document of documentsIn(dataRoot)) {
    const account = (await readClaimsFile(claimsPath(dataRoot, document)))?.account;
    if (!account) continue;
    documents += 1;
    claims += account.claims;
    unreadable += account.unreadable;
    for (const [reason, count] of Object.entries(account.dropped) as [DropReason, number][])
      dropped[reason] = (dropped[reason] ?? 0) + count;
  }
  return { documents, claims, dropped, unreadable };
}

/** Where the answers of models about a corpus are kept, beside its graph. */
export function answersPath(folder: string): string {
  return join(folder, 'Graph', 'claims.sqlite');
}
