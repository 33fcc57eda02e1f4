import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';

import { ReadBuffers } from './read-buffers.ts';

const BYTES = 2_000_000;
const body = Buffer.from(Array.from({ length: BYTES }, (_, at) => (at * 31 + (at >> 8)) % 251));

async function opened(buffers: ReadBuffers, port: number): Promise<Socket> {
  const reading = buffers.reading();
  const socket = connect({ host: '127.0.0.1', port, ...reading });
  reading.attach(socket);
  await once(socket, 'connect');
  return socket;
}

/** Everything that comes, where of every other chunk a part is put back and stays unread while more comes. */
async function readInParts(socket: Socket, buffers: ReadBuffers): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let turn = 0; !socket.closed; turn += 1) {
    const chunk = socket.read() as Buffer | null;
    const half = turn % 2 === 0 ? (chunk?.length ?? 0) >> 1 : (chunk?.length ?? 0);
    if (chunk !== null) parts.push(Buffer.from(chunk.subarray(0, half)));
    if (chunk !== null) buffers.used(chunk);
    if (chunk !== null && half < chunk.length) socket.unshift(chunk.subarray(half));
    await new Promise(setImmediate);
  }
  return Buffer.concat(parts);
}

test('what is unread is not written over, and what was read is read into again', async (t) => {
  const server = createServer((socket) => socket.end(body));
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const buffers = new ReadBuffers();
  for (let round = 0; round < 3; round += 1) {
    const sockets = await Promise.all(Array.from({ length: 4 }, () => opened(buffers, port)));
    const seen = await Promise.all(sockets.map((socket) => readInParts(socket, buffers)));
    for (const each of seen) assert.ok(each.equals(body));
  }
  // One connection after another reads into few buffers, however much comes.
  const used = new Set<ArrayBufferLike>();
  for (let round = 0; round < 3; round += 1) {
    const socket = await opened(buffers, port);
    socket.on('data', (chunk: Buffer) => {
      used.add(chunk.buffer);
      buffers.used(chunk);
    });
    await once(socket, 'close');
  }
  assert.ok(used.size <= 30, `${used.size} buffers for ${3 * BYTES} bytes`);
});
