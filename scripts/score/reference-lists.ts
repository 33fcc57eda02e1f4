import { lettersOf } from '../../src/base/index.ts';
import type { ListedReference } from '../../src/graph/extract/reference-list.ts';
import type { TrueCitations, TrueReference } from './jats-citations.ts';

/** The list of references that was read out of a paper. */
export interface ReadList {
  readonly id: string;
  readonly references: readonly Pick<ListedReference, 'text' | 'label' | 'doi' | 'parsed'>[];
}

export interface Figures {
  readonly p: number | null;
  readonly r: number | null;
  readonly f1: number | null;
}

/**
 * Compares lists with those of the publishers. An entry is found when it holds the beginning of a title, or carries the
 * number or the DOI of an entry without one; years, titles and DOIs count in entries that were found. A DOI counts where it
 * is printed, or where one was read.
 */
export function scoreReferences(
  documents: readonly Pick<TrueCitations, 'id' | 'references'>[],
  lists: readonly ReadList[],
): Readonly<Record<'entries' | 'years' | 'titles' | 'dois', Figures>> {
  const byId = new Map(lists.map(({ id, references }) => [id, references]));
  const count = { truth: 0, read: 0, found: 0, years: 0, yearRight: 0, titles: 0, titleRight: 0, dois: 0, doiRight: 0 };
  for (const { id, references } of documents) {
    const list = byId.get(id) ?? [];
    const open = new Set(list);
    count.truth += references.length;
    count.read += open.size;
    for (const [at, truth] of references.entries()) {
      const same = list[at] && open.has(list[at]) && !hasMark(truth) ? list[at] : undefined;
      const entry = [...open].find((each) => isSame(truth, each)) ?? same;
      if (!entry) continue;
      open.delete(entry);
      count.found += 1;
      if (truth.year !== null) {
        count.years += 1;
        if (String(entry.parsed.year) === truth.year) count.yearRight += 1;
      }
      if (truth.title !== null) {
        count.titles += 1;
        if (isTitle(truth.title, entry.parsed.title ?? '')) count.titleRight += 1;
      }
      if (truth.doi !== null && (entry.doi !== null || lettersOf(entry.text).includes(lettersOf(truth.doi)))) {
        count.dois += 1;
        if (entry.doi === truth.doi.toLowerCase()) count.doiRight += 1;
      }
    }
  }
  return {
    entries: figures(count.found, count.read, count.truth),
    years: figures(count.yearRight, count.years, count.years),
    titles: figures(count.titleRight, count.titles, count.titles),
    dois: figures(count.doiRight, count.dois, count.dois),
  };
}

function figures(right: number, found: number, all: number): Figures {
  const share = (of: number): number | null => (of === 0 ? null : right / of);
  return { p: share(found), r: share(all), f1: share((found + all) / 2) };
}

const LEAST_TITLE = 10;

/** Whether an entry can be recognised; those that cannot are taken to be in their place. */
function hasMark({ title, label, doi }: TrueReference): boolean {
  return lettersOf(title ?? '').length > LEAST_TITLE || /\d/.test(label ?? '') || doi !== null;
}

function isSame(truth: TrueReference, entry: ReadList['references'][number]): boolean {
  const title = lettersOf(truth.title ?? '').slice(0, 40);
  if (title.length > LEAST_TITLE) return lettersOf(entry.text).includes(title);
  const label = truth.label?.replace(/\D/g, '') ?? '';
  return (label !== '' && entry.label === label) || (truth.doi !== null && entry.doi === truth.doi.toLowerCase());
}

function isTitle(truth: string, read: string): boolean {
  const [wanted, found] = [lettersOf(truth), lettersOf(read)];
  return found.startsWith(wanted.slice(0, 40)) && Math.abs(found.length - wanted.length) <= 8;
}
