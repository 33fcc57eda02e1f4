import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import type { Profile } from './load-simulation.ts';

/** Every profile of the simulator and how many works its worlds have; the simulator is not loaded to print a help page. */
const DEFAULT_WORKS: Readonly<Record<Profile, number>> = {
  calm: 500,
  realistic: 500,
  reality: 500,
  politeness: 500,
  hostile: 500,
  demo: 200,
  load: 100_000,
};

/** The options that say which world is meant. */
export interface WorldOptions {
  readonly seed: number;
  readonly works?: number;
  readonly hosts: number;
  readonly profile: Profile;
  readonly documents: 'full' | 'plain';
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('a whole number is needed');
  return value;
}

export function scale(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 10)) throw new InvalidArgumentError('a number above 0 and at most 10 is needed');
  return value;
}

/** The options that every command has, but for `--profile`, which here names a kind of world. */
export function everywhere(command: Command): Command {
  return command
    .addOption(
      new Option('--log-level <level>', 'how much to log on stderr')
        .choices(['error', 'warn', 'info', 'debug'])
        .default('info')
        .helpGroup('Everywhere:'),
    )
    .addOption(new Option('--json', 'machine-readable output').helpGroup('Everywhere:'))
    .addOption(new Option('--no-color', 'no colours').helpGroup('Everywhere:'))
    .helpOption('-h, --help', 'show this help');
}

/** Adds the options that say which world is meant. */
export function worldOptions(command: Command): Command {
  return command
    .addOption(new Option('--seed <n>', 'equal seeds make equal worlds').argParser(wholeNumber).default(7))
    .addOption(
      new Option('--works <n>', 'works in the world; default: 500, demo 200, load 100,000').argParser(wholeNumber),
    )
    .addOption(new Option('--hosts <n>', 'publishers and repositories in the world').argParser(wholeNumber).default(60))
    .addOption(
      new Option('--profile <name>', 'how the world behaves').choices(Object.keys(DEFAULT_WORKS)).default('realistic'),
    )
    .addOption(
      new Option('--documents <manner>', 'real-looking papers, or one page that identifies the work')
        .choices(['full', 'plain'])
        .default('full'),
    );
}

/** What the world is made from, with the usual size of its profile. */
export function parametersOf(options: WorldOptions): {
  readonly seed: number;
  readonly works: number;
  readonly hosts: number;
  readonly profile: Profile;
} {
  return {
    seed: options.seed,
    works: options.works ?? DEFAULT_WORKS[options.profile],
    hosts: options.hosts,
    profile: options.profile,
  };
}
