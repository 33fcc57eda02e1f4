import type { Command } from 'commander';

import type { Corpus } from '../corpus/index.ts';

/** Adds `--works`, which says which works of a run a command is about. */
export function worksOption(command: Command): Command {
  return command.option(
    '--works <which>',
    'only these works: a saved set, included, a filter (year:2020-2022 type:article), comma-separated ids, or @FILE',
  );
}

/** The works that `--works` names; undefined for all. */
export function chosenWorks(corpus: Corpus, which: string | undefined): { readonly works?: ReadonlySet<string> } {
  return which === undefined ? {} : { works: corpus.chooseWorks(which) };
}
