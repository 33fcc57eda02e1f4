import { createHash } from 'node:crypto';
import { closeSync, fdatasync, openSync, writeSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Dispatcher } from 'undici';
import { Agent } from 'undici';

const syncData = promisify(fdatasync);

/**
 * The least that can be done in one thread of JavaScript: undici's dispatch, every chunk hashed and written to a part file
 * in the handler itself, the file renamed. No queue, no limits, no manifest, no second look at anything.
 */
export async function bareLoop(options: {
  readonly origin: string;
  readonly files: number;
  readonly atOnce: number;
  readonly out: string;
  readonly sync: boolean;
}): Promise<void> {
  const agent = new Agent({ connections: options.atOnce });
  const waiting = Array.from({ length: options.files }, (_, at) => options.files - 1 - at);
  await Promise.all(
    Array.from({ length: options.atOnce }, async () => {
      for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
        const path = join(options.out, `${at}.pdf`);
        const descriptor = openSync(`${path}.part`, 'w');
        await fetchInto(agent, options.origin, `/${at}.pdf`, descriptor);
        if (options.sync) await syncData(descriptor);
        closeSync(descriptor);
        await rename(`${path}.part`, path);
      }
    }),
  );
  await agent.destroy();
}

function fetchInto(agent: Agent, origin: string, path: string, descriptor: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const hash = createHash('sha256');
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, status) => void (status === 200 || reject(new Error(`status ${status}`))),
    onResponseData(_controller, chunk) {
      hash.update(chunk);
      for (let written = 0; written < chunk.length;) written += writeSync(descriptor, chunk, written);
    },
    onResponseEnd: () => resolve(hash.digest('hex')),
    onResponseError: (_controller, error) => reject(error),
  };
  agent.dispatch({ origin, path, method: 'GET' }, handler);
  return promise;
}
