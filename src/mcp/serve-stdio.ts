import { serveStdio } from '@modelcontextprotocol/server/stdio';

import type { McpOptions } from './server.ts';
import { createCorpusServer } from './server.ts';

/** Serves MCP over stdio until stdin ends or the signal aborts. */
export async function serveOnStdio(options: McpOptions, signal: AbortSignal): Promise<void> {
  const { tell } = options;
  const ended = Promise.withResolvers<void>();
  for (const name of ['end', 'close', 'error']) process.stdin.once(name, () => ended.resolve());
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  const handle = serveStdio(() => createCorpusServer(options), {
    ...(tell && { onerror: (error: Error) => tell(error.message) }),
  });
  await ended.promise;
  await handle.close();
}
