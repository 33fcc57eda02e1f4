import type { Command, CommandUnknownOpts, OptionValues } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

/** The values of the options that a function declares. */
export type FlagsOf<Declare extends (...given: never) => CommandUnknownOpts> = Readonly<
  ReturnType<ReturnType<Declare>['opts']>
>;

export function webOptions<Args extends unknown[], Flags extends OptionValues>(command: Command<Args, Flags>) {
  return command
    .option('--mailto <address>', 'contact e-mail address, sent to the services used (http.contact)')
    .addOption(new Option('--sim <url>', 'run against a simulated web (docstokg sim serve)').env('DOCSTOKG_SIM'));
}

export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

export function worksOption<Args extends unknown[], Flags extends OptionValues>(command: Command<Args, Flags>) {
  return command.option(
    '--works <which>',
    'only these works: a saved set, included, excluded, a filter (year:2020-2022 type:article), comma-separated ids, or @FILE',
  );
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

export function decimalNumber(text: string): number {
  if (!/^(?:\d+|\d*\.\d+)$/.test(text) || !Number.isFinite(Number(text)))
    throw new InvalidArgumentError('expected a number ≥ 0');
  return Number(text);
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds. */
export function timeSpan(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('expected a number and a unit: 90m, 12h, 30d');
  return Number(number) * (UNITS[unit] ?? 0);
}
