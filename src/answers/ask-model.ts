import type { AnswerStore, Budget, ModelPrompt, ModelServer, OpenText } from '../model/index.ts';
import { tokensOf } from '../model/index.ts';

/** An unreadable answer of a model is asked for once more. */
const ATTEMPTS = 2;

/** A model, and where its answers are stored so that none is paid for twice. */
export interface AnswerWriter {
  readonly name: string;
  readonly server: ModelServer;
  readonly answers: AnswerStore;
  /** Longest answer, in tokens. */
  readonly maxTokens: number;
}

/**
 * What a model answers, as far as `read` understands it: from the store where it was asked before, else from the server.
 * Undefined when it wrote nothing readable; that is stored too, so that it is not paid for again.
 */
export async function askModel<T>(
  prompt: ModelPrompt,
  read: (content: string) => T | undefined,
  how: AnswerWriter & { readonly budget?: Budget | undefined; readonly open?: OpenText | undefined },
  signal?: AbortSignal,
): Promise<T | undefined | 'over-budget'> {
  const { name, server, answers, maxTokens, budget, open } = how;
  const key = server.keyOf(prompt);
  const stored = answers.find(key);
  if (stored) return read(stored.content);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    using aside = budget?.setAside(tokensOf(JSON.stringify(prompt.messages)), maxTokens);
    if (budget && !aside) return 'over-budget';
    const answer = await server.ask(prompt, open, signal);
    budget?.spend(answer);
    const understood = read(answer.content);
    // An empty answer is a fault of the server, which may do better another time.
    if (understood !== undefined || (attempt === ATTEMPTS && answer.content !== '')) answers.keep(key, name, answer);
    if (understood !== undefined) return understood;
  }
  return undefined;
}
