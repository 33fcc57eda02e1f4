import { join } from 'node:path';

import type { Command } from 'commander';
import { Option } from 'commander';

import { AppError } from '../../../base/index.ts';
import type { Layer } from '../../../config/index.ts';
import type { WorkProvider } from '../../../download/index.ts';
import type { Work } from '../../../works/index.ts';
import { readWorks, workFromText } from '../../../works/index.ts';
import { startTelemetry } from '../../../telemetry/index.ts';
import { openQueue, queueLayer } from '../../assemble.ts';
import type { DownloadAssembly } from '../../assemble-download.ts';
import { assembleDownload } from '../../assemble-download.ts';
import { openInspector } from '../../inspector.ts';
import type { Session } from '../../session.ts';
import { flagLayer, openSession, shared } from '../../session.ts';
import { simOption, simulatedLayer } from '../../simulated-web.ts';
import { stopSignal } from '../../stop-signal.ts';
import { DownloadProgress, printAccount } from './account.ts';
import { listWorks } from './listing.ts';

interface DownloadOptions {
  readonly topic?: string;
  readonly input?: readonly string[];
  readonly max?: number;
  readonly workers?: number;
  readonly out?: string;
  readonly mailto?: string;
  readonly sim?: string;
  readonly yearStart?: number;
  readonly yearEnd?: number;
  readonly oaOnly?: boolean;
  readonly type?: string;
  readonly language?: string;
  readonly preset?: string;
  readonly resolverOrder?: string;
  readonly enableResolver?: string;
  readonly disableResolver?: string;
  readonly accept?: string;
  readonly maxBytes?: number;
  readonly contentAddressed?: boolean;
  readonly dryRun?: boolean;
  readonly listOnly?: boolean;
  readonly queue?: string;
}

const EXAMPLES = `
Examples:
  contentdownload --topic "machine learning" --max 100 --workers 8 --mailto you@university.example
  contentdownload 10.1371/journal.pone.0000217 arXiv:1706.03762 --mailto you@university.example
  contentdownload --input library.bib --out runs/library --mailto you@university.example

Ctrl-C lets running downloads finish; the same command goes on where it stopped.
`;

/** Adds what a download takes to a command: `docstokg download`, or `contentdownload` itself. */
export function downloadCommand(command: Command): Command {
  return shared(command)
    .argument('[ids...]', 'DOIs, arXiv ids, PMCIDs, OpenAlex ids or URLs')
    .option('--topic <text>', 'what the works are about')
    .option('-i, --input <file...>', 'works of a JSONL, CSV, BibTeX or RIS file, or a list of ids')
    .option('--max <n>', 'at most this many works', Number)
    .option('--workers <n>', 'works at once (orchestrator.max_workers)', Number)
    .option('--out <folder>', 'where files and manifests go (download.out)')
    .option('--mailto <address>', 'your e-mail address, sent to the services that are asked (http.contact)')
    .option('--year-start <year>', 'published in this year or later', Number)
    .option('--year-end <year>', 'published in this year or earlier', Number)
    .option('--oa-only', 'only works that OpenAlex says are open')
    .option('--type <type>', 'only works of this type, such as article')
    .option('--language <code>', 'only works in this language, such as en')
    .addOption(new Option('--preset <name>', 'which resolvers are asked').choices(['fast', 'broad']))
    .option('--resolver-order <a,b>', 'resolvers to ask first')
    .option('--enable-resolver <a,b>', 'resolvers to ask besides')
    .option('--disable-resolver <a,b>', 'resolvers not to ask')
    .option('--accept <pdf,xml,html>', 'kinds of full text to keep')
    .option('--max-bytes <n>', 'largest file', Number)
    .option('--content-addressed', 'keep files by hash, with friendly links')
    .option('--dry-run', 'find the works, count them, fetch nothing')
    .option('--list-only', 'ask the resolvers, fetch no file')
    .option('--queue <path|url>', 'a queue elsewhere than in the run folder')
    .addOption(simOption())
    .addHelpText('after', EXAMPLES)
    .action(async (ids: string[], options: DownloadOptions, self: Command) =>
      download(ids, options, openSession(self)),
    );
}

