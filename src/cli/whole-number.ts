import { InvalidArgumentError } from 'commander';

/** Reads an option's value as a whole number, and refuses anything else before a command starts. */
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

/** Reads an option's value as a number that may have a fraction. */
export function decimalNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^(?:\d+|\d*\.\d+)$/.test(text) || !Number.isFinite(value) || value < least)
      throw new InvalidArgumentError(`expected a number ≥ ${least}`);
    return value;
  };
}
