import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemClock } from '../../../base/index.ts';
import { convertWithDoclingServe, type DoclingServeOptions } from './docling-serve.ts';
import { HeldClock, openJsonServer, sendJson } from '../../../testing/index.ts';
import type { RemoteError } from '../../remote-error.ts';

const FILE = { name: 'duck.pdf', bytes: Buffer.from('%PDF-1.4 duck') };
const DOCTAGS =
  '<doctag><section_header_level_1><loc_50><loc_50><loc_450><loc_60>Ducks</section_header_level_1>\n<text>They swim.</text>\n</doctag>';
const DONE = {
  document: {
    filename: 'duck.pdf',
    doctags_content: DOCTAGS,
    json_content: { pages: { '1': { page_no: 1, size: { width: 600, height: 800 } } } },
  },
  status: 'success',
  errors: [],
  confidence: { mean_score: 0.87 },
};

const options = (baseUrl: string, more: Partial<DoclingServeOptions> = {}): DoclingServeOptions => ({
  baseUrl,
  clock: systemClock,
  ...more,
});
const fails = (code: string, category: string, retryable: boolean) => (error: RemoteError) => {
  assert.deepEqual([error.code, error.category, error.retryable], [code, category, retryable]);
  return true;
};

test('a file is submitted, polled and fetched once', async () => {
  let polls = 0;
  await using server = await openJsonServer(({ path }, response) => {
    if (path === '/v1/convert/source/async') sendJson(response, 200, { task_id: 't/1', task_status: 'pending' });
    else if (path.startsWith('/v1/status/poll/t%2F1?wait='))
      sendJson(response, 200, { task_id: 't/1', task_status: (polls += 1) < 2 ? 'started' : 'success' });
    else if (path === '/v1/result/t%2F1') sendJson(response, 200, DONE);
    else sendJson(response, 500, {});
  });
  const { document, facts } = await convertWithDoclingServe(FILE, options(`${server.url}/`, { apiKey: 'secret' }));
  assert.deepEqual(facts, { parse_engine: 'docling-serve' });
  assert.deepEqual(
    document.blocks.map((block) => [block.kind, block.text]),
    [
      ['heading', 'Ducks'],
      ['text', 'They swim.'],
    ],
  );
  assert.deepEqual(document.blocks[0]?.regions, [{ page: 1, box: { left: 60, top: 80, right: 540, bottom: 96 } }]);
  assert.equal(document.metadata.quality.confidence, 0.87);
  const [first] = server.received;
  const body = first?.body as { options: Record<string, unknown>; sources: Record<string, unknown>[]; target: unknown };
  assert.equal(first?.headers['x-api-key'], 'secret');
  assert.deepEqual(body.target, { kind: 'inbody' });
  assert.deepEqual(body.options['to_formats'], ['doctags', 'json']);
  assert.equal(Buffer.from(String(body.sources[0]?.['base64_string']), 'base64').toString(), '%PDF-1.4 duck');
  assert.equal(server.received.length, 4);
});

for (const [name, status, code, category, retryable] of [
  ['a wrong key', 401, 'ENGINE_REFUSED', 'config', false],
  ['a file it does not take', 422, 'ENGINE_REJECTED_INPUT', 'input', false],
  ['too many requests', 429, 'ENGINE_FAILED', 'network', true],
  ['an overloaded server', 503, 'ENGINE_FAILED', 'network', true],
  ['a gateway that gave up', 504, 'ENGINE_FAILED', 'network', true],
] as const)
  test(`${name} is ${retryable ? 'retryable' : 'final'}`, async () => {
    await using server = await openJsonServer((_request, response) =>
      sendJson(response, status, { detail: 'no' }, { 'retry-after': '7' }),
    );
    await assert.rejects(convertWithDoclingServe(FILE, options(server.url)), (error: RemoteError) => {
      if (retryable) assert.equal(error.retryAfterMs, 7_000);
      return fails(code, category, retryable)(error);
    });
  });

test('a failed task is reported with its reason and whether it is retryable', async () => {
  for (const retryable of [true, false]) {
    await using server = await openJsonServer(({ path }, response) =>
      path.endsWith('/async')
        ? sendJson(response, 200, { task_id: 'a', task_status: 'success' })
        : sendJson(response, 200, {
            kind: 'TaskFailureResult',
            failure: { category: 'x', message: 'out of ducks', retryable },
          }),
    );
    await assert.rejects(convertWithDoclingServe(FILE, options(server.url)), (error: RemoteError) => {
      assert.match(error.message, /out of ducks/);
      return fails('ENGINE_CONVERSION_FAILED', retryable ? 'network' : 'runtime', retryable)(error);
    });
  }
  await using server = await openJsonServer((_request, response) =>
    sendJson(response, 200, { task_id: 'a', task_status: 'failure', error_message: 'bad page' }),
  );
  await assert.rejects(convertWithDoclingServe(FILE, options(server.url)), /bad page/);
});

