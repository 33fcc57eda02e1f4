import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type * as z from 'zod';

import type { Clock } from '../base/index.ts';
import { AppError, isAbort, loggedError, systemClock } from '../base/index.ts';
import type { AskedRun } from '../questions/index.ts';
import { apiRoutes } from './api/routes.ts';
import type { Gate } from './http/gate.ts';
import { createGate } from './http/gate.ts';
import { Problem, problemBody, problemOf, readBody } from './http/problem.ts';
import { checked, createRouter } from './http/router.ts';
import {
  API_HEADERS,
  jsonLines,
  LINES_TYPE,
  PAGE_HEADERS,
  sendBody,
  sendJson,
  sendPieces,
  sendProblem,
  sendStream,
} from './http/send.ts';
import { metricsText } from './metrics.ts';
import type { Watched, Monitor } from './watch/monitor.ts';
import { openMonitor } from './watch/monitor.ts';

interface FetchHandler extends AsyncDisposable {
  fetch(request: Request): Promise<Response>;
}

export interface ServerOptions extends Pick<Watched, 'runs' | 'queue' | 'hosts' | 'log'> {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly token: string;
  /** Further host names that clients use. */
  readonly names?: readonly string[];
  readonly allowControl?: boolean;
  /** Log file of control actions; without one they are only reported. */
  readonly controlLog?: string | undefined;
  readonly version: string;
  /** What to type to start a worker of the queue. */
  readonly workerCommand?: string | undefined;
  /** Opened at the first request for `/mcp`. */
  readonly mcp?: ((runs: readonly AskedRun[]) => Promise<FetchHandler>) | undefined;
  readonly clock?: Clock;
  readonly maxConnections?: number;
  readonly headersMs?: number;
  readonly silentMs?: number;
}

export interface CorpusServer extends AsyncDisposable {
  readonly port: number;
  /** Its address, without the token. */
  readonly url: string;
  /** A link that signs in a browser. */
  readonly link: string;
}

const PAGES =
  /^\/(?:works|search|ask|table|graph|notes|screen|full-texts|conflicts|flow|now|queue|hosts|stages|summary)?$/;
const PREFIX = '/api/v1';
const BODY_BYTES = 65_536;
const MCP_BODY_BYTES = 1_048_576;
const MOST_DOWNLOADS = 4;
/** Long, because the timer also runs while the process is busy and reads nothing. */
const HEADERS_MS = 60_000;
const REQUEST_MS = 120_000;
const KEEP_ALIVE_MS = 10_000;
/** Connections on which nothing moves are closed after this; event streams send something more often. */
const SILENT_MS = 60_000;
const MAX_CONNECTIONS = 12_000;
const MAX_HEADER_BYTES = 16_384;

