import { Command } from 'commander';

import { openCorpus } from '../../corpus/index.ts';
import { count } from '../progress.ts';
import { chooseRun, runAndWords, runArgument, splitRun } from '../run-argument.ts';
import { openSession, shared } from '../session.ts';

interface SetFlags {
  readonly run?: string;
  readonly filter?: string;
  readonly works?: string;
}

/** `set create|list|show|delete`: named choices of works. */
export function setCommand(): Command {
  return new Command('set')
    .description('save and manage named sets of works, for --works of ask, table, search and export')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(deleteCommand());
}

function createCommand(): Command {
  return runAndWords(shared(new Command('create')), ['name'])
    .description('save a set of works; replaces an existing set of that name')
    .option('--filter <filter>', 'filter, evaluated whenever the set is used: year:2018-2022 type:article reef')
    .option('--works <which>', 'fixed list of works: comma-separated ids, @FILE, included, another set, or a filter')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg set create runs/corals recent --filter "year:2020- type:article"\n  docstokg set create runs/corals core --works 10.1038/nature21707,W2741809807\n',
    )
    .action(async (given: string[], flags: SetFlags, self: Command) => {
      const session = openSession(self);
      const { run, words } = splitRun(given, ['name'], flags.run);
      const [name = ''] = words;
      if ((flags.filter === undefined) === (flags.works === undefined)) self.error('give either --filter or --works');
      await using corpus = await openCorpus(chooseRun(run, session.load().config));
      const size = corpus.saveSet(
        name,
        flags.filter === undefined ? { works: flags.works ?? '' } : { filter: flags.filter },
      );
      session.print({ name, works: size }, `${name}: ${count(size)} works`);
    });
}

function listCommand(): Command {
  return runArgument(shared(new Command('list')))
    .description('list the sets of a run with their number of works')
    .addHelpText('after', '\nExample:\n  docstokg set list runs/corals\n')
    .action(async (run: string | undefined, flags: SetFlags, self: Command) => {
      const session = openSession(self);
      await using corpus = await openCorpus(chooseRun(run ?? flags.run, session.load().config));
      const sets = corpus.sets();
      if (session.json) session.terminal.print(JSON.stringify(sets));
      else if (sets.length === 0) session.log('info', 'no sets; create one with docstokg set create');
      else
        for (const { name, size, filter } of sets)
          session.terminal.print(`${name}\t${count(size)} works\t${filter ?? 'listed'}`);
    });
}

function showCommand(): Command {
  return runAndWords(shared(new Command('show')), ['name'])
    .description('print the work ids of a set, of included, a filter or ids')
    .addHelpText(
      'after',
      '\nExamples:\n  docstokg set show runs/corals recent\n  docstokg set show runs/corals "year:2020- type:article"\n',
    )
    .action(async (given: string[], flags: SetFlags, self: Command) => {
      const session = openSession(self);
      const { run, words } = splitRun(given, ['name'], flags.run);
      await using corpus = await openCorpus(chooseRun(run, session.load().config));
      const works = [...corpus.chooseWorks(words[0] ?? '')];
      session.print(works, works.join('\n'));
    });
}

function deleteCommand(): Command {
  return runAndWords(shared(new Command('delete')), ['name'])
    .description('delete a set; its works stay')
    .addHelpText('after', '\nExample:\n  docstokg set delete runs/corals recent\n')
    .action(async (given: string[], flags: SetFlags, self: Command) => {
      const session = openSession(self);
      const { run, words } = splitRun(given, ['name'], flags.run);
      await using corpus = await openCorpus(chooseRun(run, session.load().config));
      corpus.deleteSet(words[0] ?? '');
      session.log('info', `deleted ${words[0] ?? ''}`);
    });
}
