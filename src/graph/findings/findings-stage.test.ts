import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';

import type { HttpClientOptions, HttpEvent } from '../../http/index.ts';
import type { Block, ParsedDocument } from '../../parse/index.ts';
import { writeBlockLines } from '../../parse/index.ts';
import { stageOptions } from '../../stage/index.ts';
import type { SeenRequest } from '../../testing/index.ts';
import { HeldClock, loopbackClient, openLoopback, Wire } from '../../testing/index.ts';
import { factsPath } from '../build/stage.ts';
import { graphSources } from '../build/graph-sources.ts';
import type { EdgeStatement } from '../schema.ts';
import { extractDocument } from '../extract/extract-document.ts';
import { findingsPrompt } from './findings-prompt.ts';
import type { ExtractedFindings, FindingsRequest } from './findings-stage.ts';
import { findingsEstimate, readFindings } from './findings-stage.ts';
import { Budget, ModelServer, openModelClient } from '../../model/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'graph-findings-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const FIRST =
  'Warm water bleached corals within 12 days, which is sooner than anybody had thought before. The tanks were looked at every morning by two of us.';
const SECOND =
  'Shade kept the corals of the upper tank from bleaching for the whole summer. Nothing else was changed in that tank, neither its food nor its flow.';

function write(data: string, name: string, texts: readonly string[]): void {
  const document: ParsedDocument = {
    pages: [],
    blocks: texts.map((text, order): Block => ({ kind: 'text', text, order, regions: [] })),
    metadata: { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } },
  };
  const path = join(data, 'DocTagsFiles', `${name}.jsonl`);
  const facts = factsPath(data, name);
  for (const each of [path, facts]) mkdirSync(dirname(each), { recursive: true });
  writeFileSync(path, writeBlockLines(document));
  const known = { title: name, authors: [], doi: null };
  writeFileSync(facts, JSON.stringify({ known, contribution: extractDocument(name, document) }));
}

function request(data: string, more: Partial<FindingsRequest['prices']> = {}): FindingsRequest {
  return {
    dataRoot: data,
    answers: join(data, 'findings.sqlite'),
    model: { url: 'http://model.test/v1/', model: 'm', apiKey: 'sk-secret', maxTokens: 200 },
    sectionsPerDocument: 0,
    prices: { usdPerMillionInput: 1_000, usdPerMillionOutput: 2_000, budgetUsd: 0, budgetTokens: 0, ...more },
  };
}

/** A valid response: the first words of the section are a finding, and every quote supports its finding. */
function answerTo({ body }: SeenRequest, findings?: readonly unknown[], verdict = 'supports'): string {
  const { messages } = JSON.parse(body) as { messages: { content: string }[] };
  const content = messages[1]?.content ?? '';
  const quote = content.split('\n')[1]?.split(/[,.]/)[0];
  const finding = { statement: 'It is so.', quote, subject: 'warm water', relation: 'increases', object: 'bleaching' };
  const answer = content.startsWith('<case')
    ? { verdicts: [{ case: 1, why: 'it does', verdict }] }
    : { findings: findings ?? [{ ...finding, population: '', comparator: '', value: '' }] };
  return JSON.stringify({
    choices: [{ message: { content: JSON.stringify(answer) } }],
    usage: { prompt_tokens: 100, completion_tokens: 50 },
  });
}

const DONE: HttpEvent = { kind: 'request-done', host: '', outcome: '', wireBytes: 0, ms: 0 };

interface Gathering {
  readonly extracted: ExtractedFindings;
  readonly requests: readonly SeenRequest[];
  readonly ms: number;
}

/** Gathers with a server whose n-th response is given; time passes only while no request is in flight. */
async function findingsFrom(
  asked: FindingsRequest,
  behave: (request: SeenRequest, response: ServerResponse, number: number) => void,
  more: HttpClientOptions & { readonly late?: boolean } = {},
): Promise<Gathering> {
  const clock = new HeldClock(0);
  const wire = new Wire(clock);
  let number = 0;
  await using server = await openLoopback((seen, response) => {
    // The request counts as done on arrival, because no response will follow.
    if (more.late) wire.report(DONE);
    behave(seen, response, (number += 1));
  });
  await using client = loopbackClient(server, {
    clock,
    random: () => 0.5,
    ...more,
    report: (event) => (more.late && event.kind === 'request-done' ? undefined : wire.report(event)),
    retry: { retries: 2, baseMs: 1_000, parkAfterMs: 60_000, ...more.retry },
  });
  const options = stageOptions({
    policy: 'io',
    workers: 1,
    retries: 0,
    manifestDir: join(asked.dataRoot, 'Manifests'),
    handleSignals: false,
    durable: false,
  });
  const { result, ms } = await wire.settle(readFindings(asked, client.send, options));
  return { extracted: result, requests: server.requests, ms };
}

