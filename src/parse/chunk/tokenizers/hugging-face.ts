import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { Tokenizer as JsonTokenizer } from '@huggingface/tokenizers';

import { AppError, sha256 } from '../../../base/index.ts';
import type { EncodingTokenizer } from '../tokenizer.ts';
import type { Cut } from './pieces.ts';
import { PieceMemory } from './pieces.ts';

interface TokenizerJson {
  truncation?: unknown;
  padding?: unknown;
  readonly pre_tokenizer?: PreTokenizer | null;
  readonly normalizer?: { readonly type?: string } | null;
}

interface PreTokenizer {
  readonly type?: string;
  readonly use_regex?: boolean;
  readonly pretokenizers?: readonly PreTokenizer[];
}

/** Opens a tokenizer.json, or the one in a folder. Ignores its truncation and padding, which would falsify counts. */
export async function openJsonTokenizer(path: string): Promise<EncodingTokenizer> {
  const file = await tokenizerFile(path);
  const bytes = await readFile(file);
  let json: TokenizerJson;
  let tokenizer: JsonTokenizer;
  try {
    json = JSON.parse(bytes.toString('utf8')) as TokenizerJson;
    delete json.truncation;
    delete json.padding;
    tokenizer = new JsonTokenizer(json, {});
  } catch (cause) {
    throw new AppError('TOKENIZER_UNREADABLE', `${file} is not a supported tokenizer`, {
      hint: 'use a tokenizer.json written by the Hugging Face tokenizers library',
      cause,
    });
  }
  const bare = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;
  const memory = new PieceMemory(cutOf(json), bare);
  const { before, after } = specialsOf(tokenizer, bare);
  return {
    identity: `sha256:${sha256(bytes)}`,
    specials: before.length + after.length,
    count(text) {
      let sum = 0;
      memory.each(text, (ids) => (sum += ids.length));
      return sum;
    },
    encode(text, maxTokens) {
      const ids = [...before];
      memory.each(text, (piece) => {
        for (const id of piece) ids.push(id);
      });
      ids.length = Math.min(ids.length, maxTokens - after.length);
      ids.push(...after);
      return ids;
    },
  };
}

async function tokenizerFile(path: string): Promise<string> {
  try {
    return (await stat(path)).isDirectory() ? join(path, 'tokenizer.json') : path;
  } catch (cause) {
    throw new AppError('TOKENIZER_MISSING', `no tokenizer at ${path}`, {
      hint: 'use the path of a tokenizer.json or its folder, or one of: model, cl100k, o200k',
      cause,
    });
  }
}

/** Only tokenizers known to split at spaces can reuse counts of pieces; others tokenize every text in full. */
function cutOf(json: TokenizerJson): Cut {
  const first = json.pre_tokenizer?.type === 'Sequence' ? json.pre_tokenizer.pretokenizers?.[0] : json.pre_tokenizer;
  const local = [undefined, 'BertNormalizer', 'Lowercase', 'NFC', 'NFD', 'NFKC', 'NFKD'];
  if (!local.includes(json.normalizer?.type)) return 'nowhere';
  switch (first?.type) {
    case 'BertPreTokenizer':
    case 'Whitespace':
    case 'WhitespaceSplit':
      return 'at-blanks';
    case 'ByteLevel':
      return first.use_regex === false || first !== json.pre_tokenizer ? 'nowhere' : 'before-blanks';
    case undefined:
    default:
      return 'nowhere';
  }
}

/** The ids that the model adds before and after every text, found by encoding one. */
function specialsOf(tokenizer: JsonTokenizer, bare: (text: string) => number[]): { before: number[]; after: number[] } {
  const inner = bare('a');
  const whole = tokenizer.encode('a').ids;
  for (let at = 0; at + inner.length <= whole.length; at += 1) {
    if (inner.every((id, offset) => whole[at + offset] === id)) {
      return { before: whole.slice(0, at), after: whole.slice(at + inner.length) };
    }
  }
  return { before: [], after: [] };
}
