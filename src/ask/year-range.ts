import { AppError } from '../base/index.ts';

/** The first and the last year of `2020`, `2018-2022`, `2018-`, `-2022`: how every list and search is narrowed to some years. */
export function parseYears(text: string): readonly [first: number, last: number] {
  const wrong = (hint: string): AppError =>
    new AppError('USAGE_FILTER', `"${text.slice(0, 100)}" is not a valid year`, { hint });
  const [, from, dash, to] = /^\s{0,8}(\d{4})?\s{0,8}(-|–)?\s{0,8}(\d{4})?\s{0,8}$/.exec(text) ?? [];
  if (from === undefined && to === undefined) throw wrong('2020, 2018-2022, 2018- or -2022');
  const first = from === undefined ? 1 : Number(from);
  const last = to === undefined ? (dash === undefined ? first : 9999) : Number(to);
  if (first > last) throw wrong('the earlier year first, as in 2018-2022');
  return [first, last];
}
