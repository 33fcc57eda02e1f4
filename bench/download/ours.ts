import { join } from 'node:path';

import { systemClock } from '../../src/base/index.ts';
import { assembleDownload } from '../../src/cli/assemble-download.ts';
import { openQueue } from '../../src/cli/assemble.ts';
import { openInspector } from '../../src/cli/inspector.ts';
import type { Session } from '../../src/cli/session.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { DownloadSummary } from '../../src/download/index.ts';
import type { Work } from '../../src/works/index.ts';
import { NO_IDS } from '../../src/works/index.ts';
import { titleOf } from './corpus.ts';

/** Hosts that the files seem to lie on: all lead to the same server. */
export const HOSTS = 16;

/**
 * The whole pipeline as `contentdownload` puts it together: queue, orchestrator, resolvers, guard, robots, pace, sniffer,
 * hash, part file, fsync, rename, manifest rows and reports. Only the identity check, which costs a parser and no
 * transfer, is switched on apart.
 */
export async function ourPipeline(options: {
  readonly port: number;
  readonly files: number;
  readonly atOnce: number;
  readonly out: string;
  readonly inspect: boolean;
}): Promise<DownloadSummary> {
  const layer = (path: string, value: unknown): { path: string[]; value: unknown; origin: string } => ({
    path: path.split('.'),
    value,
    origin: 'bench',
  });
  const { config } = loadConfig({
    flags: [
      layer('http.contact', 'bench@docstokg.dev'),
      layer('http.dns', { '*.files.test': `127.0.0.1:${options.port}` }),
      layer('http.allow', [`127.0.0.1:${options.port}`]),
      layer('http.per_host_per_second', 1000),
      layer('orchestrator.max_workers', options.atOnce),
      layer('orchestrator.max_per_host', options.atOnce / HOSTS),
      layer('download.out', options.out),
      layer('queue.path', join(options.out, 'state', 'workqueue.sqlite')),
    ],
  });
  const session: Session = {
    terminal: openTerminal({ colour: false }),
    clock: systemClock,
    json: false,
    log: (level, message) => void (level === 'error' && process.stderr.write(`${message}\n`)),
    load: () => loadConfig({}),
  };
  using inspector = options.inspect ? openInspector() : undefined;
  await using queue = await openQueue(config, session);
  await using assembly = await assembleDownload(config, session, {
    queue,
    inspect: inspector?.inspect,
    provider: () => () => works(options.files),
    report: () => undefined,
  });
  return await assembly.run.run({ drain: 'empty', signal: new AbortController().signal });
}

async function* works(files: number): AsyncGenerator<Work> {
  for (let number = 0; number < files; number += 1) yield workOf(number);
}

function workOf(number: number): Work {
  return {
    id: `W${9_000_000_000 + number}`,
    ids: { ...NO_IDS, openalex: `W${9_000_000_000 + number}`, doi: `10.5555/bench.${number}` },
    title: titleOf(number),
    year: 2026,
    type: 'article',
    language: 'en',
    authors: [],
    isRetracted: false,
    isOpen: true,
    locations: [
      {
        landingUrl: null,
        pdfUrl: `http://host-${number % HOSTS}.files.test/${number}.pdf`,
        isOpen: true,
        license: null,
        version: null,
        hostType: null,
      },
    ],
    content: { pdf: false, tei: false },
    urls: [],
    isComplete: true,
  };
}
