import { Command } from 'commander';

import type { RunCounts } from '../../ask/index.ts';
import { corpusLayer, isEmptyDiff, openCorpus } from '../../corpus/index.ts';
import { simulatedLayer } from '../../harvest/index.ts';
import { chooseRun, runArgument } from '../run-argument.ts';
import { openSession, shared, stopSignal } from '../session.ts';
import { webOptions } from '../options.ts';
import { count } from '../terminal.ts';

interface RefreshFlags {
  readonly run?: string;
  readonly retractionWatch?: string;
  readonly mailto?: string;
  readonly sim?: string;
}

export function refreshCommand(): Command {
  return webOptions(runArgument(shared(new Command('refresh'))))
    .description(
      'repeat the query, download new or newly open works, and report retractions, corrections and new versions',
    )
    .option('--retraction-watch <file>', "Crossref's retraction_watch.csv")
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg refresh runs/corals --mailto you@university.example\n  docstokg refresh runs/corals --mailto you@university.example --retraction-watch retraction_watch.csv --json\n',
    )
    .action(async (named: string | undefined, flags: RefreshFlags, self: Command) => {
      const session = openSession(self);
      const run = chooseRun(named ?? flags.run, session.load().config);
      using stop = stopSignal();
      const { config } = session.load([...corpusLayer(run, 'the folder of the run'), ...(await simulatedLayer(flags))]);
      await using corpus = await openCorpus(run, { config, clock: session.clock });
      const { retractionWatch } = flags;
      const diff = await corpus.refresh(
        {
          retractionWatch,
          tell: (event) => {
            session.logMessage(event);
            if (event.kind === 'gathered') session.info(triedText(event.run));
          },
        },
        stop.signal,
      );
      session.print(diff, isEmptyDiff(diff) ? 'no changes since the last refresh' : undefined);
    });
}

/** What was tried: new works, and works that had failed before. */
function triedText({ outcomes }: RunCounts): string {
  const { saved, skipped, failed, parked } = outcomes;
  const tried = saved + skipped + failed + parked;
  const parts = { downloaded: saved, unavailable: skipped, failed, deferred: parked };
  const words = Object.entries(parts).flatMap(([word, works]) => (works > 0 ? [`${count(works)} ${word}`] : []));
  return tried === 0 ? 'no works were tried again' : `${count(tried)} works tried: ${words.join(', ')}`;
}
