import { Command, InvalidArgumentError } from 'commander';

import type { RunCounts } from '../../library/index.ts';
import { AppError, isAbort } from '../../base/index.ts';
import { copyCorpus, corpusLayer, isEmptyDiff, openCorpus } from '../../corpus/index.ts';
import { checkStore, fleetLayer, mergeFolders, openStored, repeatEvery, simulatedLayer } from '../../run/index.ts';
import { decimalNumber, timeSpan, webOptions } from '../options.ts';
import { corpusOf, requireFolder, requireRun, runArgument, splitRun } from '../run-argument.ts';
import { openSession, settingOptions, shared, stopSignal, databaseOptions } from '../session.ts';
import { webTimeOf } from '../simulation.ts';
import { count, counted, nonZero, plain } from '../terminal.ts';

export function refreshCommand() {
  return webOptions(runArgument(shared(new Command('refresh'))))
    .description(
      'repeat the query, download new or newly open works, and report retractions, corrections and new versions',
    )
    .option('--retraction-watch <file>', "Crossref's retraction_watch.csv")
    .option('--every <time>', 'do not end, and refresh again after this time: 12h, 1d, 4w', refreshInterval)
    .addHelpText(
      'after',
      `
Examples:
  docstokg refresh runs/corals --mailto you@university.example
  docstokg refresh runs/corals --mailto you@university.example --retraction-watch retraction_watch.csv --json
  docstokg refresh runs/corals --mailto you@university.example --every 1w
`,
    )
    .action(async (named, flags, self) => {
      const session = { ...openSession(self), web: await webTimeOf(flags.sim) };
      using stop = stopSignal();
      const { retractionWatch, every } = flags;
      const refresh = async (): Promise<void> => {
        await using corpus = await corpusOf(session, named, await simulatedLayer(flags));
        const diff = await corpus.refresh(
          {
            retractionWatch,
            tell: (event) => {
              session.tell(event);
              if (event.kind === 'downloaded') session.info(triedText(event.run));
            },
          },
          stop.signal,
        );
        session.print(diff, isEmptyDiff(diff) ? 'no changes since the last refresh' : undefined);
      };
      if (every === undefined) return await refresh();
      return await repeatEvery(every, refresh, {
        clock: session.clock,
        signal: stop.signal,
        tell: (nextAt, failure) => {
          if (failure !== undefined) session.log('error', failure);
          session.info(`the next refresh is at ${new Date(nextAt).toISOString()}; Ctrl-C stops`);
        },
      });
    });
}

const HOUR_MS = 3_600_000;

/** Each refresh asks about every work: services are not asked more often than hourly. */
function refreshInterval(text: string): number {
  const ms = timeSpan(text);
  if (ms < HOUR_MS) throw new InvalidArgumentError('expected 1h or more');
  return ms;
}

function triedText({ outcomes }: RunCounts): string {
  const { saved, skipped, failed, parked } = outcomes;
  const tried = saved + skipped + failed + parked;
  const parts = nonZero({ downloaded: saved, unavailable: skipped, failed, deferred: parked });
  return tried === 0 ? 'no works were tried again' : `${counted(tried, 'work')} tried: ${parts.join(', ')}`;
}

export function reindexCommand() {
  return runArgument(databaseOptions(shared(new Command('reindex'))))
    .description('rebuild corpus.sqlite from the log files of a run; writes logs again that were lost or damaged')
    .addHelpText('after', '\nExample:\n  docstokg reindex runs/corals\n')
    .action(async (run, _flags, self) => {
      const session = openSession(self);
      await using corpus = await corpusOf(session, run === undefined ? undefined : requireRun(run));
      const read = await corpus.reindex(session.warn);
      session.print({ run: corpus.folder, ...read });
    });
}

const MOST_SHOWN = 20;

