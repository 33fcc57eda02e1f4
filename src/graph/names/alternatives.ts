import { expanded } from '../../parse/index.ts';

/** A part of a pattern that matches any of the phrases, the longest first; "[adult] patients" stands for two of them. */
export function alternatives(phrases: readonly string[]): string {
  return phrases
    .flatMap(expanded)
    .map((each) => RegExp.escape(each.replaceAll(/\s+/g, ' ').trim()))
    .toSorted((a, b) => b.length - a.length)
    .join('|');
}
