import { canonicalJson, sha256 } from '../../base/index.ts';
import type { HttpRequest, HttpResult, Send } from '../../http/index.ts';
import { Secret } from '../../http/index.ts';
import { StageError } from '../../stage/index.ts';
import type { ModelAnswer } from './answer-store.ts';
import { CLAIM_SCHEMA, claimMessages, PROMPT_VERSION } from './prompt.ts';

/** How a model behind an OpenAI-compatible server is asked. */
export interface ModelSettings {
  /** Up to and including `/v1`. */
  readonly url: string;
  readonly model: string;
  /** Empty where the server wants none. */
  readonly apiKey: string;
  /** Longest answer. */
  readonly maxTokens: number;
}

/** How a server is held to the schema; some know none. */
type Form = 'schema' | 'plain';

const MOST_REASON = 200;
/** A token has about four characters: used where a server does not say. */
const CHARACTERS_PER_TOKEN = 4;

/** Asks a model about passages. Faults that every other passage would meet too stop the stage. */
export class ModelServer {
  readonly #settings: ModelSettings;
  readonly #send: Send;
  readonly #url: URL;
  #form: Form = 'schema';

  constructor(settings: ModelSettings, send: Send) {
    this.#settings = settings;
    this.#send = send;
    this.#url = new URL(`${settings.url.replace(/(?<!\/)\/+$/, '')}/chat/completions`);
  }

  /** What tells two questions apart: an answer is used again for the same one only. */
  question(passage: string): string {
    const { model, maxTokens } = this.#settings;
    return sha256(canonicalJson({ model, maxTokens, prompt: PROMPT_VERSION, passage }));
  }

  /** What the model says about a passage. */
  async ask(passage: string, signal?: AbortSignal): Promise<ModelAnswer> {
    const result = await this.#send(this.#request(passage), signal);
    const answered = this.#sort(result);
    if (answered.kind === 'no-schema') {
      this.#form = 'plain';
      return await this.ask(passage, signal);
    }
    const body = parseBody(answered.text);
    const choices = field(body, 'choices');
    const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
    const content = field(field(first, 'message'), 'content');
    const usage = field(body, 'usage');
    const told = (name: string, text: string): number => {
      const count = field(usage, name);
      return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : tokensOf(text);
    };
    const text = typeof content === 'string' ? content : '';
    return {
      content: text,
      inputTokens: told('prompt_tokens', JSON.stringify(claimMessages(passage))),
      outputTokens: told('completion_tokens', text),
    };
  }

  #request(passage: string): HttpRequest {
    const { model, maxTokens, apiKey } = this.#settings;
    return {
      url: this.#url,
      method: 'POST',
      repeatable: true,
      robots: 'terms',
      cache: 'bypass',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        model,
        temperature: 0,
        max_tokens: maxTokens,
        messages: claimMessages(passage),
        ...(this.#form === 'schema' && {
          response_format: { type: 'json_schema', json_schema: { name: 'claims', strict: true, schema: CLAIM_SCHEMA } },
        }),
      }),
      ...(apiKey !== '' && {
        credentials: [
          {
            origin: this.#url.origin,
            place: 'header' as const,
            name: 'authorization',
            prefix: 'Bearer ',
            secret: new Secret(apiKey),
          },
        ],
      }),
    };
  }

  /** The body of an answer; every other end is an error that says whether the next passage could do better. */
  #sort(result: HttpResult): { readonly kind: 'body'; readonly text: string } | { readonly kind: 'no-schema' } {
    switch (result.kind) {
      case 'response':
      case 'stopped':
        break;
      case 'later':
        throw this.#unavailable(`it asks to be left alone (${result.reason})`);
      case 'failed':
        throw this.#unavailable(`${result.reason}: ${result.message}`);
      case 'refused':
        // A server that sends too much for one passage may be right about the next.
        if (result.reason === 'body-too-large' || result.reason === 'decompression-bomb')
          throw new StageError('runtime', `the answer of the model is too large`, { code: 'CLAIMS_ANSWER' });
        throw new StageError('config', `${this.#url.origin} may not be asked: ${result.message}`, {
          code: 'CLAIMS_REFUSED',
          stopsStage: true,
        });
    }
    const { status, body } = result.response;
    const text = body.toString('utf8');
    if (status >= 200 && status < 300) return { kind: 'body', text };
    const reason = `${status} ${text.replaceAll(/[^\x20-\x7e\u00a0-\uffff]+/g, ' ').slice(0, MOST_REASON)}`.trim();
    if (status === 429 || status === 408 || status >= 500) throw this.#unavailable(reason);
    const wordless =
      (status === 400 || status === 422) && this.#form === 'schema' && /response_format|schema/i.test(text);
    if (wordless) return { kind: 'no-schema' };
    if (status === 400 || status === 413 || status === 422)
      throw new StageError('input', `the model server refuses a passage: ${reason}`, { code: 'CLAIMS_PASSAGE' });
    throw new StageError('config', `the model server refuses: ${reason}`, { code: 'CLAIMS_REFUSED', stopsStage: true });
  }

  #unavailable(why: string): StageError {
    return new StageError('network', `the model server at ${this.#url.origin} does not answer: ${why}`, {
      code: 'CLAIMS_UNAVAILABLE',
      retryable: false,
      stopsStage: true,
    });
  }
}

/** How many tokens a text has, about. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** An answer that is no JSON is as one without a message: there is nothing in it to read. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
