import { canonicalJson, fieldsOf, parseJson, sha256 } from '../base/index.ts';
import type { Credential, HttpClient, HttpRequest, HttpResult, OpenSink, ProxySettings, Send } from '../http/index.ts';
import { createServerClient, Secret } from '../http/index.ts';
import { StageError } from '../stage/index.ts';
import type { AnswerStore, ModelAnswer } from './answer-store.ts';

export interface ModelSettings {
  /** Up to and including `/v1`. */
  readonly url: string;
  readonly model: string;
  /** Empty if the server needs none. */
  readonly apiKey: string;
  readonly maxTokens: number;
}

export interface ModelPrompt {
  /** Names the schema; raised when the messages ask for something else, so that older answers are not used. */
  readonly name: string;
  readonly version: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly schema: object;
}

interface ListTask extends Pick<ModelPrompt, 'name' | 'version'> {
  /** Its name in the answer. */
  readonly list: string;
  /** JSON schemas. */
  readonly fields: Readonly<Record<string, object>>;
  readonly task: string;
}

/** A prompt for one list of objects. */
export function listPrompt({ name, version, list, fields, task }: ListTask, content: string): ModelPrompt {
  const messages = [
    { role: 'system', content: task },
    { role: 'user', content },
  ];
  return { name, version, messages, schema: objectSchema({ [list]: listSchema(fields) }) };
}

/** A JSON schema of a list of objects. */
export function listSchema(fields: ListTask['fields']): object {
  return { type: 'array', items: objectSchema(fields) };
}

/** A JSON schema of an object with exactly these fields. */
export function objectSchema(properties: ListTask['fields']): object {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties };
}

/** Receives the text piece by piece; created for every response, because an interrupted one is requested again. */
export type OpenText = () => (piece: string) => void;

/** Each streamed piece adds some hundred bytes. */
const MOST_STREAMED_BYTES = 16_000_000;
const MOST_REASON = 200;
/** About four characters per token, for servers that do not count. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Parameters by name that a server is known to accept or to refuse. One that it has accepted is not suspected again.
 */
export type ParameterVerdicts = Map<string, 'accepted' | 'refused'>;

/** An OpenAI-compatible server. Errors that every other request would get too stop the stage. */
export class ModelServer {
  readonly #settings: ModelSettings;
  readonly #send: Send;
  readonly #url: URL;
  readonly #verdicts: ParameterVerdicts;

  /** `verdicts` grows; a program may keep it for the next server of this address. */
  constructor(settings: ModelSettings, send: Send, verdicts: ParameterVerdicts = new Map()) {
    this.#settings = settings;
    this.#send = send;
    this.#verdicts = verdicts;
    this.#url = new URL(`${settings.url.replace(/(?<!\/)\/+$/, '')}/chat/completions`);
  }

  keyOf({ name, version, messages }: ModelPrompt): string {
    const { model, maxTokens } = this.#settings;
    return sha256(canonicalJson({ model, maxTokens, name, version, messages }));
  }

  /**
   * `open` receives the answer while it is written, if the server can stream. Parameters that the server refuses are
   * left out. If it does not say which, those that it has never accepted are left out in turn, then all of them.
   */
  async ask(prompt: ModelPrompt, open?: OpenText, signal?: AbortSignal): Promise<ModelAnswer> {
    let trials: (readonly string[])[] | undefined;
    let trial: readonly string[] = [];
    let refusal: StageError | undefined;
    for (;;) {
      const parameters = this.#parameters(prompt, open !== undefined, trial);
      const sent = Object.keys(parameters);
      const stream = open && 'stream' in parameters ? new StreamedAnswer(open) : undefined;
      const request = this.#request(prompt, parameters, stream?.sink);
      const { status, text } = this.#responseOf(await this.#send(request, signal));
      if (status >= 200 && status < 300) {
        for (const name of trial) this.#verdicts.set(name, 'refused');
        for (const name of sent) this.#verdicts.set(name, 'accepted');
        return answerOf(stream ? stream.body() : parseJson(text), prompt);
      }
      refusal ??= this.#refusal(status, text);
      if (status !== 400 && status !== 422) throw refusal;
      const named = refusedNames(text);
      if (named) {
        const name = sent.find((each) => named.includes(each));
        if (name === undefined) throw refusal;
        this.#verdicts.set(name, 'refused');
        refusal = undefined;
        continue;
      }
      trials ??= trialsOf(sent.filter((name) => this.#verdicts.get(name) !== 'accepted'));
      const next = trials.shift();
      if (!next) throw refusal;
      trial = next;
    }
  }

  /** What a server may refuse; an answer without it is still an answer. */
  #parameters({ name, schema }: ModelPrompt, streams: boolean, without: readonly string[]): Record<string, unknown> {
    const { maxTokens } = this.#settings;
    const isOut = (key: string): boolean => this.#verdicts.get(key) === 'refused' || without.includes(key);
    const wanted = {
      temperature: 0,
      [isOut('max_tokens') ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
      ...(streams && !isOut('stream') && { stream: true, stream_options: { include_usage: true } }),
      response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } },
    };
    return Object.fromEntries(Object.entries(wanted).filter(([key]) => !isOut(key)));
  }

