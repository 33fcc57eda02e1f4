import { availableParallelism } from 'node:os';

import { modelTokenizerPath, openJsonTokenizer } from '../../chunk/tokenizer.ts';
import type { Stretch } from '../../document.ts';
import { openOnnxSession } from './onnx.ts';
import { loadRuntime } from './runtime.ts';

/** A sentence as the model read it: each token with its place in the text, and the numbers for each of them. */
interface ReadTokens {
  /** Without the marks that begin and end every input. Pieces of one word have the place of the word. */
  readonly tokens: readonly Stretch[];
  /** What the model says of the tokens, `width` numbers each. */
  readonly numbers: Float32Array;
  readonly width: number;
  /** What it says of the whole sentence. */
  readonly whole: Float32Array;
}

/** A model that says something of every token of a sentence. */
interface TokenModel extends AsyncDisposable {
  read(text: string, shapes: readonly Stretch[]): Promise<ReadTokens>;
}

interface TokenModelFile {
  /** The ONNX graph, with inputs `input_ids`, `position_ids`, `shape_ids` and outputs `tags`, `sentence`. */
  readonly graph: string;
  readonly weightsName: string;
  /** The bytes of the file that the graph names its weights by. */
  readonly weights: () => Promise<Uint8Array>;
  readonly maxTokens: number;
  /** 0 means one per core. */
  readonly threads: number;
}

/** What is told of a token besides its number, since the tokenizer makes everything lower case. */
const SHAPES = { lower: 0n, capitalised: 1n, capitals: 2n, marked: 3n } as const;

/** Opens a token model in onnxruntime; it loads at the first sentence. It uses the tokenizer of the embedded model. */
export async function openTokenModel(model: TokenModelFile): Promise<TokenModel> {
  const tokenizerPath = modelTokenizerPath();
  await loadRuntime(model.threads === 0 ? availableParallelism() : model.threads);
  const load = async () => {
    const [data, tokenizer] = await Promise.all([model.weights(), openJsonTokenizer(tokenizerPath)]);
    const session = await openOnnxSession(model.graph, model.threads, [{ path: model.weightsName, data }]);
    const [first = 0, last = 0] = tokenizer.encode('', 2);
    return { session, tokenizer, first, last };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return {
    async read(text, marked) {
      const { session, tokenizer, first, last } = await (loaded ??= load());
      const ids: number[] = [first];
      const shapes: bigint[] = [SHAPES.lower];
      const tokens: Stretch[] = [];
      for (const { 0: word, index: start } of text.matchAll(WORD)) {
        const end = start + word.length;
        const isMarked = marked.some((each) => start < each.end && end > each.start);
        const shape = isMarked ? SHAPES.marked : shapeOf(text, start, end);
        const pieces = tokenizer.encode(word, model.maxTokens).slice(1, -1);
        if (ids.length + pieces.length >= model.maxTokens) break;
        for (const piece of pieces) {
          ids.push(piece);
          shapes.push(shape);
          tokens.push({ start, end });
        }
      }
      ids.push(last);
      shapes.push(SHAPES.lower);
      const shape = [1, ids.length];
      const { tags, sentence } = await session.run({
        input_ids: { data: BigInt64Array.from(ids, BigInt), shape },
        position_ids: { data: BigInt64Array.from(ids, (_, at) => BigInt(at)), shape },
        shape_ids: { data: BigInt64Array.from(shapes), shape },
      });
      const width = tags?.shape.at(-1) ?? 0;
      return {
        tokens,
        width,
        numbers: Float32Array.from(tags?.data ?? []).slice(width, width * (tokens.length + 1)),
        whole: Float32Array.from(sentence?.data ?? []),
      };
    },
    async [Symbol.asyncDispose]() {
      await (await loaded)?.session[Symbol.asyncDispose]();
    },
  };
}

/** Words as BERT splits them: every sign of punctuation is one. */
const WORD = /[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}]+/gu;
const LETTER = /[\p{L}\p{N}]/u;

/** The shape of the run of letters and digits that a token is in or touches. */
function shapeOf(text: string, start: number, end: number): bigint {
  while (start > 0 && LETTER.test(text[start - 1] ?? '')) start -= 1;
  while (end < text.length && LETTER.test(text[end] ?? '')) end += 1;
  const word = text.slice(start, end);
  const capitals = word.match(/\p{Lu}/gu)?.length ?? 0;
  if (capitals === 0) return SHAPES.lower;
  return capitals === 1 && /^\p{Lu}/u.test(word) && word.length > 1 ? SHAPES.capitalised : SHAPES.capitals;
}
