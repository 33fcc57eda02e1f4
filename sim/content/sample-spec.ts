import { draftAbstract, draftTitle } from './draft.ts';
import type { PaperSpec } from './paper.ts';

const NAMES = ['Anna Lindqvist', 'José Ñandú', 'Chidi Okoye', 'Łucja Żak', 'Tom Halden', 'Maria Brisa'];

/** A specification as a world would give it, for tests and trials: everything follows from `index`. */
export function sampleSpec(index: number, given: Partial<PaperSpec> = {}): PaperSpec {
  const topics = [
    'Battery electrolytes',
    'CRISPR screens',
    'Coral bleaching',
    'Graph neural networks',
    'Soil carbon dynamics',
  ];
  const topic = given.topic ?? topics[index % topics.length] ?? '';
  const language = given.language ?? 'en';
  const subject = { seed: `sample ${String(index)}`, topic, language };
  const number = String(index + 1);
  return {
    ...subject,
    workId: `W${String(7_000_000_001 + index)}`,
    title: draftTitle(subject),
    abstract: draftAbstract(subject),
    authors: NAMES.slice(0, 1 + (index % NAMES.length)).map((name) => ({
      name,
      orcid: '0009-0000-0000-0004',
      affiliation: name.length % 2 === 0 ? 'University of Kiruna' : 'Instituto Simulado',
    })),
    doi: `10.5555/jofa.2024.${number}`,
    pmcid: `PMC90${number}`,
    pmid: `80${number}`,
    arxivId: `2401.${number.padStart(5, '0')}`,
    journal: 'Journal of Simulated Science',
    year: 2024,
    license: 'cc-by',
    references: Array.from({ length: 8 + ((index * 7) % 33) }, (_unused, entry) => ({
      title: draftTitle({ seed: `reference ${String(entry)}`, topic, language: 'en' }),
      authors: NAMES.slice(0, 1 + (entry % NAMES.length)),
      year: 1990 + entry,
      doi: `10.5555/jofa.${String(1990 + entry)}.${String(entry + 1)}`,
    })),
    ...given,
  };
}
