import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import type { Corpus } from '../corpus/index.ts';
import { SECTIONS } from '../search/index.ts';

/** `--sim URL`, or DOCSTOKG_SIM from the environment. */
function simOption(): Option {
  return new Option('--sim <url>', 'run against a simulated web (docstokg sim serve)').env('DOCSTOKG_SIM');
}

export function webOptions(command: Command): Command {
  return command
    .option('--mailto <address>', 'contact e-mail address, sent to the services used (http.contact)')
    .addOption(simOption());
}

/** Adds `--works`, which selects works of a run. */
export function worksOption(command: Command): Command {
  return command.option(
    '--works <which>',
    'only these works: a saved set, included, a filter (year:2020-2022 type:article), comma-separated ids, or @FILE',
  );
}

/** Filters of `search` and `ask`. */
export interface FilterFlags {
  readonly works?: string;
  readonly year?: string;
  readonly author?: string;
  readonly venue?: string;
  readonly type?: string;
  readonly license?: string;
  readonly section?: string;
  readonly has?: 'table' | 'figure';
  readonly excludeRetracted?: boolean;
}

/** Adds the filters of `search` and `ask`. */
export function filterOptions(command: Command): Command {
  return worksOption(command)
    .option('--year <years>', 'only works from these years: 2020, 2018-2022, 2018-')
    .option('--author <name>', 'only works by this author: part of a name, or an ORCID')
    .option('--venue <name>', 'only works from this journal or repository: part of its name')
    .option('--type <type>', 'only works of this type, such as article or preprint')
    .option('--license <a,b>', 'only works under these licences, such as cc-by')
    .option('--section <a,b>', `only these sections: ${SECTIONS.join(', ')}`)
    .addOption(new Option('--has <what>', 'only passages that contain one').choices(['table', 'figure']))
    .option('--exclude-retracted', 'exclude retracted works');
}

/** The filters given, for a search. */
export function filtersOf(corpus: Corpus, flags: FilterFlags) {
  const { works, year, author, venue, type, license, section, has, excludeRetracted } = flags;
  return { year, author, venue, type, license, section, has, excludeRetracted, ...chosenWorks(corpus, works) };
}

/** The works that `--works` names; undefined for all. */
export function chosenWorks(corpus: Corpus, which: string | undefined): { readonly works?: ReadonlySet<string> } {
  return which === undefined ? {} : { works: corpus.chooseWorks(which) };
}

export function wholeNumber(least = Number.MIN_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(
        least === Number.MIN_SAFE_INTEGER ? 'expected an integer' : `expected an integer ≥ ${least}`,
      );
    }
    return value;
  };
}

export function decimalNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^(?:\d+|\d*\.\d+)$/.test(text) || !Number.isFinite(value) || value < least)
      throw new InvalidArgumentError(`expected a number ≥ ${least}`);
    return value;
  };
}
