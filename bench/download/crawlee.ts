import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { loadPeer } from '../kit/peers.ts';

/** What is used of Crawlee. */
interface Crawlee {
  readonly Configuration: new (options: Record<string, unknown>) => object;
  readonly FileDownload: new (
    options: Record<string, unknown>,
    configuration: object,
  ) => {
    run(urls: readonly string[]): Promise<{ readonly requestsFinished: number }>;
    readonly stats: { readonly state: { readonly requestsFinished: number } };
  };
  readonly log?: unknown;
}

/** Crawlee's downloader of files, its requests in memory: every file streamed to the disk and hashed on the way. */
export async function crawleeFiles(options: {
  readonly origin: string;
  readonly files: number;
  readonly atOnce: number;
  readonly out: string;
}): Promise<number> {
  const { Configuration, FileDownload } = await loadPeer<Crawlee>('@crawlee/http');
  const crawler = new FileDownload(
    {
      minConcurrency: options.atOnce,
      maxConcurrency: options.atOnce,
      autoscaledPoolOptions: { desiredConcurrency: options.atOnce },
      maxRequestRetries: 0,
      streamHandler: async ({ stream, request }: { stream: Readable; request: { readonly url: string } }) => {
        const hash = createHash('sha256');
        const name = new URL(request.url).pathname.slice(1);
        await pipeline(
          stream,
          async function* (chunks: AsyncIterable<Buffer>) {
            for await (const chunk of chunks) {
              hash.update(chunk);
              yield chunk;
            }
          },
          createWriteStream(join(options.out, name)),
        );
        hash.digest('hex');
      },
    },
    new Configuration({ persistStorage: false, purgeOnStart: true, logLevel: 1, availableMemoryRatio: 0.9 }),
  );
  const { requestsFinished } = await crawler.run(
    Array.from({ length: options.files }, (_, at) => `${options.origin}/${at}.pdf?run=${options.out.length}`),
  );
  return requestsFinished;
}
