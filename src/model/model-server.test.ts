import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openLoopback } from '../testing/index.ts';
import type { ParameterVerdicts } from './index.ts';
import { ModelServer, openModelClient, readLists } from './index.ts';

const PATIENCE = {
  contact: '',
  proxy: { http: '', https: '', no: '' },
  concurrency: 1,
  perSecond: 1_000,
  timeoutMs: 60_000,
  retries: 0,
  longestWaitMs: 60_000,
};
const PROMPT = { name: 'p', version: 1, messages: [{ role: 'user', content: 'hello' }], schema: { type: 'object' } };

type Body = Readonly<Record<string, unknown>>;

/** Asks a server twice in two sessions of one program; `refuse` gives the body of a 400, or nothing to answer. */
async function bodiesOf(refuse: (body: Body) => object | undefined, status = 400): Promise<Body[]> {
  const bodies: Body[] = [];
  await using server = await openLoopback((seen, response) => {
    const body = JSON.parse(seen.body) as Body;
    bodies.push(body);
    const refusal = refuse(body);
    response.writeHead(refusal ? status : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(refusal ?? { choices: [{ message: { content: 'good' } }] }));
  });
  const url = `http://127.0.0.1:${server.port}/v1`;
  await using client = openModelClient(url, PATIENCE);
  const verdicts: ParameterVerdicts = new Map();
  for (let session = 0; session < 2; session += 1) {
    const model = new ModelServer({ url, model: 'm', apiKey: '', maxTokens: 100 }, client.send, verdicts);
    assert.equal((await model.ask(PROMPT, () => () => undefined)).content, 'good');
  }
  return bodies;
}

test('a token limit that a server refuses is sent under its newer name, and that is remembered', async () => {
  const bodies = await bodiesOf((body) =>
    'max_tokens' in body
      ? {
          error: {
            message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            type: 'invalid_request_error',
            param: 'max_tokens',
            code: 'unsupported_parameter',
          },
        }
      : undefined,
  );
  assert.deepEqual(
    bodies.map((body) => [body['max_tokens'], body['max_completion_tokens']]),
    [
      [100, undefined],
      [undefined, 100],
      [undefined, 100],
    ],
  );
});

test('refused parameters are left out one by one, whatever field of the refusal names them', async () => {
  const refusals: Readonly<Record<string, (name: string) => object>> = {
    temperature: (param) => ({ error: { message: 'Only the default (1) value is supported.', param, code: 'x' } }),
    max_tokens: (name) => ({ detail: [{ loc: ['body', name], msg: 'extra fields not permitted' }] }),
    max_completion_tokens: (param) => ({ param }),
    response_format: (name) => ({ error: { message: 'not here', param: `${name}.json_schema` } }),
    stream_options: (name) => ({ error: { param: `${name}[0]` } }),
    stream: (name) => ({ error: { param: name } }),
  };
  for (const status of [400, 422]) {
    const bodies = await bodiesOf((body) => {
      const name = Object.keys(refusals).find((each) => each in body);
      return name === undefined ? undefined : refusals[name]?.(name);
    }, status);
    assert.deepEqual(Object.keys(bodies.at(-1) ?? {}).sort(), ['messages', 'model']);
    assert.equal(bodies.length, Object.keys(refusals).length + 2, 'each refusal costs one request');
  }
});

test('a parameter that is refused in words only is found by leaving each out, and is not sent again', async () => {
  const sentIn = (body: Body | undefined): string[] =>
    Object.keys(body ?? {})
      .filter((name) => name !== 'model' && name !== 'messages')
      .sort();
  const all = ['max_tokens', 'response_format', 'stream', 'stream_options', 'temperature'];
  for (const name of ['response_format', 'stream_options', 'temperature', 'max_tokens']) {
    const bodies = await bodiesOf((body) => (name in body ? { error: 'Das geht hier nicht.' } : undefined));
    assert.ok(bodies.length <= 1 + all.length + 1, `${name}: ${bodies.length} requests`);
    const left = name === 'max_tokens' ? [...all, 'max_completion_tokens'] : all;
    assert.deepEqual(sentIn(bodies.at(-1)), left.filter((each) => each !== name).sort(), name);
    assert.deepEqual(sentIn(bodies.at(-1)), sentIn(bodies.at(-2)), 'the second session knows');
  }
  const several = await bodiesOf((body) => ('temperature' in body || 'stream' in body ? { error: 'nein' } : undefined));
  assert.deepEqual(sentIn(several.at(-1)), ['max_completion_tokens']);
});

test('a prompt is what is refused where all its parameters were accepted before', async () => {
  let requests = 0;
  await using server = await openLoopback((seen, response) => {
    requests += 1;
    const isLong = seen.body.includes('too long');
    response.writeHead(isLong ? 400 : 200, { 'content-type': 'application/json' });
    response.end(isLong ? '{"error":"context"}' : '{"choices":[{"message":{"content":"good"}}]}');
  });
  const url = `http://127.0.0.1:${server.port}/v1`;
  await using client = openModelClient(url, PATIENCE);
  const model = new ModelServer({ url, model: 'm', apiKey: '', maxTokens: 100 }, client.send);
  const long = { ...PROMPT, messages: [{ role: 'user', content: 'too long' }] };
  await assert.rejects(model.ask(long), { code: 'MODEL_PROMPT', message: /context/ });
  assert.equal(requests, 5, 'each parameter was left out once, then all');
  await model.ask(PROMPT);
  requests = 0;
  await assert.rejects(model.ask(long), { code: 'MODEL_PROMPT' });
  assert.equal(requests, 1);
});

test('a refusal that names another parameter is an error, whatever its text says', async () => {
  await assert.rejects(
    bodiesOf(() => ({ error: { param: 'messages', message: 'reduce max_tokens or temperature' } })),
    { code: 'MODEL_PROMPT' },
  );
});

test('lists are read from JSON, and complete items from JSON that was cut off', () => {
  const whole = { sentences: [{ text: 'a "[{' }, { text: 'b' }], search: ['x', 'y'] };
  const json = JSON.stringify(whole);
  assert.deepEqual(readLists(`Well: ${json} done`, ['sentences', 'search']), { lists: whole, isCut: false });
  assert.deepEqual(readLists('{"sentences": null}', ['sentences']), undefined);
  assert.deepEqual(readLists('{"sentences": []}', ['sentences', 'search'])?.lists, { sentences: [], search: [] });
  assert.deepEqual(readLists(json.slice(0, json.indexOf('"b"') + 2), ['sentences', 'search']), {
    lists: { sentences: [{ text: 'a "[{' }], search: [] },
    isCut: true,
  });
  assert.deepEqual(readLists('```json\n{"search": ["x", "y', ['sentences', 'search'])?.lists, {
    sentences: [],
    search: ['x'],
  });
  for (const content of ['', 'I cannot.', 'null', '<think>{"sentences": [{"text": "a"}, '])
    assert.equal(readLists(content, ['sentences']), undefined, content);
});
