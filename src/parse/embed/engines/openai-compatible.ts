import type { Clock, Random } from '../../../base/index.ts';
import { AppError, KeyedLimiter, spreadDelay, wait } from '../../../base/index.ts';
import type { DenseEngine, Role } from '../engine.ts';
import { withPrefix } from '../engine.ts';
import { normalise } from '../normalise.ts';
import { parseAnswer } from './openai-answer.ts';
import { requestEmbeddings } from './openai-request.ts';

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
  /** Longest time for the first question, with all its attempts; without it, as many attempts as for any other. */
  readonly probeMs?: number;
  readonly normalise: boolean;
  /** Put before every text of that role, as models like E5 want it. */
  readonly prefixes: Readonly<Record<Role, string>>;
  readonly clock: Clock;
  readonly random?: Random;
}

const LONGEST_BACKOFF_MS = 60_000;

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
    [Symbol.asyncDispose]: async () => undefined,
  };
}

class EmbeddingClient {
  readonly #options: ServerOptions;
  readonly #url: string;
  /** One key: a server's Retry-After holds every request to it, not only the one that was told. */
  readonly #limiter: KeyedLimiter;
  dimensions: number;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#url = `${options.url.replace(/(?<!\/)\/+$/, '')}/embeddings`;
    this.#limiter = new KeyedLimiter({ clock: options.clock, defaultLimit: options.concurrency });
    this.dimensions = options.dimensions;
  }

  /** One vector, within the time for the first question. */
  async probe(signal?: AbortSignal): Promise<Float32Array[]> {
    const { probeMs, clock } = this.#options;
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
    let open = texts.map((_, place) => place);
    let attempt = 0;
    while (open.length > 0) {
      const outcome = await this.#once(
        open.map((place) => texts[place] ?? ''),
        signal,
      );
      if (outcome.kind === 'vectors') {
        const left = open.filter((_, at) => !outcome.vectors[at]);
        for (const [at, place] of open.entries()) vectors[place] = outcome.vectors[at] ?? vectors[place];
        // Some is progress, and a server may cut batches short again and again; none at all is a failed attempt.
        if (left.length < open.length) attempt = 0;
        open = left;
        if (left.length > 0)
          attempt = await this.#pause(attempt, `${left.length} texts left out of the answer`, undefined, signal);
        continue;
      }
      if (outcome.kind === 'halves') return [...(await this.#halves(texts, signal))];
      attempt = await this.#pause(attempt, outcome.reason, outcome.afterMs, signal);
    }
    return vectors.filter((vector) => vector !== undefined);
  }

  async #halves(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const middle = Math.ceil(texts.length / 2);
    return [...(await this.embed(texts.slice(0, middle), signal)), ...(await this.embed(texts.slice(middle), signal))];
  }

  async #once(
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<
    | { readonly kind: 'vectors'; readonly vectors: readonly (Float32Array | undefined)[] }
    | { readonly kind: 'halves' }
    | { readonly kind: 'again'; readonly reason: string; readonly afterMs: number | undefined }
  > {
    const { model, dimensions, apiKey, timeoutMs, clock } = this.#options;
    using _slot = await this.#limiter.acquire([this.#url], signal);
    const body = JSON.stringify({
      model,
      input: texts,
      encoding_format: 'float',
      ...(dimensions > 0 && { dimensions }),
    });
    const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
    const reply = await requestEmbeddings({ url: this.#url, body, headers, timeoutMs }, clock, signal);
    switch (reply.kind) {
      case 'answer':
        return { kind: 'vectors', vectors: parseAnswer(reply.body, texts.length).map((vector) => this.#check(vector)) };
      case 'again':
        return reply;
      case 'smaller':
        if (texts.length > 1) return { kind: 'halves' };
        break;
      case 'refused':
        break;
    }
    throw new AppError('EMBED_REFUSED', `the embedding server at ${this.#url} refused a request: ${reply.reason}`, {
      hint: 'check the URL, key and model name of the embedding server',
    });
  }

  #check(vector: Float32Array | undefined): Float32Array | undefined {
    if (!vector) return undefined;
    if (this.dimensions > 0 && vector.length !== this.dimensions) throw wrongDimensions(this.#options, vector.length);
    return this.#options.normalise ? normalise(vector) : vector;
  }

  /** Waits before the next attempt and answers its number, or gives up. */
  async #pause(attempt: number, reason: string, afterMs: number | undefined, signal?: AbortSignal): Promise<number> {
    const { clock, retries, retryBackoffMs, longestWaitMs, random } = this.#options;
    if (attempt >= retries) throw this.#unavailable(`${attempt + 1} attempts, the last: ${reason}`);
    if (afterMs !== undefined && afterMs > longestWaitMs) {
      throw this.#unavailable(`rate-limited for ${Math.ceil(afterMs / 1000)} s (${reason})`);
    }
    const ownMs = spreadDelay(attempt + 1, {
      baseMs: retryBackoffMs,
      spread: 0.25,
      capMs: LONGEST_BACKOFF_MS,
      ...(random && { random }),
    });
    if (afterMs !== undefined) this.#limiter.holdUntil(this.#url, clock.now() + afterMs);
    await wait(clock, afterMs ?? ownMs, signal);
    return attempt + 1;
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
