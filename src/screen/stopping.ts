export interface Sample {
  /** Included records that were found before the sample began. */
  readonly foundBefore: number;
  /** Records that were undecided when the sample began, from which it is drawn. */
  readonly population: number;
  /** Records of the sample that were read, in the order of the draw. */
  readonly read: number;
  /** Included records among them. */
  readonly found: number;
}

const TARGET_RECALL = 0.95;
/**
 * Each record of the sample is another look, and another chance to be wrong: at this level all looks together are
 * wrong in at most 5 % of reviews, which stopping.test.ts computes exactly.
 */
const LOOK_LEVEL = 0.025;

/** The guarantee that a sample allows: the hypergeometric test of Callaghan and Müller-Hansen (2020). */
export function promiseOf(sample: Sample) {
  const { foundBefore, population, read, found } = sample;
  const all = foundBefore + found;
  /** The smallest number of included records in the population for which recall would miss the target. */
  const missing = Math.floor(all / TARGET_RECALL + 1e-9) - foundBefore + 1;
  return {
    isReached: isRejected(sample, missing),
    /** Records still to be read until then if none is included, which only raises the guarantee. */
    stillToRead: firstOf(0, population - read, (more) => isRejected({ ...sample, read: read + more }, missing)),
    recallAtLeast: recallAtLeast(sample),
  };
}

/** Whether the population can be ruled out to contain `included` or more included records. */
function isRejected({ population, read, found }: Sample, included: number): boolean {
  // The unread records cannot contain that many.
  if (included - found > population - read) return true;
  return hypergeometric(found, population, included, read) < LOOK_LEVEL;
}

function recallAtLeast(sample: Sample): number {
  const { foundBefore, population, read, found } = sample;
  const all = foundBefore + found;
  if (all === 0) return read === population ? 1 : 0;
  const most = firstOf(found, found + population - read, (included) => isRejected(sample, included + 1));
  return all / (foundBefore + most);
}

/** The first number that fits, if all after it fit too; `high` if none before it does. */
function firstOf(low: number, high: number, fits: (value: number) => boolean): number {
  if (low >= high) return low;
  const middle = (low + high) >> 1;
  return fits(middle) ? firstOf(low, middle, fits) : firstOf(middle + 1, high, fits);
}

/** The probability of at most `found` included records among `drawn`, of `population` with `included`. */
export function hypergeometric(found: number, population: number, included: number, drawn: number): number {
  let sum = 0;
  const all = logChoose(population, drawn);
  for (let each = Math.max(0, drawn - (population - included)); each <= Math.min(found, included, drawn); each += 1)
    sum += Math.exp(logChoose(included, each) + logChoose(population - included, drawn - each) - all);
  return Math.min(1, sum);
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

const SMALL: number[] = [0, 0];

/** Exact up to 1,000, then Stirling's series, whose error is below 1e-12 there. */
function logFactorial(n: number): number {
  if (n > 1_000) return n * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI * n) + 1 / (12 * n) - 1 / (360 * n * n * n);
  for (let at = SMALL.length; at <= n; at += 1) SMALL.push((SMALL[at - 1] ?? 0) + Math.log(at));
  return SMALL[n] ?? 0;
}

const LEAST_QUIET = 25;
const QUIET_SHARE = 0.05;

/** Nothing included lately: a heuristic that guarantees nothing, but only chooses when the sample starts. */
export function isTimeToSample(decided: readonly boolean[], total: number): boolean {
  const quiet = Math.max(LEAST_QUIET, Math.ceil(QUIET_SHARE * total));
  return decided.length >= quiet && !decided.slice(-quiet).includes(true);
}
