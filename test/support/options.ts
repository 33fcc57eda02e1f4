import type { ParseArgsConfig } from 'node:util';
import { parseArgs } from 'node:util';

type Parsed<T extends ParseArgsConfig> = ReturnType<typeof parseArgs<T>>;

/** A check that was asked for what it does not have: told in a line, with exit code 2, since a check that ran nothing proves nothing. */
export class Misuse extends Error {}

/** What a check is asked for, read before anything is done; misuse ends it with 2. */
export function asked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

/** The options of a check; an unknown one is misuse. */
export function readOptions<const T extends ParseArgsConfig>(config: T): Parsed<T> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error));
  }
}

/** A whole number of at least so much. */
export function wholeNumber(name: string, text: string, least = 1): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least)
    throw new Misuse(`--${name} ${text}: a whole number of at least ${least} is needed`);
  return number;
}

/** A positive number that need not be whole, or nought where that has a meaning. */
export function positive(name: string, text: string, least = 0): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < least)
    throw new Misuse(`--${name} ${text}: a number of at least ${least} is needed`);
  return number;
}

/** `1-20`, or `1,16`, or both; at least one number. */
export function numbers(name: string, text: string): number[] {
  return text.split(',').flatMap((part) => {
    const [, first = '', last = first] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === '' || to < from)
      throw new Misuse(`--${name} ${text}: "${part}" is no number and no range such as 1-20`);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}

/** One of the names there are. */
export function oneOf<T extends string>(name: string, text: string, known: readonly T[]): T {
  const found = known.find((each) => each === text);
  if (found === undefined) throw new Misuse(`--${name} ${text}: there is no such name; known are ${known.join(', ')}`);
  return found;
}

/** Names, each one of those there are, at least one. */
export function someOf<T extends string>(name: string, text: string, known: readonly T[]): T[] {
  return text.split(',').map((each) => oneOf(name, each.trim(), known));
}
