import { Command } from 'commander';

import { AppError } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import { corpusLayer, openCorpus } from '../../corpus/index.ts';
import type { Shared } from '../../harvest/index.ts';
import { checkStore, fleetLayer, openShared } from '../../harvest/index.ts';
import type { Session } from '../session.ts';
import { openSession, settingOptions, shared, stopSignal } from '../session.ts';
import { decimalNumber } from '../options.ts';
import { count } from '../terminal.ts';

const HOUR_MS = 3_600_000;

interface StoreOptions {
  readonly fleet?: string;
}

interface CheckOptions extends StoreOptions {
  readonly verify?: boolean;
  readonly repair?: boolean;
  readonly graceH: number;
}

/** `store`: checks and fetches files in an object store. */
export function storeCommand(): Command {
  return new Command('store')
    .description('check or fetch the files of a corpus in an object store')
    .addCommand(checkCommand())
    .addCommand(pullCommand());
}

function storeOptions(command: Command): Command {
  return settingOptions(shared(command), ['store'])
    .argument('<run>', 'run folder')
    .option('--fleet <url>', 'PostgreSQL server with the logs of a fleet');
}

function checkCommand(): Command {
  return storeOptions(new Command('check'))
    .description('compare the files in the store with the log; report missing, damaged and orphaned ones')
    .option('--verify', 'compare the hash of every object, not only its size')
    .option('--repair', 'remove orphans that are older than the grace period')
    .option('--grace-h <hours>', 'grace period: younger orphans may belong to a file being saved', decimalNumber(0), 24)
    .addHelpText('after', '\nExample:\n  docstokg store check runs/corals --store s3://papers/corals --repair\n')
    .action(async (run: string, options: CheckOptions, self: Command) => {
      await withShared(self, run, options, async ({ files }, session, signal) => {
        const { verify = false, repair = false, graceH } = options;
        const found = await checkStore(files, { verify, repair, graceMs: graceH * HOUR_MS }, signal);
        session.print({ run, store: files.objects.name, ...found });
        const problems = (['missing', 'damaged', 'orphans'] as const).map(
          (kind) => `${count(found[kind].length)} ${kind}`,
        );
        session.info(problems.join(', '));
        if (found.missing.length + found.damaged.length > 0) process.exitCode = 1;
      });
    });
}

function pullCommand(): Command {
  return storeOptions(new Command('pull'))
    .description('fetch missing files of a run folder from the store, and build the index')
    .option('--papers', 'also fetch the downloaded papers, not only the derived files')
    .addHelpText('after', '\nExample:\n  docstokg store pull runs/corals --store s3://papers/corals\n')
    .action(async (run: string, options: StoreOptions & { readonly papers?: boolean }, self: Command) => {
      await withShared(self, run, options, async ({ files, logs }, session, signal, config) => {
        await logs?.pull();
        files.refresh();
        const brought = await files.bringAll(options.papers ? '' : 'Data/', undefined, signal);
        await using corpus = await openCorpus(run, { config, clock: session.clock });
        for await (const event of corpus.index(signal)) session.logMessage(event);
        session.print(
          { run, store: files.objects.name, ...brought },
          `${count(brought.files)} files fetched from ${files.objects.name} to ${run}`,
        );
      });
    });
}

async function withShared(
  self: Command,
  run: string,
  options: StoreOptions,
  work: (opened: Shared, session: Session, signal: AbortSignal, config: Config) => Promise<void>,
): Promise<void> {
  const session = openSession(self);
  const { config } = session.load([...corpusLayer(run, 'the run folder'), ...fleetLayer(options.fleet)]);
  if (config.store.url === '')
    throw new AppError('USAGE_STORE', 'no store given', { hint: 'give --store s3://bucket/prefix or a folder' });
  using stop = stopSignal();
  await using opened = await openShared(config, session);
  if (opened) await work(opened, session, stop.signal, config);
}