/** Pages for people, `/api/v1` for programs, `/mcp` for assistants. Every request needs the token. */
export async function openServer(options: ServerOptions): Promise<CorpusServer> {
  const { host, token, names = [], clock = systemClock } = options;
  const opened = new AsyncDisposableStack();
  const monitor = opened.use(openMonitor({ ...options, clock }));
  const gate = createGate(token, host, names);
  const { mcp: openMcp } = options;
  const mcp = openMcp && lazily(async () => opened.use(await openMcp([...monitor.runs.values()])));
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: options.headersMs ?? HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1_000,
  });
  server.timeout = options.silentMs ?? SILENT_MS;
  server.maxHeadersCount = 100;
  const connections = limitConnections(server, options.maxConnections ?? MAX_CONNECTIONS);
  const answer = requestHandler({ monitor, gate, mcp, clock, connections: connections.count }, options);
  server.on('request', (request, response) => void answerRequest(request, response, answer, options.log));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    rejectRequest(error, socket as Socket, connections.isIdle(socket as Socket)),
  );
  await new Promise<void>((listening, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) => failed(cannotListen(error, host, options.port)));
    // A client whose connection does not fit in the line is asked to wait for seconds by its kernel.
    server.listen({ host, port: options.port, backlog: MAX_CONNECTIONS }, listening);
  });
  const { port } = server.address() as AddressInfo;
  monitor.start();
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${shown}:${port}/`;
  return {
    port,
    url,
    link: `${url}?token=${encodeURIComponent(token)}`,
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
      await opened.disposeAsync();
    },
  };
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

type Answering = (request: IncomingMessage, response: ServerResponse, signal: AbortSignal) => Promise<void>;

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answering,
  log: ServerOptions['log'],
): Promise<void> {
  // A client may wait for a slow answer; one that sends or reads nothing itself is disconnected.
  response.on('timeout', () => {
    if (response.headersSent || !request.complete) response.destroy();
  });
  const left = new AbortController();
  response.once('close', () => left.abort());
  try {
    await answer(request, response, left.signal);
  } catch (error) {
    // The client disconnected; there is no response to send.
    if (response.destroyed || (isAbort(error) && response.headersSent)) {
      response.destroy();
      return;
    }
    const problem = problemOf(error);
    if (problem.status === 500)
      log('error', `${request.method ?? ''} ${request.url?.split('?', 1)[0] ?? ''}: ${loggedError(error)}`);
    sendProblem(request, response, problem);
  }
}

interface Served {
  readonly monitor: Monitor;
  readonly gate: Gate;
  readonly mcp: (() => Promise<FetchHandler>) | undefined;
  readonly clock: Clock;
  readonly connections: () => number;
}

function requestHandler({ monitor, gate, mcp, clock, connections }: Served, options: ServerOptions): Answering {
  const { version, allowControl = false, controlLog, log } = options;
  const control = { isAllowed: allowControl, path: controlLog, log };
  const api = createRouter(
    apiRoutes({
      monitor,
      clock,
      version,
      workerCommand: options.workerCommand ?? null,
      control,
      hasMcp: mcp !== undefined,
    }),
    monitor.runs,
    version,
  );
  const page = lazily(async () => await (await import('./page-assets.ts')).pageAssets());
  let downloads = 0;

  const answerApi: Answering = async (request, response, signal) => {
    const { route: found, named } = api.match(request.method ?? '', (request.url ?? '').slice(PREFIX.length));
    const body = found.bodySchema ? await bodyOf(request, found.bodySchema) : undefined;
    await monitor.refresh();
    const answer = await found.handle({ ...named, body, request, signal } as never);
    switch (answer.kind) {
      case 'json':
        sendJson(request, response, answer.value);
        break;
      case 'bytes':
        sendBody(request, response, { type: answer.type, body: answer.bytes, headers: API_HEADERS });
        break;
      case 'pieces':
      case 'file':
        if (downloads >= MOST_DOWNLOADS)
          throw new Problem(503, 'TOO_BUSY', 'too many concurrent downloads', { headers: { 'retry-after': '5' } });
        downloads += 1;
        await sendPieces(response, answer, signal).finally(() => (downloads -= 1));
        break;
      case 'lines':
        await sendStream(response, LINES_TYPE, jsonLines(answer.lines, signal), signal);
        break;
      case 'events':
        await sendStream(response, 'text/event-stream', answer.events, signal);
    }
  };

  return async (request, response, signal) => {
    const { method = '', url = '' } = request;
    if (!url.startsWith('/') || url.length > 8_192) throw new Problem(400, 'USAGE_URL', 'expected a path');
    gate.checkPlace(request);
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const isRead = method === 'GET' || method === 'HEAD';
    if (path === '/healthz' || path === '/readyz') {
      const isGood = path === '/healthz' || monitor.isReady;
      const body = isGood ? 'ok\n' : 'reading\n';
      const head = { ...API_HEADERS, 'content-type': 'text/plain', 'content-length': body.length };
      response.writeHead(isGood ? 200 : 503, head).end(body);
      return;
    }
    const isPage = isRead && PAGES.test(path);
    const link = isPage && mark !== -1 ? new URLSearchParams(url.slice(mark + 1)) : null;
    const signIn = gate.checkToken(request, link, path);
    const handler = path === '/mcp' ? await mcp?.() : undefined;
    if (signIn) response.writeHead(303, { ...PAGE_HEADERS, ...signIn }).end();
    else if (path.startsWith(`${PREFIX}/`)) await answerApi(request, response, signal);
    else if (handler) await answerWithFetch(handler, request, response, signal);
    else if (!isRead)
      throw new Problem(405, 'METHOD', 'method not allowed; use GET', { headers: { allow: 'GET, HEAD' } });
    else if (path === '/metrics') {
      await monitor.refresh();
      const body = Buffer.from(metricsText(monitor, connections()));
      sendBody(request, response, { type: 'text/plain; version=0.0.4; charset=utf-8', body, headers: API_HEADERS });
    } else if (isPage) {
      const { html } = await page();
      sendBody(request, response, { type: 'text/html; charset=utf-8', body: html, headers: PAGE_HEADERS });
    } else {
      const asset = path.startsWith('/assets/') ? (await page()).files.get(path) : undefined;
      if (!asset) throw new Problem(404, 'NO_PAGE', 'not found');
      const headers = { ...PAGE_HEADERS, 'cache-control': 'private, max-age=31536000, immutable' };
      sendBody(request, response, { ...asset, headers });
    }
  };
}

async function bodyOf(request: IncomingMessage, schema: z.ZodType): Promise<unknown> {
  if (!/^application\/json(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new Problem(415, 'USAGE_BODY', 'expected a body of type application/json');
  const text = (await readBody(request, BODY_BYTES)).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem(400, 'USAGE_BODY', 'the body is not JSON');
  }
  return checked(schema, value, 'body');
}

/** Mounts a fetch handler; bounds the request body and respects backpressure of the response. */
async function answerWithFetch(
  handler: FetchHandler,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && name !== 'authorization' && name !== 'cookie')
      headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  const hasBody = request.method === 'POST';
  const asked = new Request(`http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`, {
    method: request.method ?? 'GET',
    headers,
    signal,
    ...(hasBody && { body: new Uint8Array(await readBody(request, MCP_BODY_BYTES)) }),
  });
  // The signal of a Request is aborted only while the Request is reachable: this listener refers to it.
  response.once('close', () => void asked);
  const answered = await handler.fetch(asked);
  response.writeHead(answered.status, { ...API_HEADERS, ...Object.fromEntries(answered.headers) });
  if (answered.body === null) response.end();
  else await pipeline(Readable.fromWeb(answered.body), response, { signal });
}

const REJECTED: Readonly<Record<string, Problem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'REQUEST_TIMEOUT', 'the request was not completed in time'),
  HPE_HEADER_OVERFLOW: new Problem(431, 'HEADERS_TOO_LARGE', `headers are limited to ${MAX_HEADER_BYTES} bytes`),
};

/** Answers a request that Node could not read; Node's own answer has no body. */
function rejectRequest({ code = '' }: NodeJS.ErrnoException, socket: Socket, isIdle: boolean): void {
  const problem = REJECTED[code] ?? new Problem(400, 'USAGE_REQUEST', 'the request is not valid HTTP');
  const body = JSON.stringify(problemBody(problem));
  // Another response may be in progress on the connection.
  if (isIdle && socket.writable)
    socket.write(
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nconnection: close\r\ncontent-type: application/problem+json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  socket.destroySoon();
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): unknown {
  if (error.code === 'EADDRINUSE')
    return new AppError('SERVE_PORT_TAKEN', `another program is listening on ${host}:${port}`, {
      hint: 'choose another port with --port, or 0 for a free one',
      cause: error,
    });
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EACCES')
    return new AppError('USAGE_HOST', `cannot listen on ${host}:${port}: ${error.code}`, {
      hint: '--host must be an address of this machine, such as 127.0.0.1 or 0.0.0.0',
      cause: error,
    });
  return error;
}

/** At the limit, closes the connection idle longest: a client that opens thousands cannot lock others out. */
function limitConnections(server: Server, most: number) {
  /** Idle connections, longest idle first. */
  const idle = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket) => {
    count += 1;
    idle.add(socket);
    socket.on('close', () => {
      count -= 1;
      idle.delete(socket);
    });
    const [oldest] = idle;
    if (count > most) oldest?.destroy();
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    response.on('close', () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });
  return { count: () => count, isIdle: (socket: Socket) => idle.has(socket) };
}
