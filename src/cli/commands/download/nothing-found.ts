import type { RunAsked } from '../../../corpus/index.ts';

/** The message for an empty result, with suggestions. */
export function nothingFound({ topic, input = [], yearStart, yearEnd, oaOnly, type, language }: RunAsked): string {
  const filters = Object.entries({
    '--year-start': yearStart,
    '--year-end': yearEnd,
    '--oa-only': oaOnly,
    '--type': type,
    '--language': language,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  const tries = [
    ...(filters.length > 0 ? [`leave out ${filters.join(', ')}`] : []),
    ...(topic === undefined ? [] : ['use fewer or more common words, or an OpenAlex topic id such as T10017']),
    ...(input.length > 0 ? [`check ${input.join(', ')}: no works or readable papers were found in it`] : []),
  ];
  return `no works found${topic === undefined ? '' : ` on "${topic}"`}; ${tries.join('; or ') || 'try another query'}`;
}
