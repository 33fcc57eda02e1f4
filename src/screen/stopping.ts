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
export function promiseOf(sample: Sample, target = TARGET_RECALL) {
  const isReached = isRejected(sample, firstMissing(sample, target));
  let [low, high] = [0, isReached ? 0 : sample.population - sample.read];
  // More records without a find only raise the guarantee.
  while (low < high) {
    const middle = (low + high) >> 1;
    const later = { ...sample, read: sample.read + middle };
    if (isRejected(later, firstMissing(later, target))) high = middle;
    else low = middle + 1;
  }
  return {
    isReached,
    /** Records of the sample still to be read until then, if none of them is included. */
    stillToRead: low,
    recallAtLeast: recallAtLeast(sample),
  };
}

/** The smallest number of included records in the population for which recall would miss the target. */
function firstMissing({ foundBefore, found }: Sample, target: number): number {
  const all = foundBefore + found;
  return Math.floor(all / target + 1e-9) - foundBefore + 1;
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
  let [low, high] = [found, found + population - read];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isRejected(sample, middle + 1)) high = middle;
    else low = middle + 1;
  }
  return all / (foundBefore + low);
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
