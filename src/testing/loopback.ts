import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createSocketServer } from 'node:net';

/** One request as a loopback server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly host: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real server on 127.0.0.1 that remembers what it was asked. */
export interface Loopback extends AsyncDisposable {
  readonly port: number;
  readonly requests: SeenRequest[];
  /** Connections it was offered, with or without a request. */
  connections(): number;
}

/** Serves HTTP on a free port; which host was meant is in the Host header. */
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

/** Serves whatever bytes the test writes, after a request has come: for answers no HTTP library would send. */
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
