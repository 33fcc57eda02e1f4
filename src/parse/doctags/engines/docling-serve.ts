import { fieldsOf, wait, type Clock } from '../../../base/index.ts';
import type { Page, ParsedDocument } from '../../document.ts';
import { readDoctags } from '../formats/doctags-reader.ts';
import type { ParseFacts } from '../formats/sidecar.ts';
import type { ProxySettings } from '../../../http/index.ts';
import { Secret } from '../../../http/index.ts';
import { RemoteError } from '../../remote-error.ts';
import { RemoteServer } from '../../remote.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface DoclingServeOptions {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly clock: Clock;
  /** For one request; a conversion may need many. */
  readonly requestTimeoutMs?: number;
  /** For the whole conversion. */
  readonly totalTimeoutMs?: number;
  readonly proxy?: ProxySettings | undefined;
}

const TOTAL_TIMEOUT_MS = 600_000;
/** How long the server may hold a poll open. */
const POLL_SECONDS = 5;
const RETRIES = 2;

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
  const { clock, totalTimeoutMs = TOTAL_TIMEOUT_MS } = options;
  await using server = openServer(options);
  const deadline = clock.monotonic() + totalTimeoutMs;
  const isOpen = ({ status }: Task): boolean => status === 'pending' || status === 'started';
  let task = taskOf(
    await server.ask(
      '/v1/convert/source/async',
      {
        body: {
          options: {
            from_formats: ['pdf'],
            to_formats: ['doctags', 'json'],
            image_export_mode: 'placeholder',
            abort_on_error: true,
          },
          sources: [{ kind: 'file', base64_string: Buffer.from(file.bytes).toString('base64'), filename: file.name }],
          target: { kind: 'inbody' },
        },
      },
      signal,
    ),
  );
  const id = encodeURIComponent(task.id);
  while (isOpen(task)) {
    const before = clock.monotonic();
    if (before >= deadline)
      throw new RemoteError('ENGINE_TIMEOUT', `the conversion did not end within ${totalTimeoutMs} ms`, {
        category: 'timeout',
        hint: 'raise the timeout of the engine, or give the server fewer pages at once',
      });
    task = taskOf(await ask(server, signal, `/v1/status/poll/${id}?wait=${POLL_SECONDS}`));
    // If the server does not hold polls open, wait between them.
    const spent = clock.monotonic() - before;
    if (isOpen(task) && spent < 500) await wait(clock, 500 - spent, signal);
  }
  if (task.status === 'failure') throw failed(task.error, task.retryable);
  const answer = checked(await ask(server, signal, `/v1/result/${id}`));
  return { document: documentOf(answer), facts: { parse_engine: 'docling-serve' } };
}

function openServer({ baseUrl, apiKey, requestTimeoutMs, proxy, clock }: DoclingServeOptions): RemoteServer {
  return new RemoteServer({
    baseUrl,
    credential: apiKey === undefined ? undefined : { name: 'x-api-key', secret: new Secret(apiKey) },
    timeoutMs: requestTimeoutMs ?? 130_000,
    // The conversion continues if a poll is lost; only a server that stays unreachable is given up.
    retries: RETRIES,
    proxy,
    clock,
  });
}

/** Asks about a task; one that the server has forgotten (after a restart) must be submitted again. */
async function ask(server: RemoteServer, signal: AbortSignal | undefined, path: string): Promise<unknown> {
  try {
    return await server.ask(path, {}, signal);
  } catch (error) {
    if (!(error instanceof RemoteError) || error.code !== 'ENGINE_NOT_FOUND') throw error;
    throw new RemoteError('ENGINE_TASK_LOST', 'docling-serve no longer knows the task', {
      category: 'network',
      cause: error,
    });
  }
}

interface Task {
  readonly id: string;
  readonly status: string;
  readonly error: string;
  readonly retryable: boolean;
}

function taskOf(value: unknown): Task {
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