function twoDocuments(name: string): string {
  const data = join(folder, name);
  write(data, 'A', [FIRST]);
  write(data, 'B', [SECOND]);
  return data;
}

test('findings are in the graph with quote and model; no section is sent twice', async () => {
  const data = twoDocuments('good');
  const asked = request(data);
  const { extracted, requests } = await findingsFrom(asked, (seen, response) => void response.end(answerTo(seen)));
  assert.deepEqual(
    [extracted.findings, extracted.dropped, extracted.inputTokens, extracted.outputTokens, extracted.usd],
    [2, {}, 400, 200, 0.8],
  );
  assert.equal(requests[0]?.url, '/v1/chat/completions');
  assert.equal(requests[0]?.headers.authorization, 'Bearer sk-secret');
  assert.match(requests[0]?.body ?? '', /"temperature":0.*"response_format":\{"type":"json_schema"/);
  const stated = (): unknown[] => {
    const [first] = graphSources({ dataRoot: data });
    assert.ok(first);
    const edges = first.read().edges.filter(({ kind }) => kind === 'states');
    return [first.hasStaleFindings, ...edges.map(({ evidence }) => evidence)];
  };
  const [isStale, evidence] = stated() as [boolean, EdgeStatement['evidence']];
  assert.deepEqual(
    [isStale, evidence.method, evidence.version, evidence.detail['model']],
    [false, 'finding-model', 2, 'm'],
  );
  assert.ok(evidence.place.kind === 'text');
  const { quote, start, end } = evidence.place;
  assert.deepEqual([quote, start, end], ['Warm water bleached corals within 12 days', 0, 41]);
  const again = await findingsFrom(asked, (_seen, response) => void response.writeHead(500).end());
  assert.deepEqual([again.requests.length, again.extracted.findings, again.extracted.usd], [0, 0, 0]);
  // A document whose text has changed keeps no finding of the old text, and only its new section is sent.
  write(data, 'A', [`Indeed ${FIRST}`, SECOND]);
  assert.deepEqual(stated(), [true]);
  const changed = await findingsFrom(asked, (seen, response) => void response.end(answerTo(seen)));
  assert.deepEqual([changed.requests.length, changed.extracted.findings], [2, 1]);
  assert.equal(stated()[0], false);
});

test('the cost is estimated and the budget is respected; stored responses cost nothing', async () => {
  const data = twoDocuments('budget');
  await using server = await openLoopback((_seen, response) => void response.end());
  await using client = loopbackClient(server);
  const estimate = await findingsEstimate(request(data), client.send);
  assert.deepEqual([estimate.documents, estimate.sections, estimate.known, estimate.mostOutputTokens], [2, 2, 0, 800]);
  assert.equal(estimate.mostUsd, (estimate.inputTokens * 1_000 + 800 * 2_000) / 1e6);
  assert.equal(server.requests.length, 0);
  // Enough for one section and its check with the longest response, but not for two.
  const tight = request(data, { budgetTokens: estimate.inputTokens / 4 + 420 });
  const first = await findingsFrom(tight, (seen, response) => void response.end(answerTo(seen)));
  assert.deepEqual([first.requests.length, first.extracted.tooDear, first.extracted.findings], [2, 1, 1]);
  const tokens = request(data, { budgetTokens: 10 });
  assert.equal((await findingsFrom(tokens, (seen, response) => void response.end(answerTo(seen)))).requests.length, 0);
  const second = await findingsFrom(tight, (seen, response) => void response.end(answerTo(seen)));
  assert.deepEqual([second.requests.length, second.extracted.tooDear, second.extracted.findings], [2, 0, 1]);
});

test('invented quotes and unreadable responses are counted and dropped', async () => {
  const data = twoDocuments('invented');
  const invented = {
    statement: 'It is so.',
    quote: 'corals were never bleached',
    subject: 'a',
    relation: 'increases',
    object: 'b',
  };
  const { extracted, requests } = await findingsFrom(request(data), (seen, response, number) => {
    response.end(number === 1 ? answerTo(seen, [invented]) : '<html>not JSON');
  });
  assert.deepEqual(
    [extracted.findings, extracted.dropped, extracted.unreadable, extracted.outcome.failed],
    [0, { 'quote-not-in-section': 1 }, 1, 0],
  );
  assert.equal(requests.length, 3, 'an unreadable response is requested once more');
});

test('a busy server is retried after the time it asks for', async () => {
  const data = twoDocuments('busy');
  const { extracted, requests, ms } = await findingsFrom(request(data), (seen, response, number) => {
    if (number === 1) response.writeHead(429, { 'retry-after': '20' }).end();
    else if (number === 3) response.writeHead(500).end();
    else response.end(answerTo(seen));
  });
  assert.deepEqual([extracted.findings, requests.length, extracted.outcome.failed], [2, 6, 0]);
  assert.ok(ms >= 20_000 && ms < 40_000, String(ms));
});

test('a server that is down, refuses or asks for too long a wait stops the run, and the next run resumes', async () => {
  const data = twoDocuments('gone');
  const cases: [string, (response: ServerResponse) => void, string][] = [
    ['500 for ever', (response) => void response.writeHead(500).end('boom'), 'MODEL_UNAVAILABLE'],
    [
      '429 for a day',
      (response) => void response.writeHead(429, { 'retry-after': '86400' }).end(),
      'MODEL_UNAVAILABLE',
    ],
    ['a wrong key', (response) => void response.writeHead(401).end('no such key'), 'MODEL_REFUSED'],
    ['a connection that breaks', (response) => void response.destroy(), 'MODEL_UNAVAILABLE'],
  ];
  for (const [name, behave, code] of cases) {
    const { extracted } = await findingsFrom(request(data), (_seen, response) => behave(response));
    assert.deepEqual([extracted.outcome.errors[0]?.code, extracted.findings], [code, 0], name);
    assert.equal(extracted.outcome.cancelled, true, name);
  }
  const { extracted } = await findingsFrom(request(data), (seen, response) => void response.end(answerTo(seen)));
  assert.equal(extracted.findings, 2);
});

test('a response that never ends or never arrives is given up', async () => {
  const data = twoDocuments('slow');
  const large = await findingsFrom(
    request(data),
    (_seen, response) => void response.end(JSON.stringify({ choices: [], noise: 'x'.repeat(50_000) })),
    { limits: { maxMemoryBytes: 10_000 } },
  );
  assert.deepEqual(
    large.extracted.outcome.errors.map(({ code }) => code),
    ['MODEL_ANSWER', 'MODEL_ANSWER'],
  );
  const slow = await findingsFrom(request(data), () => undefined, {
    late: true,
    limits: { headersMs: 5_000 },
    retry: { retries: 0 },
  });
  assert.match(slow.extracted.outcome.errors[0]?.message ?? '', /headers-timeout/);
});

test('a server without schema support gets requests without a schema', async () => {
  const data = twoDocuments('plain');
  const { extracted, requests } = await findingsFrom(request(data), (seen, response) => {
    if (seen.body.includes('response_format'))
      response.writeHead(400).end('{"error":"response_format is not supported"}');
    else response.end(answerTo(seen));
  });
  assert.deepEqual([extracted.findings, requests.length], [2, 5]);
});

test('concurrent requests reserve their cost, so that together they stay within the budget', () => {
  const budget = new Budget({ usdPerMillionInput: 0, usdPerMillionOutput: 0, budgetUsd: 0, budgetTokens: 250 });
  const first = budget.setAside(50, 100);
  assert.ok(first);
  assert.equal(budget.setAside(50, 100), undefined, 'the first may still spend its whole reservation');
  budget.spend({ inputTokens: 50, outputTokens: 10 });
  first[Symbol.dispose]();
  assert.ok(budget.setAside(50, 100), 'it spent less');
});

test('a server on this machine is allowed, and its redirects are not followed', async () => {
  await using elsewhere = await openLoopback((_seen, response) => void response.end('{}'));
  await using server = await openLoopback((seen, response) => {
    if (seen.url.startsWith('/moved'))
      response.writeHead(307, { location: `http://127.0.0.1:${elsewhere.port}/` }).end();
    else response.end(answerTo(seen));
  });
  const url = `http://127.0.0.1:${server.port}`;
  await using client = openModelClient(`${url}/v1`, {
    contact: '',
    proxy: { http: '', https: '', no: '' },
    concurrency: 1,
    perSecond: 1_000,
    timeoutMs: 60_000,
    retries: 0,
    longestWaitMs: 60_000,
  });
  const settings = { model: 'm', apiKey: 'sk-secret', maxTokens: 100 };
  const answer = await new ModelServer({ ...settings, url: `${url}/v1` }, client.send).ask(
    findingsPrompt({ title: null, heading: null, abbreviations: [], text: FIRST, blocks: [] }),
  );
  assert.deepEqual([answer.inputTokens, answer.outputTokens], [100, 50]);
  const moved = new ModelServer({ ...settings, url: `${url}/moved` }, client.send).ask(
    findingsPrompt({ title: null, heading: null, abbreviations: [], text: FIRST, blocks: [] }),
  );
  await assert.rejects(moved, { code: 'MODEL_REFUSED' });
  assert.deepEqual(elsewhere.requests, []);
});

test('what its quote does not support is no finding, and only named documents are read', async () => {
  const data = twoDocuments('unsupported');
  const asked = { ...request(data), documents: new Set(['A']) };
  const { extracted, requests } = await findingsFrom(
    asked,
    (seen, response) => void response.end(answerTo(seen, undefined, 'contradicts')),
  );
  assert.deepEqual([requests.length, extracted.findings, extracted.dropped], [2, 0, { contradicted: 1 }]);
});
