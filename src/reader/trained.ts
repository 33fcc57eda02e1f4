import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError, packageRoot } from '../base/index.ts';
import { isEnglish, openTextEncoder, stemmedLanguage } from '../parse/index.ts';
import type { Candidate } from './candidates.ts';
import type { Reader } from './reader.ts';
import type { Tensor } from './weights.ts';
import { numbersOf, readTensors } from './weights.ts';

/** The longest input: question, title, heading and sentence. Longer ones are cut at the end. */
const MAX_TOKENS = 160;
const LONGEST_QUESTION = 400;
const LONGEST_TITLE = 160;
const LONGEST_HEADING = 80;
const LONGEST_TEXT = 1_000;
/** The encoder's vectors are scaled by this before the heads read them, as in training. */
const SCALE = 4;
/**
 * What is added to a candidate's logit for the place of its passage and of its paper in the search: the reader sees one
 * candidate at a time, the search compares them. Chosen with `npm run score:understanding`.
 */
const ADDED = { passage: 2, paper: 3 } as const;
/** The sum of logit and additions from which on a candidate answers: then nine of ten answerable questions are answered. */
const EVEN = 5.6;
const LEAST = 0.5;
/** From here on reading further passages hardly ever finds a better sentence. */
const SURE = 0.96;

/**
 * The linear layer that reads the encoder's vector. The file has a second one, for whether a quote supports a sentence: it
 * is not used, because it does not tell false sentences from true ones (docs/measurements.md).
 */
interface Head {
  readonly weights: Float32Array;
  readonly bias: number;
}

export interface TrainedReaderOptions {
  /** Threads of the model; 0 means one per core. */
  readonly threads: number;
  /** Scores passages in other languages than English, which the model has not learnt, unless the question is English. */
  readonly rules: Reader;
}

/**
 * Opens the trained reader: a MiniLM that reads a question and a candidate together. It loads at the first question.
 */
export async function openTrainedReader({ threads, rules }: TrainedReaderOptions): Promise<Reader> {
  const folder = join(packageRoot(), 'models');
  const path = join(folder, 'reader.safetensors');
  if (!existsSync(path))
    throw new AppError('MODEL_NOT_INSTALLED', `${path} is missing`, { hint: 'install docstokg again' });
  let read: Promise<ReadonlyMap<string, Tensor>> | undefined;
  const tensors = (): Promise<ReadonlyMap<string, Tensor>> =>
    (read ??= readFile(path).then((file) => readTensors(file, path)));
  const encoder = await openTextEncoder({
    graph: join(folder, 'reader.onnx'),
    weightsName: 'reader.safetensors',
    weights: () => readFile(path),
    maxTokens: MAX_TOKENS,
    threads,
  });
  return {
    name: 'trained',
    least: LEAST,
    sure: SURE,
    async score(question, candidates, signal) {
      // Rules hardly find a word of an English question there; the model, which has not learnt the language, finds more.
      const foreign = isEnglish(question) ? [] : candidates.filter(({ passage }) => isForeign(passage.text));
      const byRules = await rules.score(question, foreign, signal);
      // The limits of both readers differ: what just answers by one just answers by the other.
      const scores = new Map(
        foreign.map((each, at) => [each, Math.min(1, ((byRules[at] ?? 0) * LEAST) / rules.least)]),
      );
      const others = candidates.filter((each) => !scores.has(each));
      const head = headOf(await tensors());
      const vectors = await encoder.encode(
        others.map((candidate) => pairText(question, candidate)),
        signal,
      );
      for (const [at, candidate] of others.entries()) {
        const { passage, paper } = candidate.found;
        const logit = logitOf(vectors[at] ?? new Float32Array(), head);
        scores.set(candidate, sigmoid(logit + ADDED.passage * passage + ADDED.paper * paper - EVEN));
      }
      return candidates.map((each) => scores.get(each) ?? 0);
    },
    [Symbol.asyncDispose]: () => encoder[Symbol.asyncDispose](),
  };
}

/** Whether a text is in another language than English, as far as can be told. */
export function isForeign(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin < letters / 2 || stemmedLanguage(text) !== undefined;
}

function headOf(tensors: ReadonlyMap<string, Tensor>): Head {
  const [weights, bias] = [tensors.get('answer.weight'), tensors.get('answer.bias')];
  if (!weights || !bias)
    throw new AppError('MODEL_UNREADABLE', 'the trained reader has no weights for answers', {
      hint: 'install docstokg again',
    });
  return { weights: numbersOf(weights), bias: numbersOf(bias)[0] ?? 0 };
}

function logitOf(vector: Float32Array, { weights, bias }: Head): number {
  return vector.reduce((sum, value, at) => sum + SCALE * value * (weights[at] ?? 0), bias);
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

function pairText(question: string, { text, passage: { title, headings } }: Candidate): string {
  const above = [plain(title, LONGEST_TITLE), plain(headings.at(-1) ?? '', LONGEST_HEADING)];
  const head = above.filter((part) => part !== '').join(' > ');
  return `${plain(question, LONGEST_QUESTION)} [SEP] ${head === '' ? '' : `${head}: `}${plain(text)}`;
}

/** One line, without words that the tokenizer takes for its own marks. */
function plain(text: string, longest = LONGEST_TEXT): string {
  return text
    .slice(0, longest)
    .replaceAll(/\[(?:SEP|CLS|MASK|PAD|UNK)\]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
