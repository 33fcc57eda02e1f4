import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { systemClock } from './clock.ts';
import type { JsonLine } from './jsonl.ts';
import { JsonlWriter, parseJsonl, readJsonl } from './jsonl.ts';

async function collect(
  chunks: readonly (string | Buffer)[],
  options: { maxLineBytes?: number; tornTail?: 'drop' | 'keep' } = {},
): Promise<JsonLine[]> {
  async function* source(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  }
  return Array.fromAsync(parseJsonl(source(), { tornTail: 'keep', ...options }));
}

test('lines are parsed for any chunk boundaries, even inside a character', async () => {
  const bytes = Buffer.from('{"a":"ü"}\n\n  [1]\r\n"x"\n');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const lines = await collect([bytes.subarray(0, cut), bytes.subarray(cut)]);
    assert.deepEqual(lines, [
      { kind: 'good', line: 1, value: { a: 'ü' } },
      { kind: 'good', line: 3, value: [1] },
      { kind: 'good', line: 4, value: 'x' },
    ]);
  }
});

test('a bad line is reported with its number and the rest is read', async () => {
  const lines = await collect(['{"a":1}\nnope\n{"b":2}\n']);
  assert.deepEqual(
    lines.map(({ kind, line }) => [kind, line]),
    [
      ['good', 1],
      ['bad', 2],
      ['good', 3],
    ],
  );
});

test('a line that is too long is skipped without buffering it', async () => {
  const lines = await collect(['1\n', '"', 'x'.repeat(50), 'x'.repeat(50), '"\n', '2\n'], { maxLineBytes: 60 });
  assert.deepEqual(
    lines.map(({ kind, line }) => [kind, line]),
    [
      ['good', 1],
      ['bad', 2],
      ['good', 3],
    ],
  );
});

test('a leading byte order mark is ignored', async () => {
  assert.deepEqual(await collect(['\uFEFF{"a":1}']), [{ kind: 'good', line: 1, value: { a: 1 } }]);
});

test('an unterminated last line is data in hand-written files but not in our own', async () => {
  assert.equal((await collect(['1\n2'])).length, 2);
  assert.equal((await collect(['1\n2'], { tornTail: 'drop' })).length, 1);
});

test('a torn line left by a crash is cut off before the next append and never read', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-jsonl-'));
  const path = join(folder.path, 'log.jsonl');
  writeFileSync(path, `{"n":1}\n{"n":2,"text":"${'x'.repeat(200_000)}`);
  assert.deepEqual(
    (await Array.fromAsync(readJsonl(path))).map(({ line }) => line),
    [1],
  );
  {
    await using writer = await JsonlWriter.open(path, { clock: systemClock, durable: true });
    assert.equal(readFileSync(path, 'utf8'), '{"n":1}\n');
    await writer.append({ n: 3 });
    // Another writer dies in the middle of a line while this one is open.
    appendFileSync(path, '{"n":4');
    await writer.append({ n: 5 });
  }
  assert.equal(readFileSync(path, 'utf8'), '{"n":1}\n{"n":3}\n{"n":5}\n');
});

test('a file with only a torn line becomes empty', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-jsonl-'));
  const path = join(folder.path, 'log.jsonl');
  writeFileSync(path, '{"n":');
  await using _writer = await JsonlWriter.open(path, { clock: systemClock });
  assert.equal(readFileSync(path, 'utf8'), '');
});

test('several processes append to one file without torn lines', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-jsonl-'));
  const path = join(folder.path, 'log.jsonl');
  const script = `
    import { systemClock, JsonlWriter } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
    await using writer = await JsonlWriter.open(process.argv[1], { clock: systemClock });
    await Promise.all(Array.from({ length: 200 }, (_, n) => writer.append({ pid: process.pid, n, text: 'x'.repeat(n * 37) })));
  `;
  const ended = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, path], { stdio: 'inherit' });
      const [code] = (await once(child, 'exit')) as [number];
      return code;
    }),
  );
  assert.deepEqual(ended, [0, 0, 0]);
  const lines = await Array.fromAsync(readJsonl(path));
  assert.equal(lines.length, 600);
  assert.ok(lines.every(({ kind }) => kind === 'good'));
});
