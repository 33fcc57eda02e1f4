import { InvalidArgumentError } from 'commander';

/** Option parser for integers. */
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

/** Option parser for decimal numbers. */
export function decimalNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^(?:\d+|\d*\.\d+)$/.test(text) || !Number.isFinite(value) || value < least)
      throw new InvalidArgumentError(`expected a number ≥ ${least}`);
    return value;
  };
}
