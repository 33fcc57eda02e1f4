import type { CitedHit } from '../../src/corpus/index.ts';

/** A hit of a search, as `ask` and tables get it: one passage of a document, without a work. */
export function citedHit(document: string, text: string, passage: Partial<CitedHit['passage']> = {}): CitedHit {
  return {
    rank: 1,
    score: 1,
    fit: 1,
    by: 'words',
    link: null,
    work: null,
    passage: {
      id: `${document}#${text.length}`,
      document,
      title: `Title of ${document}`,
      headings: [],
      section: 'body',
      page: undefined,
      boxes: [],
      hasTable: false,
      hasFigure: false,
      text,
      file: undefined,
      ...passage,
    },
  };
}