test('a failed poll is repeated, a lost task has to be submitted again', async () => {
  const clock = new HeldClock();
  let polls = 0;
  await using flaky = await openJsonServer(({ path }, response) => {
    if (path.endsWith('/async')) sendJson(response, 200, { task_id: 'a', task_status: 'started' });
    else if (path.startsWith('/v1/result')) sendJson(response, 200, DONE);
    else if ((polls += 1) === 1) sendJson(response, 503, {});
    else sendJson(response, 200, { task_id: 'a', task_status: 'success' });
  });
  const running = convertWithDoclingServe(FILE, options(flaky.url, { clock }));
  const polled = (): number => polls;
  while (polled() === 0) await new Promise(setImmediate);
  while (polled() === 1) await clock.advance(100);
  assert.equal((await running).document.blocks.length, 2);
  await using forgetful = await openJsonServer(({ path }, response) =>
    path.endsWith('/async')
      ? sendJson(response, 200, { task_id: 'a', task_status: 'success' })
      : sendJson(response, 404, {}),
  );
  await assert.rejects(
    convertWithDoclingServe(FILE, options(forgetful.url)),
    fails('ENGINE_TASK_LOST', 'network', true),
  );
});

test('malformed, empty and failed responses are separate errors', async () => {
  await using html = await openJsonServer(
    (_request, response) => void response.writeHead(200).end('<html>proxy</html>'),
  );
  await assert.rejects(
    convertWithDoclingServe(FILE, options(html.url)),
    fails('ENGINE_ANSWER_BROKEN', 'network', true),
  );
  await using empty = await openJsonServer(({ path }, response) =>
    sendJson(
      response,
      200,
      path.endsWith('/async')
        ? { task_id: 'a', task_status: 'success' }
        : { ...DONE, document: { doctags_content: null } },
    ),
  );
  await assert.rejects(
    convertWithDoclingServe(FILE, options(empty.url)),
    fails('ENGINE_ANSWER_BROKEN', 'runtime', false),
  );
  await using failure = await openJsonServer(({ path }, response) =>
    sendJson(
      response,
      200,
      path.endsWith('/async')
        ? { task_id: 'a', task_status: 'success' }
        : { document: {}, status: 'failure', errors: [{ error_message: 'encrypted' }] },
    ),
  );
  await assert.rejects(convertWithDoclingServe(FILE, options(failure.url)), /encrypted/);
});

test('a server that is down, closes the connection or does not respond is a network or timeout error', async () => {
  const gone = await openJsonServer(() => undefined);
  await gone[Symbol.asyncDispose]();
  await assert.rejects(convertWithDoclingServe(FILE, options(gone.url)), fails('ENGINE_UNREACHABLE', 'network', true));
  await using cut = await openJsonServer((_request, response) => void response.socket?.destroy());
  await assert.rejects(convertWithDoclingServe(FILE, options(cut.url)), fails('ENGINE_UNREACHABLE', 'network', true));
  await using silent = await openJsonServer(() => undefined);
  await assert.rejects(
    convertWithDoclingServe(FILE, options(silent.url, { requestTimeoutMs: 50 })),
    fails('ENGINE_TIMEOUT', 'timeout', true),
  );
});

test('redirects are not followed, so the key is not sent elsewhere', async () => {
  await using other = await openJsonServer((_request, response) => sendJson(response, 200, {}));
  await using server = await openJsonServer(
    (_request, response) => void response.writeHead(307, { location: other.url }).end(),
  );
  await assert.rejects(convertWithDoclingServe(FILE, options(server.url, { apiKey: 'secret' })), {
    code: 'ENGINE_NOT_FOUND',
    message: /redirects/,
  });
  assert.equal(server.received.length, 1);
  assert.equal(other.received.length, 0);
});

test('a task that never ends is given up; an aborted one ends at once', async () => {
  await using server = await openJsonServer((_request, response) =>
    sendJson(response, 200, { task_id: 'a', task_status: 'started' }),
  );
  await assert.rejects(
    convertWithDoclingServe(FILE, options(server.url, { totalTimeoutMs: 0 })),
    fails('ENGINE_TIMEOUT', 'timeout', false),
  );
  const controller = new AbortController();
  controller.abort(new Error('stopped'));
  await assert.rejects(convertWithDoclingServe(FILE, options(server.url), controller.signal), /stopped/);
});
