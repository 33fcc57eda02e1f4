import { fieldsOf, wait, type Clock } from '../../../base/index.ts';
import type { Page, ParsedDocument } from '../../document.ts';
import { readDoctags } from '../formats/doctags-reader.ts';
import type { ParseFacts } from '../formats/sidecar.ts';
import { RemoteError, requestJson } from '../../remote.ts';

type Fields = ReturnType<typeof fieldsOf>;

export interface DoclingServeOptions {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly clock: Clock;
  /** For one request; a conversion may need many. */
  readonly requestTimeoutMs?: number;
  /** For the whole conversion. */
  readonly totalTimeoutMs?: number;
}

const TOTAL_TIMEOUT_MS = 600_000;
/** How long the server may hold a poll open. */
const POLL_SECONDS = 5;
const MOST_MISSED_POLLS = 3;

/** The result of a remote engine. */
export interface RemoteResult {
  readonly document: ParsedDocument;
  readonly facts: ParseFacts;
}

/** Converts a PDF with a docling-serve server (v1): submits it, polls until it is done, and fetches the result. */
export async function convertWithDoclingServe(
  file: { readonly name: string; readonly bytes: Uint8Array },
  options: DoclingServeOptions,
  signal?: AbortSignal,
): Promise<RemoteResult> {
  const client = new DoclingClient(options, signal);
  const body = {
    options: {
      from_formats: ['pdf'],
      to_formats: ['doctags', 'json'],
      image_export_mode: 'placeholder',
      abort_on_error: true,
    },
    sources: [{ kind: 'file', base64_string: Buffer.from(file.bytes).toString('base64'), filename: file.name }],
    target: { kind: 'inbody' },
  };
  const answer = await client.convert(body);
  return { document: documentOf(answer), facts: { parse_engine: 'docling-serve' } };
}

class DoclingClient {
  readonly #options: DoclingServeOptions;
  readonly #signal: AbortSignal | undefined;
  readonly #deadline: number;

  constructor(options: DoclingServeOptions, signal: AbortSignal | undefined) {
    this.#options = options;
    this.#signal = signal;
    this.#deadline = options.clock.monotonic() + (options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS);
  }

