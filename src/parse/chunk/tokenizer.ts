import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tokenizer as JsonTokenizer } from '@huggingface/tokenizers';
import { AppError, packageRoot, sha256 } from '../../base/index.ts';
import { pathToFileURL } from 'node:url';
import type * as Cl100k from 'gpt-tokenizer/encoding/cl100k_base';

/** Longer pieces hardly ever repeat. */
const LONGEST_PIECE = 48;
const MOST_PIECES = 150_000;

/** Where a text may be split so that the parts have the same tokens as the whole. */
type Cut =
  /** At spaces, which are not tokens themselves (BERT and similar). */
  | 'at-blanks'
  /** Before the first of several spaces (byte-level BPE, where a space belongs to the next word). */
  | 'before-blanks'
  | 'nowhere';

/** Caches the tokens of pieces. Words repeat in running text, so most pieces are looked up instead of tokenized. */
class PieceMemory<T> {
  readonly #known = new Map<string, T>();
  readonly #tokenize: (piece: string) => T;
  readonly #cut: Cut;

  constructor(cut: Cut, tokenize: (piece: string) => T) {
    this.#cut = cut;
    this.#tokenize = tokenize;
  }

  each(text: string, take: (tokens: T) => void): void {
    if (this.#cut === 'nowhere') take(this.#tokenize(text));
    else if (this.#cut === 'at-blanks') this.#atBlanks(text, take);
    else this.#beforeBlanks(text, take);
  }

  #atBlanks(text: string, take: (tokens: T) => void): void {
    const { length } = text;
    let from = 0;
    for (let at = 0; at <= length; at += 1) {
      // Only these four: BERT treats other white space as control characters and joins the words around it.
      const code = at === length ? 0x20 : text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x09 && code !== 0x0d) continue;
      if (at > from) take(this.#look(text.slice(from, at)));
      from = at + 1;
    }
  }

  #beforeBlanks(text: string, take: (tokens: T) => void): void {
    let from = 0;
    for (let at = text.indexOf(' ', 1); at !== -1; at = text.indexOf(' ', at + 1)) {
      if (isSpace(text.charCodeAt(at - 1))) continue;
      take(this.#look(text.slice(from, at)));
      from = at;
    }
    if (from < text.length) take(this.#look(text.slice(from)));
  }

  #look(piece: string): T {
    if (piece.length > LONGEST_PIECE) return this.#tokenize(piece);
    let tokens = this.#known.get(piece);
    if (tokens === undefined) {
      tokens = this.#tokenize(piece);
      if (this.#known.size >= MOST_PIECES) this.#known.clear();
      this.#known.set(piece, tokens);
    }
    return tokens;
  }
}

function isSpace(code: number): boolean {
  return code <= 0x20
    ? code === 0x20 || (code >= 0x09 && code <= 0x0d)
    : code >= 0x85 && /\s/.test(String.fromCharCode(code));
}

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
  const [bytes, { Tokenizer }] = await Promise.all([readFile(file), import('@huggingface/tokenizers')]);
  let json: TokenizerJson;
  let tokenizer: JsonTokenizer;
  try {
    json = JSON.parse(bytes.toString('utf8')) as TokenizerJson;
    delete json.truncation;
    delete json.padding;
    tokenizer = new Tokenizer(json, {});
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

export interface Tokenizer {
  /** Identifies the vocabulary, so that a change of it is detected. */
  readonly identity: string;
  /** Number of special tokens the model adds to every text. */
  readonly specials: number;
  /** Tokens of the text alone. */
  count(text: string): number;
}

export interface EncodingTokenizer extends Tokenizer {
  /** Token ids including special tokens, cut to `maxTokens`. */
  encode(text: string, maxTokens: number): number[];
}

/** `model` (the embedded model's), `cl100k`, `o200k`, or the path of a tokenizer.json or its folder. */
export async function openTokenizer(name: string): Promise<Tokenizer> {
  if (name === 'cl100k' || name === 'o200k') return openGptTokenizer(name);
  return openJsonTokenizer(name === 'model' ? modelTokenizerPath() : name);
}

/** The tokenizer of the models that come with the program. */
export function modelTokenizerPath(): string {
  return join(packageRoot(), 'models', 'tokenizer.json');
}

/** Text that looks like a control token is still text. */
const NO_CONTROL_TOKENS = { disallowedSpecial: new Set<string>(), allowedSpecial: new Set<string>() };

/** The tokenizers of gpt-tokenizer that we offer; the build writes each of them into one file. */
export const ENCODINGS = ['cl100k', 'o200k'] as const;

async function loadEncoding(name: (typeof ENCODINGS)[number]): Promise<typeof Cl100k> {
  // The whole package is ten times as large as what is used of it.
  const source = import.meta.url.endsWith('.ts')
    ? import.meta.resolve(`gpt-tokenizer/encoding/${name}_base`)
    : pathToFileURL(join(import.meta.dirname, 'encodings', `${name}.js`)).href;
  return (await import(source)) as typeof Cl100k;
}

async function openGptTokenizer(name: 'cl100k' | 'o200k'): Promise<Tokenizer> {
  const { countTokens } = await loadEncoding(name);
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
