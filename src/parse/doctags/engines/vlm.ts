import { fieldsOf, forEachOf, type Clock } from '../../../base/index.ts';
import type { ProxySettings } from '../../../http/index.ts';
import type { Block, Page, ParsedDocument } from '../../document.ts';
import { readDoctags } from '../formats/doctags-reader.ts';
import type { RemoteResult } from './docling-serve.ts';
import { RemoteError } from '../../remote-error.ts';
import { bearer, RemoteServer } from '../../remote.ts';

export interface VlmOptions {
  readonly baseUrl: string;
  readonly model?: string;
  readonly apiKey?: string;
  readonly prompt?: string;
  /** Dots per inch of the page images; 144 by default. */
  readonly dpi?: number;
  readonly concurrency?: number;
  readonly requestTimeoutMs?: number;
  readonly proxy?: ProxySettings | undefined;
  readonly clock: Clock;
}

const MODEL = 'ibm-granite/granite-docling-258M';
const MAX_TOKENS = 4_096;
const RETRIES = 4;

/** The built-in engine reads pages that the model cannot, and the metadata: identifiers need exact text. */
export async function convertWithVlm(
  embedded: ParsedDocument,
  draw: (page: number) => Promise<Uint8Array>,
  options: VlmOptions,
  signal?: AbortSignal,
): Promise<RemoteResult> {
  const { pages, metadata } = embedded;
  await using server = openServer(options);
  const served = await servedModels(server, signal);
  const answers: (readonly Block[])[] = [];
  await forEachOf(
    pages.entries(),
    options.concurrency ?? 4,
    async ([index, page], stop) => {
      answers[index] =
        (await askModel(server, page, questionOf(await draw(page.number), options), stop)) ??
        embedded.blocks.filter((block) => (block.regions[0]?.page ?? 1) === page.number);
    },
    signal,
  );
  const blocks = joined(answers);
  const title = blocks.find((block) => block.kind === 'title') ?? blocks.find((block) => block.kind === 'heading');
  return {
    document: { pages, blocks, metadata: { ...metadata, ...(title && { title: title.text }) } },
    facts: {
      parse_engine: 'docling-vlm',
      model_name: options.model ?? MODEL,
      ...(served.models.length > 0 && { served_models: served.models }),
      ...(served.version !== undefined && { vllm_version: served.version }),
    },
  };
}

function openServer({ baseUrl, apiKey, requestTimeoutMs, proxy, clock }: VlmOptions): RemoteServer {
  const timeoutMs = requestTimeoutMs ?? 90_000;
  return new RemoteServer({ baseUrl, credential: bearer(apiKey), timeoutMs, retries: RETRIES, proxy, clock });
}

function questionOf(image: Uint8Array, options: VlmOptions): object {
  const png = Buffer.from(image).toString('base64');
  return {
    model: options.model ?? MODEL,
    temperature: 0,
    max_tokens: MAX_TOKENS,
    // Otherwise vLLM drops the tags of the answer.
    skip_special_tokens: false,
    stop: ['</doctag>', '<|end_of_text|>'],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          { type: 'text', text: options.prompt ?? 'Convert this page to docling.' },
        ],
      },
    ],
  };
}

/** The blocks of a page; undefined if the model cannot read it. */
async function askModel(
  server: RemoteServer,
  page: Page,
  question: object,
  signal: AbortSignal,
): Promise<readonly Block[] | undefined> {
  const answer = await server.ask('/chat/completions', { body: question, repeatable: true }, signal);
  const { content, finished } = choice(answer);
  const text = content.replaceAll('<|end_of_text|>', '');
  const whole = finished ? text : cutRepetition(text);
  if (whole === undefined || !ELEMENT.test(whole)) return undefined;
  const { blocks } = readDoctags(whole, { pages: [{ ...page, number: 1 }] });
  return blocks.map((block) => ({
    ...block,
    regions: block.regions.map((region) => ({ ...region, page: page.number })),
  }));
}

const ELEMENT =
  /<(?:text|title|section_header_level_\d|otsl|picture|list_item|code|formula|page_header|page_footer|caption|footnote)/;

function choice(answer: unknown): { content: string; finished: boolean } {
  const { choices } = fieldsOf(answer);
  const { message, finish_reason: reason } = fieldsOf(Array.isArray(choices) ? choices[0] : undefined);
  const { content } = fieldsOf(message);
  if (typeof content !== 'string')
    throw new RemoteError('ENGINE_ANSWER_BROKEN', 'the model server answered without a message', {
      category: 'runtime',
    });
  return { content, finished: reason !== 'length' };
}

/** The models that the server lists; servers without a list are used anyway. */
async function servedModels(
  server: RemoteServer,
  signal: AbortSignal | undefined,
): Promise<{ models: string[]; version?: string }> {
  const ask = async (path: string): Promise<unknown> => {
    try {
      // Not repeated: a server that is not there is reported at once.
      return await server.ask(path, { repeatable: false }, signal);
    } catch (error) {
      if (error instanceof RemoteError && (error.code === 'ENGINE_NOT_FOUND' || error.code === 'ENGINE_ANSWER_BROKEN'))
        return undefined;
      throw error;
    }
  };
  const { data } = fieldsOf(await ask('/models'));
  const { version } = fieldsOf(await ask('/../version'));
  const models = Array.isArray(data)
    ? data.map((model) => fieldsOf(model)['id']).filter((id) => typeof id === 'string')
    : [];
  return { models, ...(typeof version === 'string' && { version }) };
}

/** Joins pages and renumbers their blocks, including references to parents. */
function joined(answers: readonly (readonly Block[])[]): Block[] {
  const blocks: Block[] = [];
  for (const answer of answers) {
    // Blocks of the built-in engine have numbers of the whole document.
    const orders = new Map(answer.map((block, index) => [block.order, blocks.length + index]));
    for (const { parent, ...block } of answer) {
      const owner = parent === undefined ? undefined : orders.get(parent);
      blocks.push({
        ...block,
        order: orders.get(block.order) ?? blocks.length,
        ...(owner !== undefined && { parent: owner }),
      });
    }
  }
  return blocks;
}

const LONGEST_PERIOD = 400;
const MOST_REPEATS = 12;

/** Cuts endless repetition off the end of generated text; one copy stays. Undefined if there is none. */
export function cutRepetition(text: string): string | undefined {
  for (let period = 1; period <= Math.min(LONGEST_PERIOD, Math.floor(text.length / MOST_REPEATS)); period += 1) {
    const unit = text.slice(-period);
    if (unit.trim() === '') continue;
    let repeats = 1;
    let at = text.length - period;
    while (at >= period && text.startsWith(unit, at - period)) {
      at -= period;
      repeats += 1;
    }
    // A single letter or short token may legitimately repeat a few times; only a long run is a fault.
    if (repeats >= MOST_REPEATS && repeats * period >= 200) return text.slice(0, at + period);
  }
  return undefined;
}
