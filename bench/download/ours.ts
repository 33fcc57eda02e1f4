import { join } from 'node:path';

import { systemClock } from '../../src/base/index.ts';
import { assembleDownload } from '../../src/harvest/open-download.ts';
import { openQueue } from '../../src/harvest/queue/open-queue.ts';
import { openInspector } from '../../src/harvest/inspector.ts';
import type { Session } from '../../src/cli/session.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { DownloadSummary } from '../../src/download/index.ts';
import type { Work } from '../../src/works/index.ts';
import { NO_IDS } from '../../src/works/index.ts';
import { titleOf } from './corpus.ts';

/** Hosts that the files seem to lie on: all lead to the same server. */
const HOSTS = 16;

export interface PipelineOptions {
  readonly port: number;
  readonly atOnce: number;
  readonly perHost: number;
  readonly out: string;
  readonly works: Iterable<Work>;
  readonly inspect: boolean;
  /** A PostgreSQL on which queue and limits are shared with others; a SQLite file and limits of its own otherwise. */
  readonly shared?: string | undefined;
}

/** What came of it, and how often the fleet's database was asked about hosts. */
export type PipelineEnd = DownloadSummary & { readonly roundTrips: number };

/**
 * The whole pipeline as `contentdownload` puts it together: queue, orchestrator, resolvers, guard, robots, pace, sniffer,
 * hash, part file, fsync, rename, manifest rows and reports. Only the identity check, which costs a parser and no
 * transfer, is switched on apart.
 */
export async function ourPipeline(options: PipelineOptions): Promise<PipelineEnd> {
  const { config } = loadConfig({
    flags: Object.entries({
      'http.contact': 'bench@docstokg.dev',
      // Services that are asked besides know nothing, and say so at once: nobody outside is asked.
      'services.below': 'services.test',
      'http.dns': {
        '*.files.test': `127.0.0.1:${options.port}`,
        '*.services.test': `127.0.0.1:${options.port}`,
      },
      'http.allow': [`127.0.0.1:${options.port}`],
      'http.per_host_per_second': 1000,
      'orchestrator.max_workers': options.atOnce,
      'orchestrator.max_per_host': options.perHost,
      'download.out': options.out,
      'queue.path': join(options.out, 'state', 'workqueue.sqlite'),
      ...(options.shared !== undefined && { 'queue.backend': 'postgres', 'queue.url': options.shared }),
    }).map(([path, value]) => ({ path: path.split('.'), value, origin: 'bench' })),
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
    provider: () =>
      async function* () {
        yield* options.works;
      },
    report: () => undefined,
  });
  const ended = await assembly.run.run({ drain: 'empty', signal: new AbortController().signal });
  const { admission } = assembly;
  return { ...ended, roundTrips: 'calls' in admission && typeof admission.calls === 'number' ? admission.calls : 0 };
}

/** The works whose full texts are the files of the corpus. */
export function corpusWorks(files: number): Work[] {
  return Array.from({ length: files }, (_, number) =>
    workAt(number, titleOf(number), `http://host-${number % HOSTS}.files.test/${number}.pdf`),
  );
}

/** A work that is open at one place. */
export function workAt(number: number, title: string, pdfUrl: string): Work {
  const id = `W${9_000_000_000 + number}`;
  return {
    id,
    ids: { ...NO_IDS, openalex: id },
    title,
    year: 2026,
    type: 'article',
    language: 'en',
    authors: [],
    isRetracted: false,
    isOpen: true,
    locations: [{ landingUrl: null, pdfUrl, isOpen: true, license: null, version: null, hostType: null }],
    content: { pdf: false, tei: false },
    urls: [],
    isComplete: true,
  };
}
