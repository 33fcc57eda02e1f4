import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { line, makePdf } from '../../../test/support/make-pdf.ts';
import { PdfInspector } from './inspector.ts';

/** The child processes of this process, read from /proc. */
function children(): number[] {
  const found = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return found
    .split('\n')
    .filter((row) => row.includes('inspect-process'))
    .map((row) => Number.parseInt(row, 10));
}

const onLinux = { skip: process.platform === 'linux' ? false : 'reads /proc' };

test('Ctrl-C does not interrupt an inspection', onLinux, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'inspect-'));
  const file = join(folder.path, 'paper.pdf');
  await writeFile(file, await makePdf((pdf) => line(pdf, 'Some words', { x: 100, y: 100, size: 12 })));
  using inspector = new PdfInspector();
  assert.ok((await inspector.glance(file)).isReadable);
  const inspection = inspector.glance(file);
  for (const pid of children())
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.kill(pid, signal);
  assert.ok((await inspection).isReadable);
});

test('files pending when the inspector is closed are interrupted, not unreadable', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'inspect-'));
  const file = join(folder.path, 'paper.pdf');
  await writeFile(file, await makePdf((pdf) => line(pdf, 'Some words', { x: 100, y: 100, size: 12 })));
  const inspector = new PdfInspector();
  const [running, waiting] = [inspector.glance(file), inspector.glance(file)];
  inspector[Symbol.dispose]();
  await assert.rejects(running, { code: 'INSPECT_INTERRUPTED' });
  await assert.rejects(waiting, { code: 'INSPECT_INTERRUPTED' });
});

test('a process that cannot be started fails one file, and is started again for the next', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'inspector-'));
  const file = join(folder.path, 'article.xml');
  await writeFile(file, '<article><body><p>Words.</p></body></article>');
  using inspector = new PdfInspector();
  const { execPath } = process;
  process.execPath = '/nowhere/node';
  try {
    await assert.rejects(inspector.glance(file, 'xml'), { code: 'INSPECT_INTERRUPTED' });
  } finally {
    process.execPath = execPath;
  }
  assert.equal((await inspector.glance(file, 'xml')).isReadable, true);
});

test('a process that dies fails its current file; the next process inspects the others', onLinux, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'inspect-'));
  const file = join(folder.path, 'paper.pdf');
  await writeFile(file, await makePdf((pdf) => line(pdf, 'Some words', { x: 100, y: 100, size: 12 })));
  // Reading it never ends: it is the current file until the process dies.
  const endless = join(folder.path, 'endless.pdf');
  execFileSync('mkfifo', [endless]);
  using inspector = new PdfInspector();
  const glances = [endless, file, file, file, file].map((path) => inspector.glance(path));
  await new Promise(setImmediate);
  for (const pid of children()) process.kill(pid, 'SIGKILL');
  assert.deepEqual(
    (await Promise.all(glances)).map(({ isReadable }) => isReadable),
    [false, true, true, true, true],
  );
});

test('XML is inspected as the stages parse it: broken or too deeply nested files are unreadable', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'inspect-'));
  const file = join(folder.path, 'article.xml');
  using inspector = new PdfInspector();
  const glance = async (body: string): ReturnType<typeof inspector.glance> => {
    await writeFile(file, `<?xml version="1.0"?><article><body>${body}</body></article>`);
    return await inspector.glance(file, 'xml');
  };
  const sound = await glance('<p>Some words of &alpha; and others</p>');
  assert.ok(sound.isReadable && sound.text.includes('Some words') && sound.isStub);
  assert.equal((await glance(`<sec><p>${'Some words. '.repeat(40)}</p></sec>`)).isStub, false);
  assert.equal((await glance('')).isStub, true);
  for (const broken of ['<'.repeat(1_000), '<p>', `${'<p>'.repeat(2_000)}${'</p>'.repeat(2_000)}`])
    assert.equal((await glance(broken)).isReadable, false, broken.slice(0, 20));
});

test('a file requested while the process is replaced is inspected', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'inspect-'));
  const file = join(folder.path, 'paper.pdf');
  await writeFile(file, await makePdf((pdf) => line(pdf, 'Some words', { x: 100, y: 100, size: 12 })));
  using inspector = new PdfInspector({ filesPerProcess: 2 });
  const glances = await Promise.all(Array.from({ length: 3 }, () => inspector.glance(file)));
  assert.deepEqual(
    glances.map(({ isReadable }) => isReadable),
    [true, true, true],
  );
});
