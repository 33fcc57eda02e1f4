import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { ask, openSmallServer, writeSmallRun } from './small-run.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
}

interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly properties?: object } }>>;
  };
}

const GOOD: Readonly<Record<string, string>> = {
  run: 'small',
  work: 'W0',
  document: 'W0',
  job: '1',
  page: '1',
  q: 'corals',
  kind: 'work',
  node: 'W0',
  source: 'W0',
  target: 'W1',
  from: '0',
  to: 'W1',
};

const BAD = [
  '',
  '0',
  '-1',
  '99999999999999999999',
  '[]',
  '%',
  '"',
  "' OR 1=1 --",
  '../..',
  '\0',
  '\uD800',
  '<script>',
  'a'.repeat(3_000),
  '__proto__',
  '*',
  'WyJhIiwxXQ',
];

/** Encodes a value for a URL; a lone surrogate cannot be encoded. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

test('no parameter value makes the server fail', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'serve-'));
  await writeSmallRun(folder.path);
  const errors: string[] = [];
  await using server = await openSmallServer(folder.path, {
    allowControl: true,
    log: (level, message) => void (level === 'error' && errors.push(message)),
  });
  const { paths } = (await (await ask(server, '/api/v1/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  let asked = 0;
  const look = async (method: string, url: string, body?: string): Promise<void> => {
    const init = { method, ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }) };
    const response = await ask(server, `/api/v1${url}`, init);
    asked += 1;
    const type = response.headers.get('content-type') ?? '';
    assert.ok(response.status < 500, `${method} ${url}: ${response.status}`);
    if (response.status >= 400) assert.equal(type, 'application/problem+json', `${method} ${url}`);
    // A body that is read leaves its connection to the next request; a stream of events has no end.
    if (type === 'text/event-stream') await response.body?.cancel();
    else await response.arrayBuffer();
  };
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const urlWith = (changed: string | undefined, value: string): string => {
        const valueOf = (name: string): string => encoded(name === changed ? value : (GOOD[name] ?? 'x'));
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(name));
        const query = operation.parameters
          .filter((each) => each.in === 'query' && (each.required || each.name === changed))
          .map(({ name }) => `${name}=${valueOf(name)}`);
        return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
      };
      const [schema] = Object.values(operation.requestBody?.content ?? {}).map((content) => content.schema);
      if (schema) {
        const fields = Object.keys(schema.properties ?? {});
        const bodies: unknown[] = [
          null,
          [],
          7,
          'x',
          {},
          ...BAD.flatMap((bad) => fields.map((field) => ({ [field]: bad }))),
        ];
        for (const body of bodies) await look('POST', path, JSON.stringify(body));
        await look('POST', path, '{"scope":');
        continue;
      }
      for (const parameter of operation.parameters)
        for (const bad of BAD) await look(method.toUpperCase(), urlWith(parameter.name, bad));
      await look('GET', `${urlWith(undefined, '')}${path.includes('?') ? '&' : '?'}unknown=1`);
      for (const other of ['DELETE', 'PUT', 'PATCH', 'OPTIONS']) await look(other, urlWith(undefined, ''));
    }
  }
  assert.deepEqual(errors, []);
  assert.ok(asked > 500, `${asked} requests`);
});
