import { namesOf } from '../record/csl.ts';
import type { WorkRecord } from '../record/record.ts';
import { RETRACTED, retractionOf } from '../record/record.ts';

const TYPES: Readonly<Record<string, string>> = {
  'book-chapter': 'CHAP',
  book: 'BOOK',
  dissertation: 'THES',
  report: 'RPRT',
  dataset: 'DATA',
  preprint: 'UNPB',
  'conference-paper': 'CPAPER',
};

/** A record in RIS for Zotero, EndNote and Rayyan; `file` becomes `L1`. */
export function risEntry(record: WorkRecord, file?: string): string {
  const { ids } = record;
  const [first, last] = record.pages?.split(/[-–]+/) ?? [];
  const lines: readonly (readonly [string, string | null | undefined])[] = [
    ['TY', TYPES[record.type ?? ''] ?? (record.venue === null ? 'GEN' : 'JOUR')],
    ['ID', record.id],
    ['TI', record.title],
    ...record.authors.map((author) => {
      const { family, given, name } = namesOf(author);
      return [
        'AU',
        family === null ? name : [family, given].filter((part) => part !== null && part !== '').join(', '),
      ] as const;
    }),
    ['PY', record.date?.slice(0, 4)],
    ['DA', record.date?.replaceAll('-', '/')],
    ['T2', record.venue],
    ['PB', record.publisher],
    ['VL', record.volume],
    ['IS', record.issue],
    ['SP', first],
    ['EP', last],
    ['SN', record.issn[0]],
    ['DO', ids.doi],
    ['AN', ids.pmid],
    ['C2', ids.pmcid],
    ['LA', record.language],
    ['AB', record.abstract],
    ...record.keywords.map((word) => ['KW', word] as const),
    ['N1', retractionOf(record) ? RETRACTED : null],
    ['UR', record.url],
    ['L1', file],
  ];
  const text = lines
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([tag, value]) => `${tag}  - ${String(value).replaceAll(/\s+/g, ' ').trim()}\r\n`);
  return `${text.join('')}ER  - \r\n\r\n`;
}
