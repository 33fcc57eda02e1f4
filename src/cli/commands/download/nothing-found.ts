import type { RunAsked } from '../../../corpus/index.ts';

/** Says that nothing was found, and what to try next. */
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
    ...(topic === undefined ? [] : ['use fewer or more common words, or the id of a topic of OpenAlex such as T10017']),
    ...(input.length > 0
      ? [`look into ${input.join(', ')}: it names no work, and holds no paper, that can be read`]
      : []),
  ];
  return `nothing was found${topic === undefined ? '' : ` on "${topic}"`}; ${tries.join('; or ') || 'ask for something else'}`;
}
