import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, globSync, readFileSync, truncateSync, utimesSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { systemClock } from '../base/index.ts';
import type { Plan } from '../resolve/index.ts';
import type { SeenRequest } from '../testing/index.ts';
import { HeldClock, loopbackClient, openLoopback, Wire } from '../testing/index.ts';
import { workFromPayload } from '../works/index.ts';
import { KeptFiles } from './kept-files.ts';
import { PlanTrier } from './try-plan.ts';

const MB = 1 << 20;
const bytesOf = (word: string): Buffer =>
  Buffer.from(`%PDF-1.4\n${`${word} bytes `.repeat(400_000)}\nstartxref\n0\n%%EOF\n`);
const FIRST = bytesOf('first');
const OTHER = bytesOf('other');

/** Successive versions of a file; the first is sent up to a byte, then stalls until the client disconnects. */
interface Served {
  readonly version: () => { readonly etag: string; readonly bytes: Buffer };
  readonly stallsAt?: number | undefined;
}

function answer({ version, stallsAt }: Served, request: SeenRequest, response: ServerResponse): void {
  const { etag, bytes } = version();
  const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
  const holds = range !== null && request.headers['if-range'] === etag;
  const from = holds ? Number(range[1]) : 0;
  response.writeHead(holds ? 206 : 200, {
    etag,
    'content-type': 'application/pdf',
    'content-length': bytes.length - from,
    ...(holds && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
  });
  if (stallsAt === undefined) response.end(bytes.subarray(from));
  else response.write(bytes.subarray(0, stallsAt));
}

const PLAN: Plan = {
  resolver: 'test', url: 'http://files.test/a.pdf', expect: 'pdf', isPromised: true, license: null, version: null, hostType: null,
  robots: 'obey', credentials: [], headers: {}, checksum: null, sameAs: null, terms: null,
}; // prettier-ignore

/** Tries the plan in this process; returns what was saved and requested. */
async function tryHere(
  root: string,
  served: Served,
  url = PLAN.url,
): Promise<{ readonly saved: Buffer | null; readonly ranges: string[]; readonly versions: unknown[] }> {
  await using server = await openLoopback((request, response) => answer(served, request, response));
  const clock = new HeldClock(0);
  const wire = new Wire(clock);
  await using client = loopbackClient(server, { clock, report: wire.report });
  using files = new KeptFiles(root);
  const trier = new PlanTrier(
    workFromPayload('w', undefined),
    { send: client.send, files, clock, inspect: undefined, accept: new Set(['pdf']), maxBytes: 50_000_000,
      budgetMs: 180_000, retries: 0, signal: new AbortController().signal },
    new Map(),
  ); // prettier-ignore
  const { result } = await wire.settle(trier.try({ ...PLAN, url }));
  return {
    saved: result.artifact ? readFileSync(join(root, result.artifact.path)) : null,
    ranges: server.requests.map(({ headers }) => headers.range ?? 'everything'),
    versions: server.requests.map(({ headers }) => headers['if-range']),
  };
}

/** A process that tries the plan, and is killed with SIGKILL after this many bytes. */
async function tryAndDie(root: string, served: Served, bytes: number): Promise<void> {
  await using server = await openLoopback((request, response) => answer(served, request, response));
  const program = `
    const { loopbackClient } = await import(${JSON.stringify(join(import.meta.dirname, '../testing/index.ts'))});
    const { workFromPayload } = await import(${JSON.stringify(join(import.meta.dirname, '../works/index.ts'))});
    const { KeptFiles } = await import(${JSON.stringify(join(import.meta.dirname, 'kept-files.ts'))});
    const { PlanTrier } = await import(${JSON.stringify(join(import.meta.dirname, 'try-plan.ts'))});
    const { systemClock: clock } = await import(${JSON.stringify(join(import.meta.dirname, '../base/index.ts'))});
    const client = loopbackClient({ port: ${server.port} });
    let got = 0;
    const counting = (sink) => ({ write(chunk, isDecoded) {
      sink.write(chunk, isDecoded);
      got += chunk.length;
      if (got >= ${bytes}) process.stdout.write('so far');
    } });
    const send = (request, signal) => client.send({ ...request, sink: (head, stop) => counting(request.sink(head, stop)) }, signal);
    const files = new KeptFiles(${JSON.stringify(root)});
    const trier = new PlanTrier(workFromPayload('w', undefined), { send, files, clock, inspect: undefined,
      accept: new Set(['pdf']), maxBytes: 50_000_000, budgetMs: 180_000, retries: 0, signal: new AbortController().signal }, new Map());
    await trier.try(${JSON.stringify(PLAN)});
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), ended.then(() => assert.fail('ended before it was killed'))]);
  child.kill('SIGKILL');
  await ended;
}

const begun = (root: string): string[] => globSync('.parts/begun/*', { cwd: root });

test('a process killed during a transfer leaves a partial file, and the next requests only the rest', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-begun-'));
  const version = () => ({ etag: '"one"', bytes: FIRST });
  await tryAndDie(folder.path, { version, stallsAt: 3 * MB }, 2.5 * MB);
  const { saved, ranges, versions } = await tryHere(folder.path, { version });
  const [range = ''] = ranges;
  const from = Number(/^bytes=(\d+)-$/.exec(range)?.[1]);
  assert.ok(from >= MB && from <= 3 * MB, range);
  assert.deepEqual(versions, ['"one"'], 'only of that version');
  assert.ok(saved?.equals(FIRST));
  assert.deepEqual(begun(folder.path), []);
});

test('a partial file whose version changed is discarded and downloaded from the start', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-begun-'));
  await tryAndDie(folder.path, { version: () => ({ etag: '"one"', bytes: FIRST }), stallsAt: 3 * MB }, 2.5 * MB);
  const { saved, ranges } = await tryHere(folder.path, { version: () => ({ etag: '"two"', bytes: OTHER }) });
  assert.match(ranges[0] ?? '', /^bytes=\d+-$/);
  assert.ok(saved?.equals(OTHER));
  assert.deepEqual(begun(folder.path), []);
});

/** The beginning of a file, as left by an interrupted transfer. */
async function breakOff(root: string, bytes = FIRST, url = PLAN.url): Promise<void> {
  await using server = await openLoopback((_request, response) => {
    response.writeHead(200, { etag: '"one"', 'content-length': bytes.length });
    response.write(bytes.subarray(0, 2.5 * MB), () => setTimeout(() => response.destroy(), 0));
  });
  await using client = loopbackClient(server);
  const clock = new HeldClock(0);
  using files = new KeptFiles(root);
  const trier = new PlanTrier(
    workFromPayload('w', undefined),
    { send: client.send, files, clock, inspect: undefined, accept: new Set(['pdf']), maxBytes: 50_000_000,
      budgetMs: 180_000, retries: 0, signal: new AbortController().signal },
    new Map(),
  ); // prettier-ignore
  assert.equal((await trier.try({ ...PLAN, url })).artifact, null);
}

test('a partial file that was damaged, truncated, or lost its metadata is not continued', async () => {
  const version = () => ({ etag: '"one"', bytes: FIRST });
  const damages: Readonly<Record<string, (part: string) => void>> = {
    'cut off': (part) => truncateSync(part, MB / 2),
    'another mark': (part) => appendFileSync(`${part}.note`, `{"bytes":${MB},"sha256":"${'0'.repeat(64)}"}\n`),
    nonsense: (part) => appendFileSync(`${part}.note`, '{"bytes":-5}\n'),
  };
  for (const [name, damage] of Object.entries(damages)) {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-begun-'));
    await breakOff(folder.path);
    const [part = ''] = globSync('.parts/begun/*.part', { cwd: folder.path });
    damage(join(folder.path, part));
    const { saved, ranges } = await tryHere(folder.path, { version });
    assert.deepEqual(ranges, ['everything'], name);
    assert.ok(saved?.equals(FIRST), name);
  }
});

test('a file decompressed during transfer leaves no partial file', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-begun-'));
  const noise = Buffer.concat([
    FIRST.subarray(0, 100),
    Buffer.from(Float64Array.from({ length: MB }, Math.random).buffer),
  ]);
  await breakOff(folder.path, gzipSync(noise, { level: 0 }));
  assert.deepEqual(begun(folder.path), []);
});

test('only one of two concurrent requests continues a partial file; partial files that are old or of finished works are removed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-begun-'));
  await breakOff(folder.path);
  const clock = new HeldClock(Date.now());
  using one = new KeptFiles(folder.path, { clock });
  using two = new KeptFiles(folder.path, { clock });
  const asked = { work: 'w', url: PLAN.url };
  const [mine, yours] = [await one.newPart(asked), await two.newPart(asked)];
  assert.ok((mine.beginning?.bytes ?? 0) >= MB);
  assert.equal(yours.beginning, undefined);
  one.begun.setAside(mine.part);
  two.begun.remove(() => false, systemClock.now());
  assert.equal(begun(folder.path).length, 2);
  two.begun.remove((work) => work === 'w', systemClock.now());
  assert.deepEqual(begun(folder.path), []);
  await breakOff(folder.path);
  const [part = ''] = globSync('.parts/begun/*.part', { cwd: folder.path });
  utimesSync(join(folder.path, part), 0, 0);
  two.begun.remove(() => false, systemClock.now());
  assert.equal(existsSync(join(folder.path, '.parts', 'begun')), false);
});
