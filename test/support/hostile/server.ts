import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';

/** A request as a hostile server meets it. */
export interface Met {
  readonly socket: Socket;
  readonly path: string;
  /** The request as it came, header names in lower case. */
  readonly text: string;
  /** How often this path of this host was asked before. */
  readonly before: number;
  /** `http://host`, for links that lead back. */
  readonly origin: string;
  readonly port: number;
  /** Of something on this machine that must not be reached. */
  readonly canary: string;
}

export type Answer = (met: Met) => void;

/** One way to treat a visitor badly. */
export interface HostileCase {
  readonly name: string;
  readonly answer: Answer;
  /** What robots.txt answers; nothing is there by default. */
  readonly robots?: Answer;
  /** Files asked for, one work each: `/1.pdf`, `/2.pdf`, … */
  readonly works?: number;
  /** What may be kept of a path: these bytes and no others. By default nothing may. */
  readonly mayKeep?: (path: string) => Buffer | undefined;
}

/** A whole PDF that no other case has. */
export function pdfOf(word: string, bytes = 0): Buffer {
  const filling = `% ${word} `.repeat(Math.ceil(bytes / (word.length + 3)));
  return Buffer.from(
    `%PDF-1.4\n% ${word}\n${filling}\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ` +
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Size 4/Root 1 0 R>>\nstartxref\n9\n%%EOF\n',
  );
}

/** The lines of an answer before its body. */
export function head(status: string, headers: Readonly<Record<string, string | number>> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
}

/** A well-formed answer. */
export function send(
  socket: Socket,
  status: string,
  headers: Readonly<Record<string, string | number>>,
  body: Buffer | string = '',
): void {
  socket.write(head(status, { 'content-length': Buffer.byteLength(body), ...headers }));
  socket.write(body);
}

/** Writes again and again, as fast as it is read, until nobody reads any more. */
export function endless(socket: Socket, chunk: Buffer | string): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

/** Writes a little now and then until nobody reads any more. */
export function trickle(socket: Socket, chunk: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(chunk), everyMs);
  socket.on('close', () => clearInterval(timer));
}

/** Serves every case under a host name of its own, and a canary that nobody may find. */
export class HostileServer implements AsyncDisposable {
  readonly #cases: ReadonlyMap<string, HostileCase>;
  readonly #domain: string;
  readonly #asked = new Map<string, number>();
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#meet(socket));
  readonly #canary = createServer((socket) => {
    this.canaryVisits += 1;
    this.#watch(socket);
    send(socket, '200 OK', { connection: 'close' }, pdfOf('CANARY'));
  });
  canaryVisits = 0;

  constructor(cases: readonly HostileCase[], domain: string) {
    this.#domain = domain;
    this.#cases = new Map(cases.map((each) => [each.name, each]));
  }

  async listen(): Promise<number> {
    for (const server of [this.#server, this.#canary])
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return portOf(this.#server);
  }

  #watch(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
  }

  #meet(socket: Socket): void {
    this.#watch(socket);
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        this.#answer(socket, text.slice(0, end));
        text = text.slice(end + 4);
      }
    });
  }

  #answer(socket: Socket, text: string): void {
    const path = text.split(' ')[1] ?? '/';
    const host = /\r\nhost: ([^\r:]*)/i.exec(text)?.[1] ?? '';
    const key = `${host}${path}`;
    const before = this.#asked.get(key) ?? 0;
    this.#asked.set(key, before + 1);
    const found = this.#cases.get(host.replace(`.${this.#domain}`, ''));
    const isRobots = path === '/robots.txt';
    const answer = isRobots ? found?.robots : found?.answer;
    const canary = `127.0.0.1:${portOf(this.#canary)}`;
    if (answer)
      answer({
        socket,
        path,
        before,
        text: text.toLowerCase(),
        origin: `http://${host}`,
        port: portOf(this.#server),
        canary,
      });
    else send(socket, '404 Not Found', {}, isRobots ? '' : 'nothing here');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    for (const server of [this.#server, this.#canary]) await new Promise((done) => server.close(done));
  }
}

function portOf(server: ReturnType<typeof createServer>): number {
  return (server.address() as AddressInfo).port;
}
