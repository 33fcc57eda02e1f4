import { Command } from 'commander';

import { isAbort } from '../../base/index.ts';
import { corpusLayer, openCorpus } from '../../corpus/index.ts';
import { mergeFolders } from '../../harvest/index.ts';
import { chooseRun, corpusOf, requireFolder, requireRun, runArgument } from '../run-argument.ts';
import { openSession, shared, stopSignal } from '../session.ts';
import { count, plain } from '../terminal.ts';

export function reindexCommand(): Command {
  return runArgument(shared(new Command('reindex')))
    .description('rebuild corpus.sqlite from the log files of a run; also upgrades folders of older versions')
    .addHelpText('after', '\nExample:\n  docstokg reindex runs/corals\n')
    .action(async (named: string | undefined, flags: { readonly run?: string }, self: Command) => {
      const session = openSession(self);
      const run = requireRun(chooseRun(named ?? flags.run, session.load().config));
      const { config } = session.load(corpusLayer(run, 'the folder of the run'));
      await using corpus = await openCorpus(run, { config, clock: session.clock });
      const read = await corpus.reindex(session.warn);
      session.print({ run, ...read });
      if (read.badLines > 0) session.warn(`${read.badLines} damaged lines were skipped`);
    });
}

const MOST_SHOWN = 20;

export function mergeCommand(): Command {
  return shared(new Command('merge'))
    .description('merge run folders from several machines into one')
    .argument('<folders...>', 'run folders to merge')
    .requiredOption('--out <folder>', 'output folder for the merged manifest, files and reports')
    .addHelpText('after', '\nExample:\n  docstokg merge machine-a machine-b --out merged\n')
    .action(async (folders: string[], flags: { readonly out: string }, self: Command) => {
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
        `${count(merged.works)} works of ${merged.folders} folders in ${flags.out}, ${count(merged.files)} files copied`,
      );
      if (merged.missingCount > 0) process.exitCode = 1;
    });
}

interface VersionFlags {
  readonly run?: string;
  readonly split?: string;
  readonly merge?: string;
}

export function workVersionsCommand(): Command {
  return runArgument(shared(new Command('work-versions')))
    .description('list works that were merged as the same work or as versions of one another; split or merge them')
    .option('--split <work>', 'permanently undo the merges of this work; the next run downloads it')
    .option('--merge <work>', 'restore the merges of this work')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg work-versions runs/corals\n  docstokg work-versions runs/corals --split W2741809807\n',
    )
    .action(async (run: string | undefined, flags: VersionFlags, self: Command) => {
      const session = openSession(self);
      await using corpus = await corpusOf(session, run ?? flags.run);
      const { versions, same } = await corpus.versions({
        ...(flags.split !== undefined && { apart: flags.split }),
        ...(flags.merge !== undefined && { together: flags.merge }),
      });
      const isNone = versions.length + same.length === 0;
      session.print({ versions, same }, isNone ? 'no works have several versions or several listed ids' : undefined);
    });
}
