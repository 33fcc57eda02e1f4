import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';

import { HeldClock } from '../testing/index.ts';
import { partPath, removeDeadParts, writeFileAtomic, writeOwnFile } from './files.ts';
import { backoffDelay, systemClock, wait } from './clock.ts';
import { AppError, errorInfo } from './errors.ts';
import { FileLock } from './file-lock.ts';
import { canonicalJson, sha256 } from './hash.ts';
import { hostKey } from './host-key.ts';
import { forEachOf, oncePer } from './once-per.ts';

test('equal jitter is at least half of the doubled delay, up to the cap', () => {
  const delays = (random: number) =>
    [1, 2, 3, 10, 5_000].map((attempt) => backoffDelay(attempt, { baseMs: 100, capMs: 1_000, random: () => random }));
  assert.deepEqual(delays(0), [50, 100, 200, 500, 500]);
  assert.deepEqual(delays(1), [100, 200, 400, 1_000, 1_000]);
});

test('additive jitter is added to the doubled delay', () => {
  assert.equal(backoffDelay(3, { baseMs: 60, jitterMs: 15, capMs: 1e9, random: () => 0 }), 240);
  assert.equal(backoffDelay(3, { baseMs: 60, jitterMs: 15, capMs: 100, random: () => 1 }), 115);
});

test('every spelling of a host has the same key', () => {
  const same: Record<string, readonly string[]> = {
    'example.org': [
      'http://EXAMPLE.org',
      'https://example.org:443/x',
      'http://example.org:80',
      'https://user:secret@example.org/',
      'https://example.org./',
    ],
    'example.org:8080': ['http://example.org:8080/', 'https://Example.ORG:8080'],
    'xn--bcher-kva.example': ['https://bücher.example/', 'https://BÜCHER.example', 'https://xn--bcher-kva.example'],
    '[2001:db8::1]': ['http://[2001:DB8:0:0:0:0:0:1]/', 'http://[2001:db8::0001]:80'],
    '127.0.0.1': ['http://0x7f.1/', 'http://2130706433/', 'http://127.0.0.1'],
  };
  for (const [key, urls] of Object.entries(same)) for (const url of urls) assert.equal(hostKey(url), key, url);
  for (const url of ['', 'example.org', '/path', 'mailto:a@b.org'])
    assert.throws(() => hostKey(url), { code: 'URL_WITHOUT_HOST' });
});

test('equal values have equal canonical JSON', () => {
  assert.equal(canonicalJson({ b: [{ d: 1, c: 2 }], a: null }), '{"a":null,"b":[{"c":2,"d":1}]}');
  assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('any thrown value has a code and a message', () => {
  assert.deepEqual(errorInfo(new AppError('A_CODE', 'what happened')), { code: 'A_CODE', message: 'what happened' });
  assert.deepEqual(errorInfo(new TypeError('no'), 'FALLBACK'), { code: 'FALLBACK', message: 'no' });
  assert.deepEqual(errorInfo('just text'), { code: 'UNEXPECTED', message: 'just text' });
  assert.deepEqual(errorInfo(undefined), { code: 'UNEXPECTED', message: 'undefined' });
});

test('a wait ends with the clock or its signal', async () => {
  const clock = new HeldClock();
  let ended = false;
  const waiting = wait(clock, 1_000).then(() => (ended = true));
  await clock.advance(999);
  assert.equal(ended, false);
  await clock.advance(1);
  await waiting;
  const stop = new AbortController();
  const stopped = wait(clock, 1_000, stop.signal);
  stop.abort(new Error('stop'));
  await assert.rejects(stopped, /stop/);
  assert.equal(clock.pending, 0);
});

test('a wait of a month does not fire immediately', () => {
  let fired = false;
  const timer = systemClock.setTimer(2 ** 31 + 5, () => (fired = true));
  timer[Symbol.dispose]();
  assert.equal(fired, false);
});

test('an atomically written file is complete and leaves no other files', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-atomic-'));
  const path = join(folder.path, 'deep', 'file.json');
  await writeFileAtomic(path, 'one');
  await writeFileAtomic(path, 'two');
  assert.equal(readFileSync(path, 'utf8'), 'two');
  assert.deepEqual(readdirSync(join(folder.path, 'deep')), ['file.json']);
  await assert.rejects(writeFileAtomic(join(path, 'below a file'), 'x'));
});

test('a lock is exclusive, reported if held, and free after its holder was killed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-lock-'));
  const path = join(folder.path, 'file.lock');
  using one = new FileLock(path, systemClock);
  using two = new FileLock(path, systemClock);
  await one.hold(() =>
    assert.rejects(
      two.hold(() => undefined, { timeoutMs: 0 }),
      { code: 'FILE_LOCKED' },
    ),
  );
  const script = `
    import { FileLock, systemClock } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
    await new FileLock(process.argv[1], systemClock).hold(() => process.kill(process.pid, 'SIGKILL'));
  `;
  assert.equal(spawnSync(process.execPath, ['--input-type=module', '-e', script, path]).signal, 'SIGKILL');
  assert.equal(await one.hold(() => 'mine', { timeoutMs: 0 }), 'mine');
});

test('part files of a dead process are removed; part files of a running one are kept', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-parts-'));
  const module = join(import.meta.dirname, 'files.ts');
  const child = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { writeFileSync } from 'node:fs'; import { partPath } from ${JSON.stringify(module)};
       writeFileSync(partPath(process.argv[1]), 'half');`,
      join(folder.path, 'list.csv'),
    ],
    { encoding: 'utf8' },
  );
  assert.equal(child.status, 0, child.stderr);
  const own = partPath(join(folder.path, 'list.csv'));
  for (const path of [own, join(folder.path, 'list.csv'), join(folder.path, 'other.part')]) writeFileSync(path, 'x');
  assert.equal(readdirSync(folder.path).length, 4);
  removeDeadParts(folder.path, 'list.');
  assert.deepEqual(new Set(readdirSync(folder.path)), new Set([basename(own), 'list.csv', 'other.part']));
});

test('a resource opened once per owner is opened again only for another owner or after a failure', async () => {
  const opened: string[] = [];
  const open = oncePer(async ({ name }: { readonly name: string }) => {
    opened.push(name);
    if (opened.length === 1) throw new Error('not yet');
    return opened.length;
  });
  const [one, other] = [{ name: 'one' }, { name: 'other' }];
  await assert.rejects(open(one), /not yet/);
  assert.deepEqual(await Promise.all([open(one), open(one), open(other)]), [2, 2, 3]);
  assert.deepEqual(opened, ['one', 'one', 'other']);
});

test('the first failure of parallel calls aborts the others, and is thrown after they have ended', async () => {
  const ended: string[] = [];
  const calls = forEachOf(['fails', 'waits', 'never'], 2, async (item, signal) => {
    if (item === 'fails') throw new Error('first');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    ended.push(item);
    throw new Error('second');
  });
  await assert.rejects(calls, { message: 'first' });
  assert.deepEqual(ended, ['waits']);
});

test('a file of another program under a name of ours is moved aside, and one of ours is replaced', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-own-'));
  const path = join(folder.path, 'run.json');
  await writeOwnFile(path, '{"a":1}');
  await writeOwnFile(path, '{"b":2}');
  assert.deepEqual(readdirSync(folder.path), ['run.json']);
  writeFileSync(path, 'minutes of a meeting');
  await writeOwnFile(path, '{"c":3}');
  assert.equal(readFileSync(path, 'utf8'), '{"c":3}');
  assert.equal(readFileSync(`${path}.damaged-1`, 'utf8'), 'minutes of a meeting');
});
