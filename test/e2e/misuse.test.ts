import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { command, refusedCommand } from './command.ts';

const CONTACT = ['--mailto', 'someone@university.edu'];

/** Invalid command lines, and what their error names. */
const WRONG: readonly (readonly [line: readonly string[], names: RegExp])[] = [
  [['contentdownload', '10.1371/journal.pone.0000217', '--max', 'abc', ...CONTACT], /--max.*abc/],
  [['contentdownload', '--topic', 'x', '--max', '-3', ...CONTACT], /--max.*-3/],
  [['contentdownload', '--topic', 'x', '--year-start', 'abc', ...CONTACT], /--year-start.*abc/],
  [['contentdownload', 'not-a-doi', ...CONTACT], /USAGE_ID "not-a-doi": not a recognised identifier/],
  [['contentdownload', '--input', 'nothere.bib', ...CONTACT], /USAGE_INPUT --input nothere\.bib/],
  [['contentdownload', '--input', 'list.txt', '--out', 'afile', ...CONTACT], /USAGE_RUN afile is a file, not a folder/],
  [['contentdownload', '--topic', 'x'], /CONTACT_MISSING/],
  [['contentdownload', '--topic', 'x', '--set', 'download.enable=bogus', ...CONTACT], /unknown resolver "bogus"/],
  [['docstokg', 'run', 'not-a-doi', ...CONTACT], /USAGE_ID/],
  [['docstokg', 'serach', '--help'], /unknown command 'serach'\n\(Did you mean search\?\)/],
  [['docstokg', 'frobnicate', '--help'], /unknown command 'frobnicate'/],
  [['docstokg', 'queue', 'stast', '-h'], /unknown command 'stast'\n\(Did you mean stats\?\)/],
  [['docstokg', 'help', 'serach'], /unknown command 'serach'\n\(Did you mean search\?\)/],
  [['docstokg', 'export', '--format', 'report', '--saved'], /USAGE_FORMAT report contains all works/],
  [['docstokg', 'export', '--format', 'csv', '--out', '.'], /USAGE_EXPORT --out \. is a folder; csv writes a file/],
  [['docstokg', 'export', '--format', 'neo4j', '--out', 'afile'], /USAGE_EXPORT --out afile is a file; neo4j writes/],
  [['docstokg', 'run', '--input', 'nothere.pdf'], /USAGE_INPUT --input nothere\.pdf/],
];

test('an invalid command line is rejected with exit 2, names the problem, and leaves no files', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-misuse-'));
  writeFileSync(join(folder.path, 'afile'), 'x');
  writeFileSync(join(folder.path, 'list.txt'), '10.1371/journal.pone.0000217\n');
  for (const [[door, ...parameters], names] of WRONG) {
    const { status, stderr } = await refusedCommand(door as 'docstokg', parameters, folder.path);
    const line = [door, ...parameters].join(' ');
    assert.equal(status, 2, `${line}\n${stderr}`);
    assert.match(stderr, names, line);
    assert.deepEqual(readdirSync(folder.path).sort(), ['afile', 'list.txt'], `${line} leaves nothing behind`);
  }
  // One of each kind in a real process: refused by a command, and by the command line parser.
  for (const [[, ...parameters], names] of [WRONG[3], WRONG[9]].filter((each) => each !== undefined)) {
    const door = parameters[0] === 'serach' ? 'docstokg' : 'contentdownload';
    const { status, stdout, stderr } = command(door, parameters, { cwd: folder.path });
    assert.deepEqual([status, stdout], [2, ''], stderr);
    assert.match(stderr, names);
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace');
  }
});

/** Commands that take a run folder; RUN is its position. */
const OF_RUNS: readonly (readonly string[])[] = [
  ['search', 'RUN', 'why?'],
  ['ask', 'RUN', 'why?'],
  ['table', 'RUN', '--column', 'year'],
  ['set', 'RUN'],
  ['export', 'RUN', '--format', 'report'],
  ['refresh', 'RUN'],
  ['export', 'RUN', '--format', 'bibtex'],
  ['work-versions', 'RUN'],
  ['reindex', 'RUN'],
  ['merge', 'RUN', '--out', 'merged'],
  ['graph', 'build', 'RUN'],
  ['serve', 'RUN'],
  ['mcp', 'RUN'],
];

test('a file or a missing folder in place of a run is rejected by every command with exit 2', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-misuse-'));
  writeFileSync(join(folder.path, 'afile'), 'x');
  const lines = OF_RUNS.map((words) => words.map((word) => (word === 'RUN' ? 'afile' : word)));
  for (const words of [...lines, ['export', 'missing', '--format', 'csv']]) {
    const { status, stderr } = await refusedCommand('docstokg', words, folder.path);
    assert.equal(status, 2, `${words.join(' ')}\n${stderr}`);
    assert.match(stderr, /^error USAGE_RUN (afile|missing) \S/, words.join(' '));
    assert.deepEqual(readdirSync(folder.path), ['afile'], `${words.join(' ')} leaves nothing behind`);
  }
});

test('an empty folder of papers ends docparse with exit 1 and the reason', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-misuse-'));
  mkdirSync(join(folder.path, 'papers'));
  const { status, stderr } = command('docparse', ['doctags', '-i', 'papers'], { cwd: folder.path });
  assert.equal(status, 1, stderr);
  assert.match(stderr, /no documents in papers/);
});

test('reindex writes nothing into a folder that is not a run', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-misuse-'));
  const { status, stderr } = command('docstokg', ['reindex', folder.path]);
  assert.equal(status, 2, stderr);
  assert.match(stderr, /is not a run folder/);
  assert.deepEqual(readdirSync(folder.path), []);
});

test('config hides all secrets and passwords', () => {
  const secret = 'S3cr3t-that-must-not-be-seen';
  const env = {
    DOCSTOKG_SERVE__TOKEN: secret,
    DOCSTOKG_KEYS__WILEY: secret,
    DOCSTOKG_QUEUE__URL: `postgres://me:${secret}@db.example/q`,
    DOCSTOKG_HTTP__HTTPS_PROXY: `http://${secret}@proxy.example:3128`,
    DOCSTOKG_SERVICES__BASE_URLS: JSON.stringify({ openalex: `https://me:${secret}@mirror.example/` }),
  };
  for (const form of [[], ['--json']]) {
    const { status, stdout, stderr } = command('docstokg', ['config', ...form], { env });
    assert.equal(status, 0, stderr);
    assert.ok(!`${stdout}${stderr}`.includes(secret));
    assert.match(stdout, /serve\.token\W.*\(set\)/s);
    assert.match(stdout, /\*\*\*@mirror\.example/);
  }
});

test('a simulated web on a port in use fails with a one-line error', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const port = String((other.address() as AddressInfo).port);
  for (const option of ['--admin-port', '--port']) {
    const world = ['--works', '5', '--profile', 'reality', '--documents', 'plain'];
    const { status, stderr } = command('docstokg', ['sim', 'serve', ...world, option, port]);
    assert.equal(status, 2, stderr);
    assert.match(stderr, new RegExp(`USAGE_PORT port ${port} on 127\\.0\\.0\\.1 is taken by another program`));
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});
