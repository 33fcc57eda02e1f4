import { basename } from 'node:path';

import { AppError } from '../../base/index.ts';
import { tellStore } from '../../journal/index.ts';
import { parsedDocuments } from '../../parse/index.ts';
import type { WorkQueue } from '../../queue/index.ts';
import type { Machine } from '../machine.ts';
import { openCorpusServer, openQueueBeside, orchestratorOptions } from '../queue/open-queue.ts';
import { FleetIndex } from './fleet-index.ts';
import { keepCopying } from '../storage/keep-copying.ts';
import { storePlace } from '../storage/storage.ts';
import type { FleetParts } from './fleet-line.ts';
import { openFleetLine } from './fleet-line.ts';
import { oncePerFleet } from './once-per-fleet.ts';

const CHUNKS = 'Data/ChunkedDocTagFiles/';

export interface FleetOptions extends FleetParts {
  /** The queue of works; undefined if none are wanted. */
  readonly works: WorkQueue | undefined;
  /** The request: each one has its own jobs that are done once. */
  readonly asked: object;
  /** Papers of this machine's disk, which the others cannot read. */
  readonly papers: readonly string[];
  /** Called after lines of other machines were copied. */
  readonly copied: () => void;
}

/** A machine of a fleet: its lines are in queues of the server, its files in the store, its logs in the journal. */
export async function openFleetMachine(options: FleetOptions): Promise<Machine> {
  const { config, runtime, storage, works, asked, papers, copied } = options;
  if (!works || papers.length > 0)
    throw new AppError('USAGE_FLEET', 'a fleet downloads works, and reads no papers on the disk of one machine', {
      hint: 'parse papers of your own with docstokg run --input FOLDER on one machine',
    });
  if (config.download.content_addressed)
    throw new AppError('USAGE_FLEET', 'download.content_addressed names files by links, which a store cannot hold', {
      hint: 'leave it off: the store of a fleet keeps files by their hash anyway',
    });
  const { files, journal } = storage;
  const { format, data_root: dataRoot } = config.parse;
  await using stack = new AsyncDisposableStack();
  const queue = stack.use(await openQueueBeside(config, 'listing', runtime));
  const { leaseMs, heartbeatMs } = orchestratorOptions(config);
  const connection = stack.use(await openCorpusServer(config, runtime));
  const warn = (message: string): void => runtime.log('warn', message);
  await tellStore(connection, storePlace(config));
  const index = await FleetIndex.open({ connection, files, config, warn });
  const { isFirst, once } = await oncePerFleet({ works, queue, clock: runtime.clock, leaseMs, heartbeatMs, asked });

  const catchUp = async (): Promise<void> => {
    await files.refresh();
    copied();
  };

  stack.use(keepCopying(runtime.clock, { copy: catchUp, warn }));
  runtime.log('info', `joined the fleet; its files are in ${files.place}`);
  const opened = stack.move();
  return {
    openLine: (stage, made) =>
      openFleetLine(stage, { ...options, retriesFailed: isFirst }, async (document) => {
        await made(document);
        // With its vectors a document is complete, and can be found from now on.
        if (stage.stageName === 'embed') await index.put(document);
      }),
    once: ({ name, after }, work, signal) =>
      once(after === undefined ? name : `${name} ${journal.logs.size(after)}`, work, signal),
    async hasFile(path) {
      // Its row may have been copied before its object, which was appended together with it.
      if (!files.of(path)) await files.refresh();
      return files.of(path) !== undefined;
    },
    chunked: () =>
      Array.from(files.below(CHUNKS), ({ path }) => basename(path))
        .filter((name) => name.endsWith(`.${format}`))
        .map((name) => basename(name, `.${format}`)),
    catchUp,
    async index(tell, signal) {
      await files.refresh();
      return await index.refresh((event) => tell({ kind: 'index', event }), signal);
    },
    async collect(signal) {
      // What papers say about themselves is read here; passages and vectors are brought if the index lacks them.
      await files.bringAll(`${basename(dataRoot)}/DocTagsFiles/`, undefined, signal);
      return parsedDocuments(dataRoot);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