export function mergeCommand() {
  return shared(new Command('merge'))
    .description('merge run folders from several machines into one')
    .argument('<folders...>', 'run folders to merge')
    .requiredOption('--out <folder>', 'output folder for the merged manifest, files and reports')
    .addHelpText('after', '\nExample:\n  docstokg merge machine-a machine-b --out merged\n')
    .action(async (folders, flags, self) => {
      const session = openSession(self);
      folders.forEach(requireFolder);
      using stop = stopSignal();
      const options = {
        clock: session.clock,
        runId: `merge-${new Date(session.clock.now()).toISOString().replaceAll(/[:.]/g, '-')}`,
        warn: session.warn,
      };
      const merged = await mergeFolders(folders, flags.out, options, stop.signal).catch((error: unknown) => {
        if (!isAbort(error)) throw error;
        session.info('stopped; resume: run the same command');
        return undefined;
      });
      if (!merged) return;
      for (const each of merged.missing.slice(0, MOST_SHOWN)) {
        session.warn(`skipped, the file does not match its manifest row: ${plain(each)}`);
      }
      session.print(
        { ...merged, out: flags.out },
        `${counted(merged.works, 'work')} of ${counted(merged.folders, 'folder')} in ${flags.out}, ${counted(merged.files, 'file')} copied`,
      );
      if (merged.missingCount > 0) process.exitCode = 1;
    });
}

export function workVersionsCommand() {
  return runArgument(databaseOptions(shared(new Command('work-versions'))))
    .description('list works that were merged as the same work or as versions of one another; split or merge them')
    .option('--split <work>', 'permanently undo the merges of this work; the next run downloads it')
    .option('--merge <work>', 'restore the merges of this work')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg work-versions runs/corals\n  docstokg work-versions runs/corals --split W2741809807\n',
    )
    .action(async (run, flags, self) => {
      const session = openSession(self);
      await using corpus = await corpusOf(session, run);
      const { split: apart, merge: together } = flags;
      const { versions, same } = await corpus.versions({ ...(apart && { apart }), ...(together && { together }) });
      const isNone = versions.length + same.length === 0;
      session.print({ versions, same }, isNone ? 'no works have several versions or several listed ids' : undefined);
    });
}

export function setCommand() {
  return databaseOptions(shared(new Command('set')))
    .argument('[words...]', '[run] [name]; default run: the newest')
    .usage('[options] [run] [name]')
    .description('list, show, save or delete named sets of works, for --works of other commands')
    .option(
      '--filter <filter>',
      'save a set by filter, evaluated whenever it is used: year:2018-2022 type:article reef',
    )
    .option('--works <which>', 'save a set as a fixed list: comma-separated ids, @FILE, included, a set, or a filter')
    .option('--delete', 'delete the set; its works stay')
    .addHelpText(
      'after',
      `
Without a name, lists the sets. With only a name, prints the ids of its works; the name can also be included, a filter
or ids.

Examples:
  docstokg set runs/corals
  docstokg set runs/corals recent --filter "year:2020- type:article"
  docstokg set runs/corals core --works 10.1038/nature21707,W2741809807
  docstokg set runs/corals recent
  docstokg set runs/corals recent --delete
`,
    )
    .action(async (given, flags, self) => {
      const session = openSession(self);
      const { run, words } = splitRun(given, ['[name]']);
      const [name] = words;
      const { filter, works } = flags;
      const acts = [filter, works, flags.delete].filter((each) => each !== undefined);
      if (acts.length > 1 || (acts.length === 1 && name === undefined))
        throw new AppError('USAGE_SET', 'expected a name and one of --filter, --works and --delete', {
          hint: 'see --help',
        });
      await using corpus = await corpusOf(session, run);
      if (name === undefined) {
        const sets = corpus.sets();
        session.print(sets, sets.length === 0 ? 'no sets; --filter or --works saves one' : undefined);
      } else if (flags.delete) {
        await corpus.deleteSet(name);
        session.info(`deleted ${name}`);
      } else if (filter !== undefined || works !== undefined) {
        const size = await corpus.saveSet(name, filter === undefined ? { works: works ?? '' } : { filter });
        session.print({ name, works: size }, `${name}: ${counted(size, 'work')}`);
      } else {
        const ids = [...corpus.chooseWorks(name)];
        session.print(ids, ids.join('\n'));
      }
    });
}

