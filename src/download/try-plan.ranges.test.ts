import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Answer } from '../../test/support/try-plan.ts';
import { HALF, OTHER, PDF, breaksOff, rest, tryAgainst, tryPlan, whole } from '../../test/support/try-plan.ts';

test('an interrupted body is resumed if its version is unchanged', async () => {
  const { saved, ranges } = await tryAgainst(breaksOff, rest());
  assert.ok(saved?.equals(PDF));
  assert.equal(ranges.length, 2);
  assert.match(ranges[1] ?? '', /^bytes=\d+-$/);
});

for (const [name, answer] of [
  ['has another ETag', rest({ etag: '"two"' })],
  ['has a weak ETag', rest({ etag: 'W/"one"' })],
  ['has no ETag', rest({ etag: null })],
  ['has another offset', rest({ from: HALF - 10_000 })],
  ['starts at the beginning', rest({ from: 0 })],
  ['ends early', rest({ to: PDF.length - 2 })],
  ['has another total length', rest({ total: String(PDF.length + 1), to: PDF.length })],
  ['has an unknown total length', rest({ total: '*' })],
  ['is encoded', rest({ encoding: 'gzip' })],
  [
    'is longer than its range',
    (request, response) => {
      const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
      response.writeHead(206, { etag: '"one"', 'content-range': `bytes ${from}-${PDF.length - 1}/${PDF.length}` });
      response.end(Buffer.concat([PDF.subarray(from), OTHER]));
    },
  ],
  [
    'is shorter than its range',
    (request, response) => {
      const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
      response.writeHead(206, { etag: '"one"', 'content-range': `bytes ${from}-${PDF.length - 1}/${PDF.length}` });
      response.end(Buffer.concat([PDF.subarray(from, from + 5_000), PDF.subarray(-100)]));
    },
  ],
  [
    'has several parts',
    (_request, response) => {
      response.writeHead(206, { etag: '"one"', 'content-type': 'multipart/byteranges; boundary=x' }).end('--x--');
    },
  ],
  [
    'is a 416 error',
    (_request, response) => {
      response.writeHead(416, { 'content-range': `bytes */${PDF.length}` }).end();
    },
  ],
] as const satisfies readonly (readonly [string, Answer])[])
  test(`a range response that ${name} is not appended: the file is downloaded from the start`, async () => {
    const { saved, ranges } = await tryAgainst(breaksOff, answer, whole);
    assert.ok(saved?.equals(OTHER));
    assert.equal(ranges.at(-1), 'everything');
  });

test('a range with the wrong offset is not appended', async () => {
  const { saved, ranges } = await tryAgainst(
    breaksOff,
    (_request, response) => response.writeHead(302, { location: '/mirror.pdf' }).end(),
    rest(),
    whole,
  );
  assert.ok(saved?.equals(OTHER));
  assert.equal(ranges.at(-1), 'everything');
});

test('the middle of a file that looks like gzip is not decompressed', async () => {
  const file = Buffer.concat([
    Buffer.from('%PDF-1.4\n\n'),
    Buffer.from('1f8b'.repeat(60_000), 'hex'),
    Buffer.from('\nstartxref\n0\n%%EOF\n'),
  ]);
  const { saved, ranges } = await tryAgainst(
    (_request, response) => {
      response.writeHead(200, { etag: '"one"', 'content-length': file.length });
      response.write(file.subarray(0, HALF), () => setTimeout(() => response.destroy(), 0));
    },
    (request, response) => {
      const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
      const range = `bytes ${from}-${file.length - 1}/${file.length}`;
      response.writeHead(206, { etag: '"one"', 'content-range': range }).end(file.subarray(from));
    },
  );
  assert.equal(ranges.length, 2);
  assert.ok(saved?.equals(file));
});

test('a file and its rest together may not exceed the limit', async () => {
  const { saved, attempt } = await tryPlan(
    { maxBytes: 300_000 },
    (_request, response) => {
      response.writeHead(200, { etag: '"one"' });
      response.write(PDF.subarray(0, HALF), () => setTimeout(() => response.destroy(), 0));
    },
    rest(),
  );
  assert.equal(attempt.reason, 'too-large');
  assert.ok(saved === null);
});

test('a full response to a range request replaces the partial file', async () => {
  const { saved } = await tryAgainst(breaksOff, whole);
  assert.ok(saved?.equals(OTHER));
});

test('nothing is resumed without a strong validator', async () => {
  const weak: Answer = (_request, response) => {
    response.writeHead(200, { etag: 'W/"one"', 'content-length': PDF.length });
    response.write(PDF.subarray(0, HALF), () => setTimeout(() => response.destroy(), 0));
  };
  const { saved, ranges } = await tryAgainst(weak, whole);
  assert.ok(saved?.equals(OTHER));
  assert.deepEqual(ranges, ['everything', 'everything']);
});

test('an unrequested partial response is not a file, even if it claims to be complete', async () => {
  const { saved, attempt } = await tryAgainst((_request, response) => {
    response.writeHead(206, { etag: '"one"', 'content-range': `bytes 0-${PDF.length - 1}/${PDF.length}` }).end(PDF);
  });
  assert.equal(saved, null);
  assert.equal(attempt.reason, 'bad-status');
  assert.match(attempt.detail ?? '', /not requested/);
});
