import type { WorkLocation } from '../../src/works/index.ts';

/** A work as services know it. */
export const TITLE = 'Warm water and the bleaching of corals in shallow seas';
export const AUTHORS = ['Ada Lovelace', 'Grace Hopper'];
export const known = { title: TITLE, authors: AUTHORS } as const;

/** A place of a work, open and published unless changed. */
export const place = (more: Partial<WorkLocation>): WorkLocation => ({
  landingUrl: null,
  pdfUrl: null,
  isOpen: true,
  license: null,
  version: 'publishedVersion',
  hostType: 'publisher',
  ...more,
});
