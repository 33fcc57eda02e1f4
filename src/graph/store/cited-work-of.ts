import type { CitedWork } from '../link/cited-work.ts';

/** What a work's node keeps for references to be recognised by. */
export function citedWorkOf(data: string): CitedWork {
  const { title, authors, year, source, volume, pages } = JSON.parse(data) as Partial<CitedWork>;
  return {
    title: title ?? null,
    authors: authors ?? [],
    year: year ?? null,
    source: source ?? null,
    volume: volume ?? null,
    pages: pages ?? null,
  };
}
