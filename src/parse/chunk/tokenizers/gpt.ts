import type { Tokenizer } from '../tokenizer.ts';
import { PieceMemory } from './pieces.ts';

/** What looks like a control token in a document is text. */
const NO_CONTROL_TOKENS = { disallowedSpecial: new Set<string>(), allowedSpecial: new Set<string>() };

/** Counts as OpenAI's models do, from vocabularies inside the package. */
export async function openGptTokenizer(name: 'cl100k' | 'o200k'): Promise<Tokenizer> {
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