  #request({ messages }: ModelPrompt, parameters: object, sink: OpenSink | undefined): HttpRequest {
    const { model, apiKey } = this.#settings;
    return {
      url: this.#url,
      method: 'POST',
      repeatable: true,
      robots: 'terms',
      cache: 'bypass',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...(sink && { sink, limits: { maxBytes: MOST_STREAMED_BYTES } }),
      body: JSON.stringify({ model, messages, ...parameters }),
      credentials: credentialsOf(this.#url, apiKey),
    };
  }

  #responseOf(result: HttpResult): { readonly status: number; readonly text: string } {
    switch (result.kind) {
      case 'response':
      case 'stopped':
        return { status: result.response.status, text: result.response.body.toString('utf8') };
      case 'later':
        throw this.#unavailable(`rate-limited (${result.reason})`);
      case 'failed':
        throw this.#unavailable(`${result.reason}: ${result.message}`);
      case 'refused':
        // The next prompt may get a shorter answer.
        if (result.reason === 'body-too-large' || result.reason === 'decompression-bomb')
          throw new StageError('runtime', `the answer of the model is too large`, { code: 'MODEL_ANSWER' });
        throw new StageError('config', `${this.#url.origin} may not be asked: ${result.message}`, {
          code: 'MODEL_REFUSED',
          stopsStage: true,
        });
    }
  }

  #refusal(status: number, text: string): StageError {
    const reason = `${status} ${text.replaceAll(/[^\x20-\x7e\u00a0-\uffff]+/g, ' ').slice(0, MOST_REASON)}`.trim();
    if (status === 429 || status === 408 || status >= 500) return this.#unavailable(reason);
    if (status === 400 || status === 413 || status === 422)
      return new StageError('input', `the model server refuses a prompt: ${reason}`, { code: 'MODEL_PROMPT' });
    return new StageError('config', `the model server refuses: ${reason}`, { code: 'MODEL_REFUSED', stopsStage: true });
  }

  #unavailable(why: string): StageError {
    return new StageError('network', `the model server at ${this.#url.origin} is unavailable: ${why}`, {
      code: 'MODEL_UNAVAILABLE',
      retryable: false,
      stopsStage: true,
    });
  }
}

function credentialsOf({ origin }: URL, apiKey: string): readonly Credential[] {
  const secret = new Secret(apiKey);
  return apiKey === '' ? [] : [{ origin, place: 'header', name: 'authorization', prefix: 'Bearer ', secret }];
}

/**
 * The names in the fields of a refusal that say what is refused: `error.param`, or the places in a list of faults.
 * Undefined if there is no such field; what the text says is for people.
 */
