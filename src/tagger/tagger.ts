import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError, packageRoot } from '../base/index.ts';
import type { Stretch } from '../parse/index.ts';
import { openTokenModel } from '../parse/index.ts';
import type { EntityType, Labelled, QuantityRole } from './decode.ts';
import { ENTITY_TYPES, QUANTITY_ROLES, softmax, stretchesOf } from './decode.ts';

/** Raised with the weights: what was tagged by others is tagged again. */
export const TAGGER_VERSION = 1;

/** The longest input; the rest of a longer sentence is not read. */
const MAX_TOKENS = 128;

/** Why a paper cites another one, in the order of the model's outputs. */
const INTENTS = ['background', 'method', 'result'] as const;
export type Intent = (typeof INTENTS)[number];

/** What the tagger says of a sentence. */
interface TaggedSentence {
  readonly entities: readonly Labelled<EntityType>[];
  /** Why the sentence cites what it cites, if it cites something. */
  readonly intent: { readonly intent: Intent; readonly sure: number };
}

/** Reads sentences with the small trained model. */
export interface Tagger extends AsyncDisposable {
  read(sentence: string): Promise<TaggedSentence>;
  /** The property, the entity and the unit of a quantity that stands at `quantity`. */
  rolesOf(sentence: string, quantity: Stretch): Promise<readonly Labelled<QuantityRole>[]>;
}

/** Why the tagger cannot run here; undefined if it can. */
export async function taggerFault(): Promise<AppError | undefined> {
  try {
    await using tagger = await openTagger({ threads: 1 });
    void tagger;
    return undefined;
  } catch (error) {
    if (error instanceof AppError && NOT_INSTALLED.has(error.code)) return error;
    throw error;
  }
}

/** Codes of errors that say that something the tagger needs is not installed. */
const NOT_INSTALLED: ReadonlySet<string> = new Set(['MODEL_NOT_INSTALLED', 'ONNX_NOT_INSTALLED', 'ONNX_NO_BUILD']);

/** Opens the tagger. It needs the tokenizer of the embedded model and onnxruntime-node, and loads at the first sentence. */
export async function openTagger({ threads }: { readonly threads: number }): Promise<Tagger> {
  const folder = join(packageRoot(), 'models');
  const path = join(folder, 'tagger.safetensors');
  if (!existsSync(path))
    throw new AppError('MODEL_NOT_INSTALLED', `${path} is missing`, { hint: 'install docstokg again' });
  const model = await openTokenModel({
    graph: join(folder, 'tagger.onnx'),
    weightsName: 'tagger.safetensors',
    weights: () => readFile(path),
    maxTokens: MAX_TOKENS,
    threads,
  });
  return {
    async read(sentence) {
      const read = await model.read(sentence, []);
      const shares = softmax(read.whole);
      const best = shares.indexOf(Math.max(...shares));
      return {
        entities: ENTITY_TYPES.flatMap((type) => stretchesOf(type, read)),
        intent: { intent: INTENTS[best] ?? 'background', sure: shares[best] ?? 0 },
      };
    },
    async rolesOf(sentence, quantity) {
      const read = await model.read(sentence, [quantity]);
      return QUANTITY_ROLES.flatMap((role) => stretchesOf(role, read));
    },
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}
