import { availableParallelism } from 'node:os';

import { modelTokenizerPath, openJsonTokenizer } from '../../chunk/tokenizer.ts';
import { openOnnxSession } from './onnx.ts';
import { loadRuntime } from './runtime.ts';

/** Reads several parts of a text together, such as the sentences of a passage, and says a number of each. */
export interface PartsModel extends AsyncDisposable {
  /** The tokens of a text, without the marks that begin and end an input. */
  tokensOf(text: string): Promise<readonly number[]>;
  /**
   * What the model says of each part: the mean of its tokens. `head` is what is read before them, in pieces; a mark
   * follows `head`'s first piece and each part.
   */
  read(head: readonly (readonly number[])[], parts: readonly (readonly number[])[]): Promise<readonly number[]>;
}

/** A file of weights, under the name that the graph has for it. */
interface WeightsFile {
  readonly name: string;
  readonly read: () => Promise<Uint8Array>;
}

interface PartsModelFiles {
  /** The ONNX graph, with inputs `input_ids` and `position_ids` and one output of a number for each token. */
  readonly graph: string;
  readonly weights: readonly WeightsFile[];
  /** Longer inputs are cut at the end. */
  readonly maxTokens: number;
  /** 0 means one per core. */
  readonly threads: number;
}

/** Opens such a model in onnxruntime; it loads at the first text. It uses the tokenizer of the embedded model. */
export async function openPartsModel(model: PartsModelFiles): Promise<PartsModel> {
  const tokenizerPath = modelTokenizerPath();
  await loadRuntime(model.threads === 0 ? availableParallelism() : model.threads);
  const load = async () => {
    const [tokenizer, ...weights] = await Promise.all([
      openJsonTokenizer(tokenizerPath),
      ...model.weights.map(async ({ name, read }) => ({ path: name, data: await read() })),
    ]);
    const session = await openOnnxSession(model.graph, model.threads, weights);
    const [first = 0, between = 0] = tokenizer.encode('', 2);
    return { session, tokenizer, first, between };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return {
    async tokensOf(text) {
      const { tokenizer } = await (loaded ??= load());
      return tokenizer.encode(text, model.maxTokens).slice(1, -1);
    },
    async read([asked = [], ...above], parts) {
      const { session, first, between } = await (loaded ??= load());
      const ids = [first, ...asked, between, ...above.flat()];
      const places = parts.map((part) => {
        const start = ids.length;
        ids.push(...part, between);
        return { start, end: start + part.length };
      });
      const read = ids.slice(0, model.maxTokens);
      const shape = [1, read.length];
      const outputs = await session.run({
        input_ids: { data: BigInt64Array.from(read, BigInt), shape },
        position_ids: { data: BigInt64Array.from(read, (_, at) => BigInt(at)), shape },
      });
      const numbers = Object.values(outputs)[0]?.data ?? new Float32Array();
      return places.map(({ start, end }) => {
        const own = numbers.subarray(start, end);
        return own.reduce((sum, number) => sum + number, 0) / own.length;
      });
    },
    async [Symbol.asyncDispose]() {
      await (await loaded)?.session[Symbol.asyncDispose]();
    },
  };
}
