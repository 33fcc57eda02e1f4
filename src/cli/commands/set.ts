import { Command } from 'commander';

import { AppError } from '../../base/index.ts';
import { corpusOf, runAndWords, splitRun } from '../run-argument.ts';
import { openSession, shared } from '../session.ts';
import { count } from '../terminal.ts';

interface SetFlags {
  readonly run?: string;
  readonly filter?: string;
  readonly works?: string;
  readonly delete?: boolean;
}

/** `set [RUN] [NAME]`: named choices of works. */
export function setCommand(): Command {
  const names = ['[name]'];
  return runAndWords(shared(new Command('set')), names)
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
    .action(async (given: string[], flags: SetFlags, self: Command) => {
      const session = openSession(self);
      const { run, words } = splitRun(given, names, flags.run);
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
        corpus.deleteSet(name);
        session.info(`deleted ${name}`);
      } else if (filter !== undefined || works !== undefined) {
        const size = corpus.saveSet(name, filter === undefined ? { works: works ?? '' } : { filter });
        session.print({ name, works: size }, `${name}: ${count(size)} works`);
      } else {
        const ids = [...corpus.chooseWorks(name)];
        session.print(ids, ids.join('\n'));
      }
    });
}
