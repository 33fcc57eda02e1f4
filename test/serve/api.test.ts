import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as z from 'zod';

import type { CorpusServer } from '../../src/serve/index.ts';
import { ask, openSmallServer, writeSmallRun } from './small-run.ts';

type Json = Record<string, unknown>;

async function json<T = Json>(server: CorpusServer, path: string): Promise<T> {
  const response = await ask(server, `/api/v1${path}`);
  assert.equal(response.status, 200, `${path}: ${response.status}`);
  return (await response.json()) as T;
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Json }>> }>
  >;
}

/** A validator for a schema of the document. */
function shapeOf(schema: Json, components: Json): z.ZodType {
  const whole = JSON.stringify({ ...schema, $defs: components['schemas'] });
  const text = whole.replaceAll('"#/components/schemas/', '"#/$defs/');
  return z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]);
}

test('an answer over HTTP has quotes with their passage; unknown works are refused, and a disconnect stops it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  await using server = await openSmallServer(folder.path);
  const path = '/api/v1/runs/small/ask?question=when+do+corals+bleach';
  const { sentences, model } = (await (await ask(server, path)).json()) as {
    sentences: { text: string; quotes: { text: string; page: number; passage: string }[] }[];
    model: null;
  };
  assert.equal(model, null);
  assert.equal(sentences[0]?.text, 'Corals bleach when it is hot for long.');
  assert.deepEqual([sentences[0].quotes[0]?.text, sentences[0].quotes[0]?.page], [sentences[0].text, 1]);
  assert.equal((await ask(server, `${path}&works=nothing`)).status, 400);
  const none = (await (await ask(server, `${path}&works=year:1990`)).json()) as { sentences: unknown[] };
  assert.deepEqual(none.sentences, []);
  await assert.rejects(ask(server, path, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('the error for an invalid number names the parameter and its limit', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  await using server = await openSmallServer(folder.path);
  const refusal = async (limit: string): Promise<unknown> => {
    const response = await ask(server, `/api/v1/runs/small/works?limit=${limit}`);
    assert.equal(response.status, 400);
    return ((await response.json()) as { detail: string }).detail;
  };
  assert.match(String(await refusal('-1')), /^limit: Too small: expected number to be >=1$/);
  assert.match(String(await refusal('0')), /^limit: Too small/);
  assert.match(String(await refusal('many')), /^limit: Invalid input: expected number, received string$/);
});

test('every route is in the OpenAPI document, and its responses match it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  await using server = await openSmallServer(folder.path, { allowControl: true });
  const filled = await ask(server, '/api/v1/runs/small/tables', {
    method: 'POST',
    body: JSON.stringify({ columns: ['year', 'corals', 'dose:number:mg'] }),
    headers: { 'content-type': 'application/json' },
  });
  const table = (JSON.parse((await filled.text()).trim().split('\n').at(-1) ?? '') as { table: string }).table;
  const document = await json<{ paths: Record<string, Record<string, Operation>>; components: Json }>(
    server,
    '/openapi.json',
  );
  const examples: Record<string, string> = {
    run: 'small',
    work: 'W0',
    document: 'W0',
    job: '1',
    question: 'corals',
    ask: 'stats',
    kind: 'work',
    node: 'W0',
    source: 'W0',
    target: 'W1',
    from: 'W0',
    to: 'W1',
    page: '1',
    by: 'ada',
    table,
  };
  let validated = 0;
  for (const [path, operations] of Object.entries(document.paths)) {
    const operation = operations['get'];
    const answer = operation?.responses['200']?.content['application/json'];
    if (!operation || !answer) continue;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => examples[name] ?? '');
    const query = operation.parameters
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name }) => `${name}=${(path.endsWith('/evidence') && name === 'kind' ? 'cites' : examples[name]) ?? ''}`);
    const response = await ask(server, `/api/v1${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`);
    const body: unknown = await response.json();
    // A run without a graph, and a page of a file that is no PDF, are answered with a problem.
    const isMissing = path.includes('/graph') || path.endsWith('/pages/{page}/text');
    assert.equal(response.status, isMissing ? 404 : 200, `${path}: ${JSON.stringify(body)}`);
    const schema = isMissing ? { $ref: '#/components/schemas/Problem' } : answer.schema;
    const shape = shapeOf(schema, document.components);
    const result = shape.safeParse(body);
    assert.ok(result.success, `${path}: ${result.success ? '' : result.error.message}`);
    validated += 1;
  }
  assert.ok(validated >= 24, `${validated} responses were validated`);
});
