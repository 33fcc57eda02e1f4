import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';

export const TOKEN = 'a-token-for-the-bench';
const CONNECTIONS = 16;

/** What a load of requests came to. */
export interface Load {
  readonly perSecond: number;
  readonly p99: number;
}

export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

function question(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`;
}

/** One question and its whole answer, whose length its head tells. */
export async function exchange(socket: Socket, path: string): Promise<Buffer> {
  socket.write(question(path));
  let answer: Buffer = Buffer.alloc(0);
  for (let wanted = Infinity; answer.length < wanted;) {
    const [piece] = (await once(socket, 'data')) as [Buffer];
    answer = answer.length === 0 ? piece : Buffer.concat([answer, piece]);
    const end = answer.indexOf('\r\n\r\n');
    if (end === -1 || wanted !== Infinity) continue;
    const head = answer.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(`${path}: ${head.split('\r\n', 1)[0] ?? ''}`);
    wanted = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  }
  return answer;
}

/** Asks paths again and again over several connections. */
export async function load(port: number, paths: readonly string[], requests: number): Promise<Load> {
  const times: number[] = [];
  let asked = 0;
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    const socket = await open(port);
    while (asked < requests) {
      const path = paths[asked % paths.length] ?? '/';
      asked += 1;
      const at = performance.now();
      await exchange(socket, path);
      times.push(performance.now() - at);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return { perSecond: (requests * 1000) / (performance.now() - startedAt), p99: percentile(times, 0.99) };
}

/** Streams of events that somebody reads; `heard` is told of every event with the moment it speaks of. */
export async function watch(
  port: number,
  watchers: number,
  heard: (at: number) => void = () => undefined,
): Promise<Disposable> {
  const sockets = await Promise.all(
    Array.from({ length: watchers }, async () => {
      const socket = await open(port);
      socket.write(question('/api/v1/events'));
      await once(socket, 'data');
      let rest = '';
      socket.on('data', (piece: Buffer) => {
        const messages = (rest + piece.toString('latin1')).split('\n\n');
        rest = messages.pop() ?? '';
        for (const message of messages) {
          const at = message.includes('event: event\n') ? /"at":"([^"]+)"/.exec(message)?.[1] : undefined;
          if (at !== undefined) heard(Date.parse(at));
        }
      });
      return socket;
    }),
  );
  return { [Symbol.dispose]: () => sockets.forEach((socket) => socket.destroy()) };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Seconds of processor time that a process has used, and its memory in megabytes. */
export function usage(pid: number | undefined): { readonly cpu: number; readonly megabytes: number } {
  if (process.platform !== 'linux') return { cpu: 0, megabytes: 0 };
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, megabytes: (pages * 4096) / 1e6 };
}
