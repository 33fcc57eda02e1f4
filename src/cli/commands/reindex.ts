import { Command } from 'commander';

import { AppError } from '../../base/index.ts';
import { corpusLayer, openCorpus } from '../../corpus/index.ts';
import { count } from '../progress.ts';
import { chooseRun, isRun, runArgument } from '../run-argument.ts';
import { openSession, shared } from '../session.ts';

export function reindexCommand(): Command {
  return runArgument(shared(new Command('reindex')))
    .description('rebuild corpus.sqlite from the logs and facts of a run; also upgrades folders of older versions')
    .addHelpText('after', '\nExample:\n  docstokg reindex runs/corals\n')
    .action(async (named: string | undefined, flags: { readonly run?: string }, self: Command) => {
      const session = openSession(self);
      const run = chooseRun(named ?? flags.run, session.load().config);
      if (!isRun(run))
        throw new AppError('USAGE_RUN', `${run} is not a run folder`, {
          hint: 'give the output folder of docstokg run, contentdownload or docparse parse',
        });
      const { config } = session.load(corpusLayer(run, 'the folder of the run'));
      await using corpus = await openCorpus(run, { config, clock: session.clock });
      const read = await corpus.reindex((message) => session.log('warn', message));
      session.print(
        { run, ...read },
        `${count(read.lines)} log lines, ${count(read.works)} works, ${count(read.documents)} documents and ${count(read.nodes)} nodes in ${run}/corpus.sqlite`,
      );
      if (read.badLines > 0) session.log('warn', `${read.badLines} damaged lines were skipped`);
    });
}
