import type { ParseArgsConfig } from 'node:util';
import { parseArgs } from 'node:util';

type Parsed<T extends ParseArgsConfig> = ReturnType<typeof parseArgs<T>>;

/** Invalid options: printed in one line, with exit code 2, because a check that ran nothing proves nothing. */
export class Misuse extends Error {}

/** Runs `read`, which reads options; an invalid one ends the process with exit code 2. */
export function asked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

/** `parseArgs`, where an unknown option is a `Misuse`. */
export function readOptions<const T extends ParseArgsConfig>(config: T): Parsed<T> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error));
  }
}

/** The name of an option on the command line: `timeScale` is `time-scale`. */
export function optionOf(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

/** The default of an option, or the names it accepts, of which the first is the default. */
type Default = number | boolean | string | readonly string[];
type Value<D> = D extends number ? number : D extends boolean ? boolean : D extends readonly (infer N)[] ? N : string;

/**
 * Options of a check, by their defaults (`timeScale` is `--time-scale`): an integer stands for integers of at least 0, a decimal for numbers of at least 0,
 * a list for one of its names. An invalid option ends the process with exit code 2.
 *
 *     const { seed, profile } = checkOptions({ seed: 1, profile: ['calm', 'realistic'] });
 */
export function checkOptions<const D extends Readonly<Record<string, Default>>>(
  defaults: D,
  args = process.argv.slice(2),
): { readonly [K in keyof D]: Value<D[K]> } {
  return asked(() => {
    const types = Object.entries(defaults).map(([name, value]) => [
      optionOf(name),
      { type: typeof value === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]);
    const given = readOptions({
      args,
      options: Object.fromEntries(types) as Record<string, { type: 'string' }>,
    }).values;
    const read = Object.entries(defaults).map(([name, value]) => [
      name,
      valueOf(optionOf(name), given[optionOf(name)], value),
    ]);
    return Object.fromEntries(read) as { readonly [K in keyof D]: Value<D[K]> };
  });
}

function valueOf(name: string, text: string | undefined, value: Default): unknown {
  if (typeof value === 'object') return text === undefined ? value[0] : oneOf(name, text, value);
  if (text === undefined || typeof value !== 'number') return text ?? value;
  return Number.isInteger(value) ? wholeNumber(name, text, 0) : positive(name, text);
}

/** An integer of at least `least`. */
export function wholeNumber(name: string, text: string, least = 1): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least) throw new Misuse(`--${name} ${text}: expected an integer ≥ ${least}`);
  return number;
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < 0)
    throw new Misuse(`--${name} ${text}: expected a number ≥ 0`);
  return number;
}

/** `1-20`, or `1,16`, or both; at least one number. */
export function numbers(name: string, text: string): number[] {
  return text.split(',').flatMap((part) => {
    const [, first = '', last = first] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === '' || to < from)
      throw new Misuse(`--${name} ${text}: "${part}" is neither a number nor a range such as 1-20`);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}

/** One of the known names. */
export function oneOf<T extends string>(name: string, text: string, known: readonly T[]): T {
  const found = known.find((each) => each === text);
  if (found === undefined) throw new Misuse(`--${name} ${text}: expected one of ${known.join(', ')}`);
  return found;
}

/** A comma-separated list of known names; at least one. */
export function someOf<T extends string>(name: string, text: string, known: readonly T[]): T[] {
  return text.split(',').map((each) => oneOf(name, each.trim(), known));
}
