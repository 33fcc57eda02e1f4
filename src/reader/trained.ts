import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError, packageRoot } from '../base/index.ts';
import type { PartsModel } from '../parse/index.ts';
import { isEnglish, openPartsModel, stemmedLanguage } from '../parse/index.ts';
import type { Candidate } from './candidates.ts';
import type { Reader } from './reader.ts';

/** Its own weights, and the embedder's, whose word vectors it shares. */
const WEIGHTS = ['reader.safetensors', 'embedder.safetensors'] as const;
/** The longest input: question, title, heading and the sentences that are read together. */
const MAX_TOKENS = 384;
/** The longest row of sentences that are read together, with a mark after each. */
const MAX_WINDOW = 288;
const LONGEST_QUESTION = 400;
const LONGEST_TITLE = 160;
const LONGEST_HEADING = 80;
const LONGEST_TEXT = 1_000;
/** Most tokens of question, title and heading: text without words has one for each sign, and must leave room for sentences. */
const MOST_TOKENS = { question: 128, title: 64, heading: 32 } as const;
/**
 * What is added to a candidate's logit for the place of its passage and of its paper in the search: the reader sees a few
 * sentences at a time, the search compares all. Chosen with `npm run score:understanding`.
 */
const ADDED = { passage: 2, paper: 3 } as const;
/**
 * The sum of logit and additions from which on a candidate answers. Here .97 of the questions to papers that it was chosen
 * on are answered, and .75 of those that no paper answers are refused.
 */
const EVEN = 4;
const LEAST = 0.5;
/** How many of the best candidates have been read alone too, of those that are scored together. */
const READ_ALONE = 6;
/** From here on reading further passages hardly ever finds a better sentence. */
const SURE = 0.994;

export interface TrainedReaderOptions {
  /** Threads of the model; 0 means one per core. */
  readonly threads: number;
  /** Scores passages in other languages than English, which the model has not learnt, unless the question is English. */
  readonly rules: Reader;
}

/**
 * Opens the trained reader: a MiniLM that reads a question together with sentences of a passage that follow one another, so
 * that each is read in its context; rows of tables one by one. It loads at the first question.
 */
export async function openTrainedReader({ threads, rules }: TrainedReaderOptions): Promise<Reader> {
  const folder = join(packageRoot(), 'models');
  for (const name of WEIGHTS)
    if (!existsSync(join(folder, name)))
      throw new AppError('MODEL_NOT_INSTALLED', `${join(folder, name)} is missing`, { hint: 'install docstokg again' });
  const model = await openPartsModel({
    graph: join(folder, 'reader.onnx'),
    weights: WEIGHTS.map((name) => ({ name, read: () => readFile(join(folder, name)) })),
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
      const logits = await logitsOf(model, question, others, signal);
      await readBestAlone(model, question, logits, signal);
      for (const [candidate, logit] of logits) scores.set(candidate, sigmoid(logit + placeOf(candidate) - EVEN));
      return candidates.map((each) => scores.get(each) ?? 0);
    },
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}

/** Whether a text is in another language than English, as far as can be told. */
export function isForeign(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin < letters / 2 || stemmedLanguage(text) !== undefined;
}

/** What is added for the place in the search. */
function placeOf({ found: { passage, paper } }: Candidate): number {
  return ADDED.passage * passage + ADDED.paper * paper;
}

/**
 * Reads the best sentences once more, each alone, until those that are best by the mean of both have been read so. Among its
 * neighbours a sentence is understood; alone it must answer by itself, which neighbours of the answer do not.
 */
async function readBestAlone(
  model: PartsModel,
  question: string,
  logits: Map<Candidate, number>,
  signal: AbortSignal | undefined,
): Promise<void> {
  // A row of a table was read alone.
  const done = new Set([...logits.keys()].filter(({ row }) => row !== null));
  const total = ([candidate, logit]: readonly [Candidate, number]): number => logit + placeOf(candidate);
  for (;;) {
    const best = [...logits].sort((one, other) => total(other) - total(one)).slice(0, READ_ALONE);
    const next = best.find(([candidate]) => !done.has(candidate));
    if (!next) return;
    const [candidate, logit] = next;
    done.add(candidate);
    const alone = (await logitsOf(model, question, [candidate], signal)).get(candidate) ?? logit;
    logits.set(candidate, (logit + alone) / 2);
  }
}

/** What the model says of each candidate among its neighbours, passage by passage. */
async function logitsOf(
  model: PartsModel,
  question: string,
  candidates: readonly Candidate[],
  signal: AbortSignal | undefined,
): Promise<Map<Candidate, number>> {
  const asked = (await model.tokensOf(plain(question, LONGEST_QUESTION))).slice(0, MOST_TOKENS.question);
  const [afterTitle, afterHeading] = [await model.tokensOf('>'), await model.tokensOf(':')];
  const logits = new Map<Candidate, number>();
  for (const [{ title, headings }, own] of Map.groupBy(candidates, ({ passage }) => passage)) {
    const titled = (await model.tokensOf(plain(title, LONGEST_TITLE))).slice(0, MOST_TOKENS.title);
    const heading = (await model.tokensOf(plain(headings.at(-1) ?? '', LONGEST_HEADING))).slice(0, MOST_TOKENS.heading);
    const isBoth = titled.length > 0 && heading.length > 0;
    const isAny = titled.length > 0 || heading.length > 0;
    const head = [asked, titled, isBoth ? afterTitle : [], heading, isAny ? afterHeading : []];
    // Two marks: before and after the question.
    const room = Math.min(MAX_WINDOW, MAX_TOKENS - 2 - head.flat().length);
    for (const window of await windowsOf(model, own, room)) {
      signal?.throwIfAborted();
      const numbers = await model.read(
        head,
        window.map(({ tokens }) => tokens),
      );
      for (const [at, { candidate }] of window.entries()) logits.set(candidate, numbers[at] ?? -Infinity);
    }
  }
  return logits;
}

/** A candidate with its tokens. */
interface Tokens {
  readonly candidate: Candidate;
  readonly tokens: readonly number[];
}

/** The candidates of a passage as they are read together: each row of a table alone, sentences as far as there is room. */
async function windowsOf(model: PartsModel, candidates: readonly Candidate[], room: number): Promise<Tokens[][]> {
  const windows: Tokens[][] = [];
  let left = 0;
  for (const candidate of candidates) {
    const whole = await model.tokensOf(plain(candidate.text));
    const tokens = whole.slice(0, room - 1);
    const last = windows.at(-1);
    if (last === undefined || candidate.row !== null || tokens.length + 1 > left) {
      windows.push([{ candidate, tokens }]);
      left = candidate.row === null ? room : 0;
    } else last.push({ candidate, tokens });
    left -= tokens.length + 1;
  }
  return windows;
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** One line, without words that the tokenizer takes for its own marks. */
function plain(text: string, longest = LONGEST_TEXT): string {
  return text
    .slice(0, longest)
    .replaceAll(/\[(?:SEP|CLS|MASK|PAD|UNK)\]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
