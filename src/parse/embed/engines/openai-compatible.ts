import type { Clock, Random } from '../../../base/index.ts';
import { AppError, fieldsOf, systemClock } from '../../../base/index.ts';
import type { ProxySettings } from '../../../http/index.ts';
import { RemoteError } from '../../remote-error.ts';
import { bearer, RemoteServer } from '../../remote.ts';
import type { DenseEngine, Role } from '../engine.ts';
import { withPrefix, normalise } from '../engine.ts';

/** How to reach a server that speaks the OpenAI embeddings protocol (vLLM, TEI, Ollama, and others). */
export interface ServerOptions {
  /** Up to and including `/v1`. */
  readonly url: string;
  readonly model: string;
  readonly revision: string;
  readonly apiKey: string | undefined;
  /** Asked of servers that can shorten vectors; 0 takes what comes. */
  readonly dimensions: number;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly retryBackoffMs: number;
  /** A server that asks for a longer pause than this ends the run instead. */
  readonly longestWaitMs: number;
  /** Time limit of the first request, retries included; by default it is retried like any other. */
  readonly probeMs?: number;
  readonly normalise: boolean;
  /** Put before every text of that role, as models like E5 want it. */
  readonly prefixes: Readonly<Record<Role, string>>;
  readonly proxy?: ProxySettings | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** Opens the engine and asks for one vector, so that a wrong address, key or model shows before any work is done. */
export async function openServerEngine(options: ServerOptions, signal?: AbortSignal): Promise<DenseEngine> {
  const client = new EmbeddingClient(options);
  const [probe] = await client.probe(signal);
  const dimensions = probe?.length ?? 0;
  if (options.dimensions > 0 && dimensions !== options.dimensions) throw wrongDimensions(options, dimensions);
  client.dimensions = dimensions;
  return {
    model: {
      name: options.model,
      revision: withPrefix(options.revision, options.prefixes),
      precision: options.normalise ? 'server, normalised' : 'server',
    },
    dimensions,
    batchSize: options.batchSize,
    concurrency: options.concurrency,
    embed: (texts, role, each) =>
      client.embed(
        texts.map((text) => options.prefixes[role] + text),
        each,
      ),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

class EmbeddingClient implements AsyncDisposable {
  readonly #options: ServerOptions;
  readonly #url: string;
  readonly #server: RemoteServer;
  dimensions: number;

  constructor(options: ServerOptions) {
    const { url, apiKey, timeoutMs, retries, retryBackoffMs: backoffMs, longestWaitMs, concurrency } = options;
    const { proxy, clock, random } = options;
    const patience = { timeoutMs, retries, backoffMs, longestWaitMs, concurrency };
    this.#options = options;
    this.#url = `${url.replace(/(?<!\/)\/+$/, '')}/embeddings`;
    this.#server = new RemoteServer({ baseUrl: url, credential: bearer(apiKey), ...patience, proxy, clock, random });
    this.dimensions = options.dimensions;
  }

  async probe(signal?: AbortSignal): Promise<Float32Array[]> {
    const { probeMs, clock = systemClock } = this.#options;
    if (probeMs === undefined) return this.embed(['dimensions'], signal);
    const late = new AbortController();
    using _timer = clock.setTimer(probeMs, () => late.abort());
    try {
      return await this.embed(['dimensions'], signal ? AbortSignal.any([signal, late.signal]) : late.signal);
    } catch (error) {
      if (signal?.aborted || !late.signal.aborted) throw error;
      throw this.#unavailable(`no answer in ${probeMs / 1000} s`);
    }
  }

  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const vectors: (Float32Array | undefined)[] = Array.from({ length: texts.length });
    try {
      // A server may cut batches short again and again: some vectors are progress.
      for (let open = [...texts.keys()]; open.length > 0; open = open.filter((place) => !vectors[place])) {
        const answer = await this.#request(
          open.map((place) => texts[place] ?? ''),
          signal,
        );
        for (const [at, place] of open.entries()) vectors[place] = answer[at];
      }
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      const isTooLarge = error.status === 413 || error.status === 422;
      if (isTooLarge && texts.length > 1) return await this.#halves(texts, signal);
      throw this.#fault(error);
    }
    return vectors.filter((vector) => vector !== undefined);
  }

  async #halves(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const middle = Math.ceil(texts.length / 2);
    return [...(await this.embed(texts.slice(0, middle), signal)), ...(await this.embed(texts.slice(middle), signal))];
  }

