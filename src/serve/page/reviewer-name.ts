import { keepHere, keptHere } from './kept-here.ts';

const KEPT = 'docstokg-name';

/** The name under which this browser wrote or decided last; empty if it has none. */
export function keptName(): string {
  return keptHere(KEPT) ?? '';
}

/** Keeps the name for the next note, or the next screening. */
export function keepName(name: string): void {
  if (name !== '') keepHere(KEPT, name);
}
