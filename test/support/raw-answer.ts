import { loopbackClient, openRawLoopback } from '../../src/testing/index.ts';
import type { HttpClientOptions, HttpRequest, HttpResult } from '../../src/http/index.ts';

/** What the tests of the transport request. */
export const url = new URL('http://host.test/file.pdf');

/** Sends one request to a server that writes these bytes and then optionally closes. */
export async function rawAnswer(
  bytes: string | Buffer,
  options: HttpClientOptions = {},
  close = true,
): Promise<HttpResult> {
  await using server = await openRawLoopback((socket) => {
    socket.write(bytes);
    if (close) socket.end();
  });
  await using client = loopbackClient(server, options);
  return await client.send({ url });
}

/** A request whose body is kept, and its chunks so far. */
export function collecting(): { readonly request: HttpRequest; readonly chunks: Buffer[] } {
  const chunks: Buffer[] = [];
  return { chunks, request: { url, sink: () => ({ write: (chunk) => void chunks.push(chunk) }) } };
}

/** Why a request failed, or the kind of its result. */
export const reasonOf = (result: HttpResult): string => ('reason' in result ? result.reason : result.kind);