  async #request(texts: readonly string[], signal?: AbortSignal): Promise<Answer> {
    const { model, dimensions } = this.#options;
    const body = { model, input: texts, encoding_format: 'float', ...(dimensions > 0 && { dimensions }) };
    let vectors: Answer = [];
    const fault = (answer: unknown): string | undefined => {
      vectors = parseAnswer(answer, texts.length).map((vector) => this.#check(vector));
      return vectors.every((vector) => !vector) ? 'none of the texts' : undefined;
    };
    await this.#server.ask('/embeddings', { body, repeatable: true, fault }, signal);
    return vectors;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  #fault(error: RemoteError): AppError {
    const { retries, longestWaitMs } = this.#options;
    // The server is named in front already.
    const reason = error.message.replace(`${new URL(this.#url).origin} `, '');
    const { retryAfterMs = 0 } = error;
    if (retryAfterMs > longestWaitMs)
      return this.#unavailable(`rate-limited for ${Math.ceil(retryAfterMs / 1000)} s (${reason})`);
    if (error.retryable) return this.#unavailable(`${retries + 1} attempts, the last: ${reason}`);
    if (error.code === 'ENGINE_ANSWER_TOO_LARGE')
      return new AppError('EMBED_ANSWER', `the embedding server's answer is too large: ${reason}`, {
        hint: 'reduce parse.batch_size',
        cause: error,
      });
    return new AppError('EMBED_REFUSED', `the embedding server at ${this.#url} refused a request: ${reason}`, {
      hint: 'check the URL, key and model name of the embedding server',
      cause: error,
    });
  }

  #check(vector: Float32Array | undefined): Float32Array | undefined {
    if (!vector) return undefined;
    if (this.dimensions > 0 && vector.length !== this.dimensions) throw wrongDimensions(this.#options, vector.length);
    return this.#options.normalise ? normalise(vector) : vector;
  }

  #unavailable(why: string): AppError {
    return new AppError('EMBED_UNAVAILABLE', `the embedding server at ${this.#url} is unavailable: ${why}`, {
      hint: 'vectors made so far are saved; run the same command again when the server is back',
    });
  }
}

function wrongDimensions(options: ServerOptions, found: number): AppError {
  return new AppError(
    'EMBED_DIMENSIONS',
    `${options.model} gave a vector of ${found} dimensions, but other vectors have a different length`,
    {
      hint: 'set parse.embed_dimensions to the size the model returns, or embed everything again after changing the model',
    },
  );
}

/** What a server said to a batch: vectors by the place of their text; a place it left out is undefined. */
type Answer = readonly (Float32Array | undefined)[];

/** Places come from `index`: a server that drops or reorders texts must not swap their vectors. */
function parseAnswer(body: unknown, expected: number): Answer {
  const { data } = fieldsOf(body);
  if (!Array.isArray(data)) throw malformed('has no list "data"');
  const vectors: (Float32Array | undefined)[] = Array.from({ length: expected });
  const numbered = data.every((item) => typeof fieldsOf(item)['index'] === 'number');
  if (!numbered && data.length !== expected) {
    throw malformed(`has ${data.length} vectors for ${expected} texts and does not say which`);
  }
  for (const [position, item] of data.entries()) {
    const { index, embedding } = fieldsOf(item);
    const place = numbered ? (index as number) : position;
    if (!Number.isInteger(place) || place < 0 || place >= expected)
      throw malformed(`names text ${place} of ${expected}`);
    if (vectors[place]) throw malformed(`names text ${place} twice`);
    vectors[place] = parseVector(embedding, position);
  }
  return vectors;
}

function parseVector(value: unknown, position: number): Float32Array {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value, 'base64');
    if (bytes.length % 4 !== 0) throw malformed(`has ${bytes.length} bytes at ${position}, which are not floats`);
    return finite(new Float32Array(Uint8Array.from(bytes).buffer), position);
  }
  if (!Array.isArray(value)) throw malformed(`has no vector at ${position}`);
  const vector = new Float32Array(value.length);
  for (const [at, number] of value.entries()) vector[at] = typeof number === 'number' ? number : Number.NaN;
  return finite(vector, position);
}

function finite(vector: Float32Array, position: number): Float32Array {
  if (!vector.every(Number.isFinite)) throw malformed(`has a vector with something else than numbers at ${position}`);
  return vector;
}

function malformed(what: string): AppError {
  return new AppError('EMBED_ANSWER', `the embedding server's answer ${what}`, {
    hint: 'check that the URL is an OpenAI-compatible /v1 endpoint and that the model supports embeddings',
  });
}
