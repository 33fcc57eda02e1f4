import type { ServerResponse } from 'node:http';

import type { Clock } from '../../src/base/index.ts';
import { wait } from '../../src/base/index.ts';
import type { Reply } from './reply.ts';

/** Maximum duration of a stream. */
const MOST_BYTES = 20 * 1024 ** 3;

/** Writes a response with its transport; resolves with the number of body bytes sent. */
export async function send(response: ServerResponse, reply: Reply, clock: Clock, isHead: boolean): Promise<number> {
  const { transport } = reply;
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
  if (transport?.kind === 'reset') {
    response.socket?.resetAndDestroy();
    return 0;
  }
  if (transport?.kind === 'hang') {
    await closed(response);
    return 0;
  }
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers))
    response.setHeader(name, typeof value === 'string' ? value : [...value]);
  if (transport === undefined) {
    if (reply.status !== 304 && !response.hasHeader('content-length'))
      response.setHeader('content-length', body.length);
    response.end(isHead ? undefined : body);
    return isHead ? 0 : body.length;
  }
  if (isHead) {
    response.end();
    return 0;
  }
  switch (transport.kind) {
    case 'short':
      response.setHeader('content-length', body.length);
      await write(response, body.subarray(0, transport.bytes));
      response.destroy();
      return transport.bytes;
    case 'chunked-cut':
      await write(response, body.subarray(0, transport.bytes));
      response.destroy();
      return transport.bytes;
    case 'stall':
      response.setHeader('content-length', body.length);
      await write(response, body.subarray(0, transport.bytes));
      await closed(response);
      return transport.bytes;
    case 'drip':
      return drip(response, body, clock, transport.everyMs);
    case 'repeat':
      return repeat(response, body, transport.times, transport.length);
  }
}

async function drip(response: ServerResponse, body: Uint8Array, clock: Clock, everyMs: number): Promise<number> {
  response.setHeader('content-length', body.length);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let sent = 0;
  while (sent < body.length && !gone.signal.aborted) {
    await write(response, body.subarray(sent, sent + 1));
    sent += 1;
    await wait(clock, everyMs, gone.signal).catch(() => undefined);
  }
  if (!gone.signal.aborted) response.end();
  return sent;
}

async function repeat(response: ServerResponse, block: Uint8Array, times: number, length?: number): Promise<number> {
  if (length !== undefined) response.setHeader('content-length', length);
  let sent = 0;
  for (let round = 0; round < times && sent < MOST_BYTES && !response.destroyed; round += 1) {
    await write(response, block);
    sent += block.length;
  }
  if (!response.destroyed) response.end();
  return sent;
}

/** Writes with backpressure; a disconnected client is not an error. */
function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(bytes, () => done());
  });
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || response.closed) resolve();
    else response.once('close', () => resolve());
  });
}