function refusedNames(text: string): readonly string[] | undefined {
  const body = parseJson(text);
  const [param, detail] = [field(field(body, 'error') ?? body, 'param'), field(body, 'detail')];
  if (typeof param === 'string' && param !== '') return [param.split(/[.[]/, 1)[0] ?? ''];
  const places = Array.isArray(detail) ? detail.flatMap((each) => field(each, 'loc')) : [];
  return places.length === 0 ? undefined : places.filter((place) => typeof place === 'string');
}

/** What is left out in turn to find out which of these a server refuses: one after the other, then all. */
function trialsOf(suspects: readonly string[]): (readonly string[])[] {
  const alone = ['response_format', 'stream_options', 'stream', 'temperature', 'max_tokens', 'max_completion_tokens']
    .filter((name) => suspects.includes(name))
    .map((name) => [name]);
  return alone.length > 1 ? [...alone, suspects] : alone;
}

/** An answer that arrives as server-sent events, or in one piece from a server that does not stream. */
class StreamedAnswer {
  readonly #open: OpenText;
  #isEvents = false;
  #decoder = new TextDecoder();
  /** The text after the last line break if the response is events, otherwise all of it. */
  #rest: string[] = [];
  #pieces: string[] = [];
  #usage: unknown;
  #take: (piece: string) => void = () => undefined;

  constructor(open: OpenText) {
    this.#open = open;
  }

  readonly sink: OpenSink = ({ headers }) => {
    this.#isEvents = /^\s*text\/event-stream\b/i.test(headers['content-type'] ?? '');
    this.#decoder = new TextDecoder();
    this.#rest = [];
    this.#pieces = [];
    this.#usage = undefined;
    this.#take = this.#open();
    return { write: (chunk) => this.#write(this.#decoder.decode(chunk, { stream: true })) };
  };

  #write(text: string): void {
    this.#rest.push(text);
    if (!this.#isEvents || !text.includes('\n')) return;
    const lines = this.#rest.join('').split('\n');
    this.#rest = [lines.pop() ?? ''];
    for (const line of lines) this.#event(line);
  }

  #event(line: string): void {
    if (!line.startsWith('data:')) return;
    const event = parseJson(line.slice('data:'.length));
    this.#usage = field(event, 'usage') ?? this.#usage;
    const piece = field(field(firstChoice(event), 'delta'), 'content');
    if (typeof piece !== 'string' || piece === '') return;
    this.#pieces.push(piece);
    this.#take(piece);
  }

  /** The answer in the shape of a response without streaming. */
  body(): unknown {
    const rest = this.#rest.join('');
    if (!this.#isEvents) return parseJson(rest);
    this.#event(rest);
    return { choices: [{ message: { content: this.#pieces.join('') } }], usage: this.#usage };
  }
}

function answerOf(body: unknown, { messages }: ModelPrompt): ModelAnswer {
  const found = field(field(firstChoice(body), 'message'), 'content');
  const content = typeof found === 'string' ? found : '';
  const tokens = (name: string, text: string): number => {
    const count = field(field(body, 'usage'), name);
    return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : tokensOf(text);
  };
  return {
    content,
    inputTokens: tokens('prompt_tokens', JSON.stringify(messages)),
    outputTokens: tokens('completion_tokens', content),
  };
}

function firstChoice(body: unknown): unknown {
  const choices = field(body, 'choices');
  return Array.isArray(choices) ? choices[0] : undefined;
}

export function promptTokens({ messages }: ModelPrompt): number {
  return tokensOf(JSON.stringify(messages));
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

function field(value: unknown, name: string): unknown {
  return fieldsOf(value)[name];
}

/** Token prices and the spending limit; 0 means not set. */
export interface ModelPrices {
  readonly usdPerMillionInput: number;
  readonly usdPerMillionOutput: number;
  readonly budgetUsd: number;
  readonly budgetTokens: number;
}

/** Money and tokens used so far. Each request first reserves the most it can cost, if the budget allows. */
export class Budget {
  readonly #prices: ModelPrices;
  inputTokens = 0;
  outputTokens = 0;
  #asideInput = 0;
  #asideOutput = 0;

  constructor(prices: ModelPrices) {
    this.#prices = prices;
  }

  /** The price of tokens; null if prices are not set. */
  usd(inputTokens = this.inputTokens, outputTokens = this.outputTokens): number | null {
    const { usdPerMillionInput, usdPerMillionOutput } = this.#prices;
    if (usdPerMillionInput === 0 && usdPerMillionOutput === 0) return null;
    return (inputTokens * usdPerMillionInput + outputTokens * usdPerMillionOutput) / 1e6;
  }

  /** Reserves tokens until disposed; undefined if that would exceed the budget. */
  setAside(inputTokens: number, outputTokens: number): Disposable | undefined {
    const { budgetUsd, budgetTokens } = this.#prices;
    const input = this.inputTokens + this.#asideInput + inputTokens;
    const output = this.outputTokens + this.#asideOutput + outputTokens;
    if (budgetTokens > 0 && input + output > budgetTokens) return undefined;
    if (budgetUsd > 0 && (this.usd(input, output) ?? 0) > budgetUsd) return undefined;
    this.#asideInput += inputTokens;
    this.#asideOutput += outputTokens;
    return {
      [Symbol.dispose]: () => {
        this.#asideInput -= inputTokens;
        this.#asideOutput -= outputTokens;
      },
    };
  }

  spend({ inputTokens, outputTokens }: Pick<ModelAnswer, 'inputTokens' | 'outputTokens'>): void {
    this.inputTokens += inputTokens;
    this.outputTokens += outputTokens;
  }
}

/** An unreadable answer is requested once more. */
const ATTEMPTS = 2;

export interface AnswerWriter {
  readonly name: string;
  readonly server: ModelServer;
  readonly answers: AnswerStore;
  readonly maxTokens: number;
  readonly budget?: Budget | undefined;
}

/** Undefined if the answer is unreadable; that is stored too, so that it is not paid for again. */
export async function askModel<T>(
  prompt: ModelPrompt,
  read: (content: string) => T | undefined,
  how: AnswerWriter & { readonly open?: OpenText | undefined },
  signal?: AbortSignal,
): Promise<T | undefined | 'over-budget'> {
  const { name, server, answers, maxTokens, budget, open } = how;
  const key = server.keyOf(prompt);
  const stored = answers.find(key);
  if (stored) return read(stored.content);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    using aside = budget?.setAside(promptTokens(prompt), maxTokens);
    if (budget && !aside) return 'over-budget';
    const answer = await server.ask(prompt, open, signal);
    budget?.spend(answer);
    const understood = read(answer.content);
    // An empty answer is a server fault and may succeed later.
    if (understood !== undefined || (attempt === ATTEMPTS && answer.content !== '')) answers.keep(key, name, answer);
    if (understood !== undefined) return understood;
  }
  return undefined;
}

export const LOCAL_MODEL_SERVERS: Readonly<Record<string, string>> = {
  Ollama: 'http://127.0.0.1:11434/v1',
  'LM Studio': 'http://127.0.0.1:1234/v1',
  vLLM: 'http://127.0.0.1:8000/v1',
  'llama.cpp': 'http://127.0.0.1:8080/v1',
};

interface FoundServer {
  readonly name: string;
  readonly url: string;
  readonly models: readonly string[];
}

const PATIENCE_MS = 3_000;
const MOST_BYTES = 1_000_000;
const MOST_MODELS = 200;

/** Servers that list their models; other services on these ports are ignored. */
export async function findModelServers(
  servers: Readonly<Record<string, string>>,
  apiKey: string,
  proxy?: ProxySettings,
): Promise<FoundServer[]> {
  const asked = Object.entries(servers).map(async ([name, address]): Promise<FoundServer[]> => {
    const url = URL.parse(`${address.replace(/(?<!\/)\/+$/, '')}/models`);
    if (!url) return [];
    const patience = { timeoutMs: PATIENCE_MS, totalMs: PATIENCE_MS, retries: 0, maxBytes: MOST_BYTES };
    await using client = createServerClient({ url, proxy, ...patience });
    const result = await client.send({ url, credentials: credentialsOf(url, apiKey) });
    if (result.kind !== 'response' || result.response.status !== 200) return [];
    const { data } = fieldsOf(parseJson(result.response.body.toString('utf8')));
    if (!Array.isArray(data)) return [];
    const ids = data.map((model) => field(model, 'id'));
    return [{ name, url: address, models: ids.filter((id) => typeof id === 'string').slice(0, MOST_MODELS) }];
  });
  return (await Promise.all(asked)).flat();
}

interface ModelPatience {
  readonly contact: string;
  readonly proxy: ProxySettings;
  readonly concurrency: number;
  readonly perSecond: number;
  readonly timeoutMs: number;
  readonly retries: number;
  /** A server that asks for a longer wait stops the run. */
  readonly longestWaitMs: number;
}

const MOST_ANSWER_BYTES = 2_000_000;

/** The HTTP client for a model server that the user named, possibly on this machine or the local network. */
export function openModelClient(url: string, patience: ModelPatience): HttpClient {
  return createServerClient({
    ...patience,
    url: new URL(url),
    contact: patience.contact === '' ? undefined : patience.contact,
    // A model may be silent while it thinks, and slow while it writes.
    totalMs: patience.timeoutMs,
    maxBytes: MOST_ANSWER_BYTES,
  });
}
