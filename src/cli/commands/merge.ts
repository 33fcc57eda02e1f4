import { Command } from 'commander';

import { isAbort } from '../../base/index.ts';
import { mergeFolders } from '../../harvest/index.ts';
import { count } from '../progress.ts';
import { requireFolder } from '../run-argument.ts';
import { openSession, shared } from '../session.ts';
import { stopSignal } from '../stop-signal.ts';
import { plain } from '../terminal.ts';

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
        warn: (message: string) => session.log('warn', message),
      };
      const merged = await mergeFolders(folders, flags.out, options, stop.signal).catch((error: unknown) => {
        if (!isAbort(error)) throw error;
        session.log('info', 'stopped; resume: run the same command');
        return undefined;
      });
      if (!merged) return;
      for (const each of merged.missing.slice(0, MOST_SHOWN)) {
        session.log('warn', `skipped, the file does not match its manifest row: ${plain(each)}`);
      }
      session.print(
        { ...merged, out: flags.out },
        `${count(merged.works)} works of ${merged.folders} folders in ${flags.out}, ${count(merged.files)} files copied`,
      );
      if (merged.missingCount > 0) process.exitCode = 1;
    });
}
