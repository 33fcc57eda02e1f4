import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Key } from './keys.ts';
import { listKeys } from './keys.ts';
import { merge } from './layers.ts';
import { plainConfig } from './load.ts';
import { configSchema } from './schema.ts';

const keys = listKeys();
const table = { sources: '', keys, defaults: configSchema.parse({}) };

/** Values of every kind, those of other keys too, and those around the bounds of a key. */
const ANY: readonly unknown[] = [
  '',
  ' ',
  ' A ',
  'true',
  '1',
  'sqlite',
  'https://host.example/',
  'x'.repeat(300),
  true,
  null,
  undefined,
  0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e300,
  2 ** 53,
  [],
  ['pdf'],
  {},
  { a: 1 },
];
const around = (bound: number): number[] => [bound - 1, bound - 0.5, bound, bound + 0.5, bound + 1];

function probesOf({ plain, choices }: Key): readonly unknown[] {
  return [...ANY, ...choices, ...(plain?.kind === 'number' ? [...around(plain.min), ...around(plain.max)] : [])];
}

test('a value that is plainly good is one that the schema takes as it is', () => {
  const wrong = keys.flatMap((key) =>
    probesOf(key).flatMap((value) => {
      const { value: set, settings } = merge([[{ path: key.path, value, origin: 'test' }]]);
      const quick = plainConfig(table, settings);
      if (!quick) return [];
      const parsed = configSchema.safeParse(set, { jitless: true });
      try {
        assert.deepEqual(quick, parsed.data);
        return [];
      } catch {
        return [{ name: key.name, value }];
      }
    }),
  );
  assert.deepEqual(wrong, []);
});

test('settings that people make most are plainly good, a rule between settings needs the schema', () => {
  const quick = (name: string, value: unknown): unknown =>
    plainConfig(table, merge([[{ path: name.split('.'), value, origin: 'test' }]]).settings);
  assert.deepEqual(quick('queue.path', 'q.sqlite'), configSchema.parse({ queue: { path: 'q.sqlite' } }));
  assert.deepEqual(quick('http.contact', 'a@b.example'), configSchema.parse({ http: { contact: 'a@b.example' } }));
  assert.equal(quick('orchestrator.heartbeat_seconds', 100), undefined);
  assert.equal(quick('queue.paht', 'q.sqlite'), undefined);
  assert.equal(quick('queue', {}), undefined);
});

test('settings that are plainly good are read without the schema', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const read = [];
    registerHooks({ load: (url, context, next) => (read.push(url), next(url, context)) });
    const { loadConfig } = await import(${JSON.stringify(join(import.meta.dirname, 'loading', 'index.ts'))});
    const environment = { DOCSTOKG_HTTP__CONTACT: 'a@b.example' };
    console.log(loadConfig({ environment, folder: '/' }).config.http.contact, read.some((url) => url.includes('zod')));
    loadConfig({ environment: { DOCSTOKG_HTTP__ALLOW: 'a,b' }, folder: '/' });
    console.log(read.some((url) => url.includes('zod')));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(stdout, 'a@b.example false\ntrue\n', stderr);
});
