import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { Received } from '../../../testing/index.ts';
import { HeldClock, openJsonServer, sendJson } from '../../../testing/index.ts';
import { systemClock } from '../../../base/index.ts';
import type { Block, ParsedDocument } from '../../document.ts';
import type { RemoteError } from '../../remote-error.ts';
import type { VlmOptions } from './vlm.ts';
import { convertWithVlm, cutRepetition } from './vlm.ts';

const PNG = Buffer.from('\x89PNG');
const draw = (): Promise<Uint8Array> => Promise.resolve(PNG);
/** A document with this many pages, as parsed by the built-in engine. */
const pages = (count: number, blocks: readonly Block[] = []): ParsedDocument => ({
  pages: Array.from({ length: count }, (_, index) => ({ number: index + 1, width: 600, height: 800 })),
  blocks,
  metadata: { title: 'T', authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } },
});
const chat = (content: string, finish = 'stop') => ({ choices: [{ message: { content }, finish_reason: finish }] });

/** A server that lists its model and responds to pages with `answer`. */
const openModel = (answer: (request: Received, response: ServerResponse, number: number) => void) => {
  let number = 0;
  return openJsonServer((request, response) => {
    if (request.path === '/v1/models') sendJson(response, 200, { data: [{ id: 'granite-docling-258M' }] });
    else if (request.path === '/version') sendJson(response, 200, { version: '0.11.0' });
    else answer(request, response, (number += 1));
  });
};
const options = (url: string, more: Partial<VlmOptions> = {}): VlmOptions => ({
  baseUrl: `${url}/v1`,
  clock: systemClock,
  ...more,
});

test('each page is sent to the model, and the responses are joined in order', async () => {
  await using server = await openModel(({ body }, response, number) => {
    const request = body as { messages: { content: { type: string; image_url?: { url: string } }[] }[] };
    assert.equal(request.messages[0]?.content[0]?.image_url?.url, `data:image/png;base64,${PNG.toString('base64')}`);
    sendJson(
      response,
      200,
      chat(
        `<doctag><section_header_level_1><loc_50><loc_50><loc_450><loc_60>Page ${number}</section_header_level_1><picture><caption>c</caption></picture><|end_of_text|>`,
      ),
    );
  });
  const { document, facts } = await convertWithVlm(
    pages(2),
    draw,
    options(server.url, { concurrency: 1, apiKey: 'k' }),
  );
  assert.deepEqual(facts, {
    parse_engine: 'docling-vlm',
    model_name: 'ibm-granite/granite-docling-258M',
    served_models: ['granite-docling-258M'],
    vllm_version: '0.11.0',
  });
  assert.deepEqual(
    document.blocks.map((block) => [block.order, block.kind, block.text, block.parent, block.regions[0]?.page]),
    [
      [0, 'heading', 'Page 1', undefined, 1],
      [1, 'picture', '', undefined, undefined],
      [2, 'caption', 'c', 1, undefined],
      [3, 'heading', 'Page 2', undefined, 2],
      [4, 'picture', '', undefined, undefined],
      [5, 'caption', 'c', 4, undefined],
    ],
  );
  assert.deepEqual(document.blocks[0]?.regions[0]?.box, { left: 60, top: 80, right: 540, bottom: 96 });
  const requests = server.received.filter(({ path }) => path === '/v1/chat/completions');
  const body = requests[0]?.body as Record<string, unknown>;
  assert.equal(requests[0]?.headers.authorization, 'Bearer k');
  assert.deepEqual(
    [body['temperature'], body['max_tokens'], body['skip_special_tokens'], body['stop']],
    [0, 4096, false, ['</doctag>', '<|end_of_text|>']],
  );
});

test('an endless repetition is cut and the page is kept', async () => {
  await using server = await openModel((_request, response) =>
    sendJson(response, 200, chat(`<doctag><otsl><fcel>a<nl>${'<fcel>x<nl>'.repeat(60)}`, 'length')),
  );
  const { document } = await convertWithVlm(pages(1), draw, options(server.url));
  const [block] = document.blocks;
  assert.equal(block?.kind === 'table' && block.table.rows, 2);
});

test('an unusable page, and only that page, falls back to the embedded engine', async () => {
  const embedded: Block[] = [
    { order: 40, kind: 'text', text: 'embedded', regions: [] },
    { order: 42, parent: 40, kind: 'caption', text: 'of it', regions: [] },
  ];
  for (const bad of [chat('I cannot read this page.'), chat('<doctag><text>half a', 'length')]) {
    await using server = await openModel((_request, response, number) =>
      sendJson(response, 200, number === 2 ? chat('<text>model</text>') : bad),
    );
    const { document } = await convertWithVlm(pages(2, embedded), draw, options(server.url, { concurrency: 1 }));
    assert.equal(document.metadata.title, 'T');
    assert.deepEqual(
      document.blocks.map((block) => [block.order, block.text, block.parent]),
      [
        [0, 'embedded', undefined],
        [1, 'of it', 0],
        [2, 'model', undefined],
      ],
    );
  }
});

test('a busy server is retried after its Retry-After time', async () => {
  const clock = new HeldClock();
  await using server = await openModel((_request, response, number) =>
    number === 1
      ? sendJson(response, 503, {}, { 'retry-after': '30' })
      : sendJson(response, 200, chat('<text>now</text>')),
  );
  const running = convertWithVlm(pages(1), draw, options(server.url, { clock }));
  const asked = (): number => server.received.filter(({ path }) => path === '/v1/chat/completions').length;
  while (asked() === 0) await new Promise(setImmediate);
  await clock.advance(29_000);
  assert.equal(asked(), 1);
  while (asked() === 1) await clock.advance(1_000);
  const { document } = await running;
  assert.equal(document.blocks[0]?.text, 'now');
});

test('a refusal of the server fails the document at once', async () => {
  await using server = await openModel((_request, response) => sendJson(response, 401, {}));
  await assert.rejects(
    convertWithVlm(pages(3), draw, options(server.url)),
    (error: RemoteError) => error.code === 'ENGINE_REFUSED' && error.category === 'config' && !error.retryable,
  );
});

test('a server without version and model list can be used', async () => {
  await using server = await openJsonServer((request, response) =>
    request.path === '/v1/chat/completions'
      ? sendJson(response, 200, chat('<text>x</text>'))
      : sendJson(response, 404, {}),
  );
  const { facts } = await convertWithVlm(pages(1), draw, options(server.url, { model: 'own' }));
  assert.deepEqual(facts, { parse_engine: 'docling-vlm', model_name: 'own' });
});

test('an endlessly repeated tail is cut to one copy', () => {
  const start = '<otsl><fcel>a<fcel>b<nl>';
  assert.equal(cutRepetition(start + '<ecel>'.repeat(500)), `${start}<ecel>`);
  assert.equal(cutRepetition(`Text. ${'The duck swims on. '.repeat(40)}`), 'Text. The duck swims on. ');
});

test('text with few repetitions is unchanged', () => {
  assert.equal(cutRepetition('<otsl><fcel>a<ecel><ecel><ecel><nl>'), undefined);
  assert.equal(cutRepetition(`a line\n${' '.repeat(500)}`), undefined);
  assert.equal(cutRepetition('ha '.repeat(11)), undefined);
});