  async convert(body: unknown): Promise<Fields> {
    const id = await this.#finished(await this.#post('/v1/convert/source/async', body));
    return checked(await this.#ask(`/v1/result/${encodeURIComponent(id)}`));
  }

  /** Polls until the task ends; returns its id. */
  async #finished(task: unknown): Promise<string> {
    let state = taskState(task);
    let missed = 0;
    while (state.status === 'pending' || state.status === 'started') {
      if (this.#options.clock.monotonic() >= this.#deadline)
        throw new RemoteError(
          'ENGINE_TIMEOUT',
          `the conversion did not end within ${this.#options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS} ms`,
          {
            category: 'timeout',
            hint: 'raise the timeout of the engine, or give the server fewer pages at once',
          },
        );
      const before = this.#options.clock.monotonic();
      try {
        state = taskState(await this.#ask(`/v1/status/poll/${encodeURIComponent(state.id)}?wait=${POLL_SECONDS}`));
        missed = 0;
      } catch (error) {
        // The conversion continues if a poll is lost; only a server that stays unreachable is given up.
        missed += 1;
        if (
          !(error instanceof RemoteError) ||
          !error.retryable ||
          error.code === 'ENGINE_TASK_LOST' ||
          missed >= MOST_MISSED_POLLS
        )
          throw error;
        await wait(this.#options.clock, error.retryAfterMs ?? 1_000, this.#signal);
      }
      // If the server does not hold polls open, wait between them.
      const spent = this.#options.clock.monotonic() - before;
      if ((state.status === 'pending' || state.status === 'started') && spent < 500)
        await wait(this.#options.clock, 500 - spent, this.#signal);
    }
    if (state.status === 'failure') throw failed(state.error, state.retryable);
    return state.id;
  }

  /** Asks about a task; one that the server has forgotten (after a restart) must be submitted again. */
  async #ask(path: string): Promise<unknown> {
    try {
      return await this.#request(path, { method: 'GET', headers: this.#headers() });
    } catch (error) {
      if (!(error instanceof RemoteError) || error.code !== 'ENGINE_NOT_FOUND') throw error;
      throw new RemoteError('ENGINE_TASK_LOST', 'docling-serve no longer knows the task', {
        category: 'network',
        cause: error,
      });
    }
  }

  #post(path: string, body: unknown): Promise<unknown> {
    return this.#request(path, {
      method: 'POST',
      headers: { ...this.#headers(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  #request(path: string, init: RequestInit): Promise<unknown> {
    return requestJson({
      url: `${this.#options.baseUrl.replace(/(?<!\/)\/+$/, '')}${path}`,
      init,
      timeoutMs: this.#options.requestTimeoutMs ?? 130_000,
      signal: this.#signal,
    });
  }

  #headers(): Record<string, string> {
    return this.#options.apiKey === undefined ? {} : { 'x-api-key': this.#options.apiKey };
  }
}

function taskState(value: unknown): { id: string; status: string; error: string; retryable: boolean } {
  const task = fieldsOf(value);
  const id = task['task_id'];
  const status = task['task_status'];
  if (typeof id !== 'string' || typeof status !== 'string') throw unexpected('a task');
  const failure = fieldsOf(task['failure']);
  const said = failure['message'] ?? task['error_message'];
  return { id, status, error: typeof said === 'string' ? said : '', retryable: failure['retryable'] === true };
}

/** The result of a conversion; throws the failure it reports instead. */
function checked(value: unknown): Fields {
  const answer = fieldsOf(value);
  if (answer['kind'] === 'TaskFailureResult' || answer['failure'] !== undefined) {
    const { message, retryable } = fieldsOf(answer['failure']);
    throw failed(typeof message === 'string' ? message : '', retryable === true);
  }
  const { status } = answer;
  if (status === 'failure' || status === 'skipped') throw failed(`${status}: ${errorsOf(answer)}`, false);
  return answer;
}

function failed(why: string, retryable: boolean): RemoteError {
  return new RemoteError(
    'ENGINE_CONVERSION_FAILED',
    `docling-serve could not convert the file: ${why === '' ? 'no reason given' : why}`,
    { category: retryable ? 'network' : 'runtime' },
  );
}

function errorsOf(answer: Fields): string {
  const errors = Array.isArray(answer['errors']) ? (answer['errors'] as unknown[]) : [];
  const said = errors.map((error) => fieldsOf(error)['error_message']).filter((message) => typeof message === 'string');
  return said.length === 0 ? 'no reason given' : said.join('; ');
}

function documentOf(answer: Fields): ParsedDocument {
  const document = fieldsOf(answer['document']);
  const doctags = document['doctags_content'];
  if (typeof doctags !== 'string' || !/<[a-z_0-9]+\/?>/.test(doctags)) throw unexpected('DocTags');
  const parsed = readDoctags(doctags, { pages: pagesOf(document['json_content']) });
  const confidence = fieldsOf(answer['confidence'])['mean_score'];
  return {
    ...parsed,
    metadata: {
      ...parsed.metadata,
      quality: {
        ...parsed.metadata.quality,
        ...(typeof confidence === 'number' && confidence >= 0 && confidence <= 1 && { confidence }),
      },
    },
  };
}

function pagesOf(json: unknown): Page[] {
  return Object.values(fieldsOf(fieldsOf(json)['pages']))
    .flatMap((value): Page[] => {
      const page = fieldsOf(value);
      const size = fieldsOf(page['size']);
      const [number, width, height] = [page['page_no'], size['width'], size['height']];
      return typeof number === 'number' && typeof width === 'number' && typeof height === 'number'
        ? [{ number, width, height }]
        : [];
    })
    .sort((a, b) => a.number - b.number);
}

function unexpected(what: string): RemoteError {
  return new RemoteError('ENGINE_ANSWER_BROKEN', `docling-serve answered without ${what}`, {
    category: 'runtime',
    hint: 'the server may speak another version of the API; v1 is needed',
  });
}
