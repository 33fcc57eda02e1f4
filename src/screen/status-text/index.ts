import type * as z from 'zod';

import type { screeningHead } from '../shapes/index.ts';

// The page is built from this file too: import nothing here that a browser does not have.

type Status = z.output<typeof screeningHead>;
type Counts = Status['phases'][keyof Status['phases']];

const number = (value: number): string => value.toLocaleString('en');
const percent = (share: number): string => `${Math.floor(100 * share)} %`;

/** "10 of 40 decided: 1 included, 9 excluded"; unsure works and conflicts only if there are any. */
export function countsText(counts: Counts): string {
  const { works, included, excluded, maybe, conflicts, undecided } = counts;
  const unsettled = Object.entries({ maybe, conflicts }).filter(([, value]) => value > 0);
  const parts = [...Object.entries({ included, excluded }), ...unsettled];
  const decided = `${number(works - undecided)} of ${number(works)} decided`;
  return `${decided}: ${parts.map(([name, value]) => `${number(value)} ${name}`).join(', ')}`;
}

export function agreementText({ works, agreed, kappa }: NonNullable<Status['agreement']>): string {
  return `Agreement of reviewers on ${number(works)} works: ${percent(agreed)}, kappa ${kappa.toFixed(2)}.`;
}

/** What the random sample promises about the works that were found, and what to do next. */
export function promiseText(sample: NonNullable<Status['sample']>, conflicts: number): string {
  const { isReached, recallAtLeast, stillToRead, read, population, found, estimate } = sample;
  const sampled = `Random sample: ${number(read)} of ${number(population)} read, ${number(found)} included; estimated recall ${percent(estimate)}.`;
  const promise = `with 95 % confidence at least ${isReached ? '95 %' : percent(recallAtLeast)} of the relevant works are found.`;
  if (isReached) return `You may stop: ${promise} ${sampled}`;
  if (stillToRead === 0) return `Settle the conflicts (${number(conflicts)}), then you may stop. ${sampled}`;
  return `${sampled} So ${promise} Read ${number(stillToRead)} more of it without a relevant one to say 95 %.`;
}
