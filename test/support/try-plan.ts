import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Plan } from '../../src/resolve/index.ts';
import type { SeenRequest } from '../../src/testing/index.ts';
import { HeldClock, loopbackClient, openLoopback, Wire } from '../../src/testing/index.ts';
import { workFromPayload } from '../../src/works/index.ts';
import { KeptFiles } from '../../src/download/kept-files.ts';
import type { Trial, TryOptions } from '../../src/download/try-plan.ts';
import { PlanTrier } from '../../src/download/try-plan.ts';

/** A file, another of the same length, and how much of one is sent before its connection breaks. */
export const PDF = Buffer.from(`%PDF-1.4\n${'true bytes '.repeat(30_000)}\nstartxref\n0\n%%EOF\n`);
export const OTHER = Buffer.from(PDF.toString('latin1').replaceAll('true', 'fake'), 'latin1');
export const HALF = 100_000;

/** How a server answers one request. */
export type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** As `tryPlan`, with a plan as it usually is. */
export async function tryAgainst(...answers: readonly Answer[]): Promise<Tried> {
  return tryPlan({}, ...answers);
}

/** What came of a plan, the saved bytes, and the range of each request. */
export interface Tried extends Trial {
  readonly saved: Buffer | null;
  readonly ranges: readonly string[];
}

/** Tries a plan, with changes, against a server that sends the responses in turn; the last one is repeated. */
export async function tryPlan(
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

/** Half of the file, then the connection breaks. */
export const breaksOff: Answer = (_request, response) => {
  response.writeHead(200, { etag: '"one"', 'content-length': PDF.length, 'content-type': 'application/pdf' });
  response.write(PDF.subarray(0, HALF), () => setTimeout(() => response.destroy(), 0));
};

/** The other file, whole. */
export const whole: Answer = (_request, response) => {
  response.writeHead(200, { etag: '"two"', 'content-length': OTHER.length }).end(OTHER);
};

/** The rest of a file as a server may send it: correct by default, and always with the right length. */
export const rest =
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
