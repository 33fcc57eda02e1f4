import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import type { Profile } from './load-simulation.ts';

/**
 * Profiles of the simulator and their default number of works; copied here so that help does not load the simulator.
 */
const DEFAULT_WORKS: Readonly<Record<Profile, number>> = {
  calm: 500,
  realistic: 500,
  reality: 500,
  politeness: 500,
  hostile: 500,
  demo: 200,
  load: 100_000,
};

export interface WorldOptions {
  readonly seed: number;
  readonly works?: number;
  readonly hosts: number;
  readonly profile: Profile;
  readonly documents: 'full' | 'plain';
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('expected an integer');
  return value;
}

export function scale(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 10)) throw new InvalidArgumentError('expected a number > 0 and ≤ 10');
  return value;
}

/** The shared options, except `--profile`, which names a world here. */
export function everywhere(command: Command): Command {
  return command
    .addOption(
      new Option('--log-level <level>', 'log level for stderr')
        .choices(['error', 'warn', 'info', 'debug'])
        .default('info')
        .helpGroup('Everywhere:'),
    )
    .addOption(new Option('--json', 'machine-readable output').helpGroup('Everywhere:'))
    .addOption(new Option('--no-color', 'disable colours').helpGroup('Everywhere:'))
    .helpOption('-h, --help', 'show this help');
}

/** Adds the options that define the world. */
export function worldOptions(command: Command): Command {
  return command
    .addOption(new Option('--seed <n>', 'seed; the same seed gives the same world').argParser(wholeNumber).default(7))
    .addOption(
      new Option('--works <n>', 'works in the world; default: 500, demo 200, load 100,000').argParser(wholeNumber),
    )
    .addOption(new Option('--hosts <n>', 'publishers and repositories in the world').argParser(wholeNumber).default(60))
    .addOption(
      new Option('--profile <name>', 'behaviour of the world').choices(Object.keys(DEFAULT_WORKS)).default('realistic'),
    )
    .addOption(
      new Option('--documents <manner>', 'full: realistic papers; plain: a single page that identifies the work')
        .choices(['full', 'plain'])
        .default('full'),
    );
}

/** The world parameters, with the default size of the profile. */
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
