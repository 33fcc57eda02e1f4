import type { PaperSpec, Reference } from './paper.ts';
import { stream } from './random.ts';

const JOURNALS = [
  'Journal of Simulated Science',
  'Annals of Synthetic Studies',
  'Letters in Modelled Research',
  'Archive of Invented Results',
  'Proceedings of the Loopback Society',
  'Reviews in Artificial Evidence',
] as const;

/** Default journal. */
export const OWN_JOURNAL = JOURNALS[0];

/** The reference list, with volume and pages added to what the world knows of each cited work. */
export function writeReferences(spec: PaperSpec): Reference[] {
  return spec.references.map((reference, index) => {
    const random = stream('reference', reference.doi ?? reference.title, reference.year);
    const firstPage = random.integer(1, 1800);
    return {
      number: index + 1,
      authors: reference.authors,
      title: reference.title,
      journal: random.pick(JOURNALS),
      year: reference.year,
      volume: random.integer(2, 90),
      firstPage,
      lastPage: firstPage + random.integer(3, 22),
      ...(reference.doi && { doi: reference.doi }),
    };
  });
}

/** Authors in a reference list: at most three. */
export function authorList(authors: readonly string[]): string {
  return authors.length > 4 ? `${authors.slice(0, 3).join(', ')}, et al.` : authors.join(', ');
}

/** A reference as one line of text, without its number. */
export function referenceText(reference: Reference): string {
  const { title, journal, year, volume, firstPage, lastPage, doi } = reference;
  const place = `${journal} ${String(volume)}, ${String(firstPage)}–${String(lastPage)} (${String(year)}).`;
  const authors = authorList(reference.authors).replace(/\.$/, '');
  const stop = /[.!?]$/.test(title) ? '' : '.';
  return `${authors ? `${authors}. ` : ''}${title}${stop} ${place}${doi ? ` https://doi.org/${doi}` : ''}`;
}