/** `docstokg copy`: a corpus from a folder into PostgreSQL, or back. */
export function copyCommand() {
  return settingOptions(shared(new Command('copy')), ['store'])
    .description('copy a corpus from a folder into PostgreSQL and a store, or from PostgreSQL into a folder')
    .argument('<from>', 'run folder, or the address of a database (postgres://user@host/db)')
    .argument('<to>', 'address of a database, or a new folder')
    .addHelpText(
      'after',
      `
Run it again to continue a copy that was stopped, or to add what a folder has since.

Examples:
  docstokg copy runs/corals postgres://docs@db/docs --store s3://papers/corals
  docstokg copy postgres://docs@db/docs runs/corals
`,
    )
    .action(async (from, to, _flags, self) => {
      const session = openSession(self);
      using stop = stopSignal();
      const copied = await copyCorpus(from, to, {
        load: (layer) => session.load(layer).config,
        runtime: session,
        report: (event) => session.tell({ kind: 'index', event }),
        signal: stop.signal,
      });
      const [lines, files] = [counted(copied.lines, 'line'), counted(copied.files, 'file')];
      session.print({ from, to, ...copied }, `${lines} of logs and ${files} copied; the index is built`);
    });
}

export function storeCommand() {
  return settingOptions(shared(new Command('store')), ['store'])
    .description(
      'compare the files of a corpus in an object store with the log: missing, damaged and orphaned ones; or fetch or upload them',
    )
    .argument('<run>', 'run folder')
    .option('--fleet <url>', 'PostgreSQL server with the logs of a fleet')
    .option('--verify', 'compare the hash of every object, not only its size')
    .option('--repair', 'remove orphans that are older than the grace period')
    .option('--grace-h <hours>', 'grace period: younger orphans may belong to a file being saved', decimalNumber, 24)
    .option('--push', 'upload the files that the store lacks and this run folder has')
    .option('--pull', 'fetch the files that are missing in the run folder instead, and build the index')
    .option('--papers', 'with --pull: also the downloaded papers, not only the derived files')
    .addHelpText(
      'after',
      `
Examples:
  docstokg store runs/corals --store s3://papers/corals --repair
  docstokg store runs/corals --store s3://papers/corals --pull
`,
    )
    .action(async (run, flags, self) => {
      const session = openSession(self);
      const { config } = session.load([...corpusLayer(run, 'the run folder'), ...fleetLayer(flags.fleet)]);
      if (config.store.url === '')
        throw new AppError('USAGE_STORE', 'no store given', { hint: 'give --store s3://bucket/prefix or a folder' });
      using stop = stopSignal();
      await using opened = await openStored(config, session, flags.push ? 'again' : false);
      const { files } = opened;
      const store = files.objects.name;
      if (flags.push) {
        const { absent, ...pushed } = await files.pushAll(stop.signal);
        for (const path of absent.slice(0, MOST_SHOWN)) session.warn(`neither here nor in the store: ${plain(path)}`);
        session.print(
          { run, store, ...pushed, absent },
          `${counted(pushed.files, 'file')} uploaded to ${store}, ${counted(absent.length, 'file')} not in this folder`,
        );
        if (absent.length > 0) process.exitCode = 1;
        return;
      }
      if (flags.pull) {
        await files.refresh();
        const brought = await files.bringAll(flags.papers ? '' : 'Data/', undefined, stop.signal);
        await using corpus = await openCorpus(run, { config, clock: session.clock });
        for await (const event of corpus.index(stop.signal)) session.tell(event);
        return session.print(
          { run, store, ...brought },
          `${counted(brought.files, 'file')} fetched from ${store} to ${run}`,
        );
      }
      const { verify = false, repair = false, graceH } = flags;
      const found = await checkStore(files, { verify, repair, graceMs: graceH * HOUR_MS }, stop.signal);
      session.print({ run, store, ...found });
      const problems = (['missing', 'damaged', 'orphans'] as const).map(
        (kind) => `${count(found[kind].length)} ${kind}`,
      );
      session.info(problems.join(', '));
      if (found.missing.length + found.damaged.length > 0) process.exitCode = 1;
    });
}
