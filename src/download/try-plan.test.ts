import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Send } from '../http/index.ts';
import type { Plan } from '../resolve/index.ts';
import type { SeenRequest } from '../testing/index.ts';
import { HeldClock, loopbackClient, openLoopback, Wire } from '../testing/index.ts';
import { workFromPayload } from '../works/index.ts';
import { KeptFiles } from './kept-files.ts';
import type { Trial, TryOptions } from './try-plan.ts';
import { PlanTrier } from './try-plan.ts';

const PDF = Buffer.from(`%PDF-1.4\n${'true bytes '.repeat(30_000)}\nstartxref\n0\n%%EOF\n`);
const OTHER = Buffer.from(PDF.toString('latin1').replaceAll('true', 'fake'), 'latin1');
const HALF = 100_000;

type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** Sends the responses in turn; the last one is repeated. */
async function tryAgainst(...answers: readonly Answer[]): Promise<Tried> {
  return tryPlan({}, ...answers);
}

interface Tried extends Trial {
  readonly saved: Buffer | null;
  readonly ranges: readonly string[];
}

async function tryPlan(
  { plan = {}, title, ...options }: Partial<TryOptions> & { readonly plan?: Partial<Plan>; readonly title?: string },
  ...answers: readonly Answer[]
): Promise<Tried> {
  const root = mkdtempSync(join(tmpdir(), 'docstokg-try-'));
  await using server = await openLoopback((request, response) => {
    const answer = answers[Math.min(server.requests.length, answers.length) - 1];
    answer?.(request, response);
  });
  const clock = new HeldClock(0);
  const wire = new Wire(clock);
  await using client = loopbackClient(server, { clock, report: wire.report });
  using files = new KeptFiles(root);
  try {
    const trier = new PlanTrier(
      workFromPayload('w', title === undefined ? undefined : { title }),
      {
        send: client.send,
        files,
        clock,
        inspect: undefined,
        accept: new Set(['pdf', 'xml']),
        maxBytes: 10_000_000,
        budgetMs: 180_000,
        retries: 3,
        signal: new AbortController().signal,
        ...options,
      },
      new Map(),
    );
    const { result } = await wire.settle(trier.try({ ...PLAN, ...plan }));
    return {
      ...result,
      saved: result.artifact ? readFileSync(join(root, result.artifact.path)) : null,
      ranges: server.requests.map(({ headers }) => headers.range ?? 'everything'),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const PLAN: Plan = {
  resolver: 'test',
  url: 'http://files.test/a.pdf',
  expect: 'pdf',
  isPromised: true,
  license: null,
  version: null,
  hostType: null,
  robots: 'obey',
  credentials: [],
  headers: {},
  checksum: null,
  sameAs: null,
  terms: null,
};

const breaksOff: Answer = (_request, response) => {
  response.writeHead(200, { etag: '"one"', 'content-length': PDF.length, 'content-type': 'application/pdf' });
  response.write(PDF.subarray(0, HALF), () => setTimeout(() => response.destroy(), 0));
};
const whole: Answer = (_request, response) => {
  response.writeHead(200, { etag: '"two"', 'content-length': OTHER.length }).end(OTHER);
};
/** The rest of a file as a server may send it: correct by default, and always with the right length. */
const rest =
  (change: { etag?: string | null; from?: number; to?: number; total?: string; encoding?: string } = {}): Answer =>
  (request, response) => {
    const asked = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
    const { from = asked, to = PDF.length - 1 } = change;
    response.writeHead(206, {
      ...(change.etag === null ? {} : { etag: change.etag ?? '"one"' }),
      'content-range': `bytes ${from}-${to}/${change.total ?? PDF.length}`,
      ...(change.encoding === undefined ? {} : { 'content-encoding': change.encoding }),
    });
    const length = (Number(change.total) || PDF.length) - asked;
    response.end(Buffer.concat([PDF, OTHER]).subarray(from, from + length));
  };

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

test('a text mining reservation in a header is recorded', async () => {
  const { attempt } = await tryAgainst((_request, response) => {
    response.writeHead(200, { 'tdm-reservation': '1' }).end(PDF);
  });
  assert.equal(attempt.terms, 'text-mining');
});

test('a file linked by a page is requested with the page as referer, and without the checksum of another file', async () => {
  for (const [link, referer] of [
    ['/b.pdf', 'http://files.test/a.pdf?session=1'],
    ['http://cdn.test/b.pdf', 'http://files.test/'],
  ] as const) {
    const seen: (string | undefined)[] = [];
    const checksum = { algorithm: 'md5', hex: '0'.repeat(32) } as const;
    const { saved } = await tryPlan(
      { plan: { url: 'http://files.test/a.pdf?session=1', checksum } },
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(`<html><head><meta name="citation_pdf_url" content="${link}"></head></html>`);
      },
      (request, response) => {
        seen.push(request.headers.referer);
        response.end(PDF);
      },
    );
    assert.deepEqual(seen, [referer]);
    assert.ok(saved?.equals(PDF));
  }
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

test('a page with many stalling links costs a work at most its time budget', async () => {
  const links = Array.from({ length: 20 }, (_, n) => `<a href="/stalls-${n}.pdf">PDF</a>`).join('');
  const asked: string[] = [];
  const send: Send = async (request) => {
    const { url } = request;
    asked.push(url.pathname);
    if (url.pathname !== '/landing') {
      request.budget?.spend(30_000);
      const trail = { url: url.href, chain: [] };
      return { kind: 'failed', reason: 'headers-timeout', message: 'no headers', retryable: true, trail };
    }
    const head = { url, status: 200, headers: { 'content-type': 'text/html' } };
    const sink = await request.sink?.(head, () => undefined);
    await sink?.write(Buffer.from(`<html><body>${links}`));
    const body = { body: Buffer.alloc(0), wireBytes: 1, bodyBytes: 1, chain: [], origin: 'network' } as const;
    return { kind: 'response', response: { ...head, ...body } };
  };
  const plan = { url: 'http://files.test/landing', expect: 'landing' } as const;
  const { attempt } = await tryPlan({ plan, send, budgetMs: 60_000, title: 'Reefs in summer' });
  assert.equal(attempt.reason, 'timeout');
  // Two stalls of thirty seconds use up the budget.
  assert.deepEqual(asked, ['/landing', '/stalls-0.pdf', '/stalls-1.pdf']);
});

test('a stalling page costs a work at most its time budget, including waits between attempts', async () => {
  for (const stalls of ['before its headers', 'in its body'] as const) {
    await using server = await openLoopback((_request, response) => {
      if (stalls === 'in its body') response.writeHead(200, { 'content-type': 'text/html' }).write('<html><body>');
    });
    const [clock, webClock] = [new HeldClock(0), new HeldClock(0)];
    await using client = loopbackClient(server, {
      clock,
      retry: { retries: 3 },
      circuit: { failures: 1, openMs: 20_000 },
    });
    let sending = 0;
    const send: Send = (request, signal) => {
      sending += 1;
      return client.send(request, signal).finally(() => (sending -= 1));
    };
    const trial = tryPlan({ plan: { expect: 'landing' }, send, clock, webClock, budgetMs: 60_000 });
    const { isOver } = watched(trial);
    // Time passes while a request stalls or a pause lasts. It must not pass while we open files: on a busy machine that
    // takes any number of event loop turns, with a host's timers pending.
    while (!isOver()) {
      if (webClock.pending > 0) await webClock.advance(500);
      else if (sending > 0) await clock.advance(500);
      else await new Promise(setImmediate);
    }
    assert.equal((await trial).attempt.reason, 'timeout', stalls);
    const tookMs = clock.monotonic() + webClock.monotonic();
    assert.ok(tookMs < 62_000, `${stalls}: ${tookMs} ms`);
  }
});

test('pauses before a broken transfer is resumed count against the time budget', async () => {
  const webClock = new HeldClock(0);
  const send: Send = ({ url }) => {
    const head = { url, status: 200, headers: {}, body: Buffer.alloc(0), wireBytes: 1, bodyBytes: 1, chain: [] };
    const trail = { url: url.href, chain: [], response: { ...head, origin: 'network' } as const };
    return Promise.resolve({ kind: 'failed', reason: 'reset', message: 'lost', retryable: true, trail });
  };
  const { isOver } = watched(tryPlan({ send, webClock, retries: 20, budgetMs: 10_000 }));
  while (!isOver()) {
    if (webClock.pending > 0) await webClock.advance(100);
    else await new Promise(setImmediate);
  }
  // Without the budget the doubled pauses would exceed fifteen seconds.
  assert.ok(webClock.monotonic() <= 10_000, `${webClock.monotonic()} ms`);
});

function watched(promise: Promise<unknown>): { readonly isOver: () => boolean } {
  let isOver = false;
  const over = (): void => void (isOver = true);
  void promise.then(over, over);
  return { isOver: () => isOver };
}

test('the terms of a service do not cover other hosts: links there obey their robots.txt', async () => {
  const asked: string[] = [];
  const send: Send = async (request) => {
    const { url, robots = 'obey' } = request;
    asked.push(`${url.href} ${robots}`);
    const pages: Record<string, string> = {
      // doi.org's response is a redirect, which the client has followed.
      'http://doi.test/10.1/a': '<meta http-equiv="refresh" content="0; url=http://publisher.test/moved">',
      'http://publisher.test/moved':
        '<meta name="citation_pdf_url" content="/a.pdf"><meta name="citation_pdf_url" content="http://doi.test/b.pdf">',
    };
    const head = { url, status: pages[url.href] === undefined ? 404 : 200, headers: { 'content-type': 'text/html' } };
    if (head.status === 200) {
      const sink = await request.sink?.(head, () => undefined);
      await sink?.write(Buffer.from(`<html><body>${pages[url.href] ?? ''}`));
    }
    const body = { body: Buffer.alloc(0), wireBytes: 1, bodyBytes: 1, chain: [], origin: 'network' } as const;
    return { kind: 'response', response: { ...head, ...body } };
  };
  await tryPlan({ plan: { url: 'http://doi.test/10.1/a', expect: 'landing', robots: 'terms' }, send });
  assert.deepEqual(asked, [
    'http://doi.test/10.1/a terms',
    'http://publisher.test/moved obey',
    'http://publisher.test/a.pdf obey',
    'http://doi.test/b.pdf terms',
  ]);
});

test('a file with a wrong published checksum is rejected', async () => {
  const good = createHash('md5').update(OTHER).digest('hex');
  const { attempt: wrong } = await tryPlan({ plan: { checksum: { algorithm: 'md5', hex: '0'.repeat(32) } } }, whole);
  assert.equal(wrong.reason, 'checksum-mismatch');
  const { saved } = await tryPlan({ plan: { checksum: { algorithm: 'md5', hex: good } } }, whole);
  assert.ok(saved);
});

const RIGHT = `Sand that rivers carry to the sea. ${'Words of the paper. '.repeat(20)}`;
const WRONG = `Wheat that farmers grow in plains. ${'Words of the paper. '.repeat(20)}`;

/** The text that quick and close looks find in a file with this many pages, and which looks were used. */
async function inspected(found: { quick: string; close: string }, pages = 9): Promise<Tried & { looks: string[] }> {
  const looks: string[] = [];
  const tried = await tryPlan(
    {
      title: 'Sand that rivers carry to the sea',
      inspect: async (_path, _kind, look) => {
        looks.push(look);
        return { pages, isEncrypted: false, isReadable: true, text: found[look], isQuick: look !== 'close' };
      },
    },
    whole,
  );
  return { ...tried, looks };
}

test('a file that shows its title on a quick check is saved', async () => {
  for (const quick of [RIGHT, 'Sand that rivers carry to the sea']) {
    const { saved, looks } = await inspected({ quick, close: '' });
    assert.ok(saved);
    assert.deepEqual(looks, ['quick']);
  }
});

for (const [name, quick] of [
  ['another text', WRONG],
  ['no text', ''],
] as const)
  test(`a file that shows ${name} on a quick check is checked in full`, async () => {
    const kept = await inspected({ quick, close: RIGHT });
    assert.ok(kept.saved);
    assert.deepEqual(kept.looks, ['quick', 'close']);
    const refused = await inspected({ quick, close: WRONG });
    assert.deepEqual([refused.saved, refused.attempt.reason], [null, 'identity-mismatch']);
  });

test('a preview of a page or two is not the paper, even if it shows the title', async () => {
  const text = `${RIGHT} This is a preview of subscription content`;
  const { saved, attempt } = await inspected({ quick: text, close: text }, 2);
  assert.deepEqual([saved, attempt.reason], [null, 'preview-only']);
  assert.ok((await inspected({ quick: text, close: text }, 3)).saved);
});

test('a paper of two pages that mentions previews is saved', async () => {
  const text = `${RIGHT} A preview of the next decade: we look inside the cell on its first page of history`;
  assert.ok((await inspected({ quick: text, close: text }, 2)).saved);
});