async function download(ids: readonly string[], options: DownloadOptions, session: Session): Promise<void> {
  if (options.topic === undefined && ids.length === 0 && options.input === undefined) {
    throw new AppError('USAGE_NOTHING_TO_DOWNLOAD', 'nothing says which works are wanted', {
      hint: 'give --topic, --input or ids; contentdownload --help shows examples',
    });
  }
  const { config } = session.load(await flags(options));
  const tell = (message: string): void => session.log('info', message);
  await using queue = await openQueue(config, session);
  await using telemetry = await startTelemetry(config.telemetry, queue.store, session.clock);
  using inspector = openInspector();
  const progress = new DownloadProgress(session);
  const statePath = join(config.download.out, 'state', 'listing.json');
  await using assembly = await assembleDownload(config, session, {
    queue,
    inspect: inspector.inspect,
    listOnly: options.listOnly ?? false,
    provider: (parts) => (signal) => limited(works(ids, options, { ...parts, signal, tell, statePath }), options.max),
    report: (event) => {
      progress.see(event);
      if (isQueueEvent(event)) telemetry.report(event);
    },
    around: telemetry.around,
  });
  if (options.dryRun) return await dryRun(assembly, ids, options, session);
  using stop = stopSignal((name) => tell(`${name}: letting running downloads finish; once more ends at once`));
  using _line = progress.show(assembly);
  const summary = await assembly.run.run({ drain: 'due', signal: stop.signal });
  printAccount(summary, progress, session, config);
  if (summary.crashed > 0 && process.exitCode === undefined) process.exitCode = 1;
}

type QueueReport = Parameters<Awaited<ReturnType<typeof startTelemetry>>['report']>[0];

function isQueueEvent(event: { readonly kind: string }): event is QueueReport {
  return !/^(work-|worker-)/.test(event.kind);
}

async function flags(options: DownloadOptions): Promise<Layer> {
  const list = (text: string | undefined): string[] | undefined => text?.split(',').map((part) => part.trim());
  return [
    ...(await simulatedLayer(options)),
    ...flagLayer([
      ['orchestrator.max_workers', '--workers', options.workers],
      ['download.out', '--out', options.out],
      ['download.preset', '--preset', options.preset],
      ['download.resolver_order', '--resolver-order', list(options.resolverOrder)],
      ['download.enable', '--enable-resolver', list(options.enableResolver)],
      ['download.disable', '--disable-resolver', list(options.disableResolver)],
      ['download.accept', '--accept', list(options.accept)],
      ['download.max_bytes', '--max-bytes', options.maxBytes],
      ['download.content_addressed', '--content-addressed', options.contentAddressed],
    ]),
    ...(options.queue === undefined ? runQueue(options) : queueLayer(options.queue)),
  ];
}

/** A run keeps its queue with its files, so that a folder is all there is to a run. */
function runQueue(options: DownloadOptions): Layer {
  return options.out === undefined
    ? []
    : [{ path: ['queue', 'path'], value: join(options.out, 'state', 'workqueue.sqlite'), origin: 'option --out' }];
}

interface ProviderParts {
  readonly send: DownloadAssembly['send'];
  readonly services: DownloadAssembly['services'];
  readonly contact: string;
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
  /** Where a listing that ends early is written down; none for one that only looks. */
  readonly statePath: string | undefined;
}

/** Works from the command line, then from files, then on the topic. */
async function* works(ids: readonly string[], options: DownloadOptions, parts: ProviderParts): AsyncGenerator<Work> {
  for (const id of ids) {
    const listed = workFromText(id);
    if (listed.kind === 'work') yield listed.work;
    else
      throw new AppError('USAGE_ID', `"${id.slice(0, 100)}" is no id that we know: ${listed.reason}`, {
        hint: 'a DOI, arXiv id, PMCID, OpenAlex id or URL',
      });
  }
  for (const file of options.input ?? []) {
    for await (const listed of readWorks(file)) {
      if (listed.kind === 'work') yield listed.work;
      else parts.tell(`${file}, line ${listed.line}: ${listed.reason}`);
    }
  }
  if (options.topic === undefined) return;
  const { topic, yearStart, yearEnd, oaOnly, type, language } = options;
  const { send, services, contact, signal, tell, statePath } = parts;
  yield* listWorks(
    { topic, yearStart, yearEnd, oaOnly, type, language },
    {
      send,
      baseUrl: services.base('openalex'),
      credentials: services.credentials('openalex'),
      mailto: contact,
      signal,
      tell,
      statePath,
      ...(options.max !== undefined && { maxResults: options.max }),
    },
  );
}

async function* limited(source: AsyncIterable<Work>, max: number | undefined): AsyncGenerator<Work> {
  let yielded = 0;
  for await (const work of source) {
    if (max !== undefined && yielded >= max) return;
    yielded += 1;
    yield work;
  }
}

async function dryRun(
  assembly: DownloadAssembly,
  ids: readonly string[],
  options: DownloadOptions,
  session: Session,
): Promise<void> {
  let found = 0;
  const provider: WorkProvider = (signal) =>
    limited(
      works(ids, options, {
        ...assembly,
        signal,
        tell: (message) => session.log('info', message),
        statePath: undefined,
      }),
      options.max,
    );
  using stop = stopSignal();
  for await (const work of provider(stop.signal)) {
    found += 1;
    session.terminal.print(
      session.json
        ? JSON.stringify({ work: work.id, doi: work.ids.doi, title: work.title, year: work.year })
        : `${work.id}  ${work.year ?? '    '}  ${work.title ?? ''}`,
    );
  }
  session.log('info', `${found} works; nothing was fetched`);
}
