import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createSocketServer } from 'node:net';

import type { HttpClient, HttpClientOptions } from '../http/index.ts';
import { createClient } from '../http/index.ts';

/** A request to a server on loopback. */
export interface SeenRequest {
  /** For example `GET`. */
  readonly method: string;
  /** The Host header, without the port. */
  readonly host: string;
  /** Path and query. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: IncomingHttpHeaders;
  /** As text; empty if there was none. */
  readonly body: string;
}

/** A real server on 127.0.0.1 that records its requests. */
export interface Loopback extends AsyncDisposable {
  /** On 127.0.0.1. */
  readonly port: number;
  /** What was requested so far. */
  readonly requests: SeenRequest[];
  /** Connections opened, with or without a request. */
  connections(): number;
}

/** Serves HTTP on a free port; the intended host is in the Host header. */
export async function openLoopback(
  handle: (request: SeenRequest, response: ServerResponse) => void | Promise<void>,
): Promise<Loopback> {
  const requests: SeenRequest[] = [];
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    void readBody(incoming).then((body) => {
      const seen: SeenRequest = {
        method: incoming.method ?? '',
        host: (incoming.headers.host ?? '').replace(/:\d+$/, ''),
        url: incoming.url ?? '',
        headers: incoming.headers,
        body,
      };
      requests.push(seen);
      return handle(seen, response);
    });
  });
  return listen(server, requests);
}

/** Sends the bytes that the test writes after a request: for responses no HTTP library would send. */
export async function openRawLoopback(answer: (socket: Socket, request: string) => void): Promise<Loopback> {
  const requests: SeenRequest[] = [];
  const server = createSocketServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      const [method = '', url = ''] = text.split(' ');
      requests.push({ method, url, host: /\r\nhost: ([^\r:]*)/i.exec(text)?.[1] ?? '', headers: {}, body: '' });
      answer(socket, text);
    });
  });
  return listen(server, requests);
}

async function listen(server: Server, requests: SeenRequest[]): Promise<Loopback> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => connections,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Every name under `.test` is the loopback server. No rate limit and no robots.txt by default. */
export function loopbackClient(loopback: Pick<Loopback, 'port'>, options: HttpClientOptions = {}): HttpClient {
  return createClient({
    obeyRobots: false,
    perHost: { perSecond: Infinity, concurrency: 64 },
    ...options,
    retry: { retries: 0, ...options.retry },
    guard: {
      ...options.guard,
      dnsMap: [{ pattern: '*.test', address: '127.0.0.1', port: loopback.port }, ...(options.guard?.dnsMap ?? [])],
    },
  });
}

/** A request to a JSON server. */
export interface Received {
  /** For example `POST`. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** By lower-case name. */
  readonly headers: IncomingHttpHeaders;
  /** Parsed; undefined if there was none. */
  readonly body: unknown;
}

/** Serves JSON on loopback and records what it receives. */
export async function openJsonServer(
  answer: (request: Received, response: ServerResponse) => void | Promise<void>,
): Promise<AsyncDisposable & { readonly url: string; readonly received: readonly Received[] }> {
  const received: Received[] = [];
  const loopback = await openLoopback(({ method, url, headers, body }, response) => {
    const record = { method, path: url, headers, body: body === '' ? undefined : (JSON.parse(body) as unknown) };
    received.push(record);
    return answer(record, response);
  });
  return {
    url: `http://127.0.0.1:${loopback.port}`,
    received,
    [Symbol.asyncDispose]: () => loopback[Symbol.asyncDispose](),
  };
}

/** Answers with a value as JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}
