import { existsSync } from 'node:fs';
import { relative, sep } from 'node:path';

import type { Journal } from '../journal/index.ts';

/** Files that are in a store, and in the folder only when they were looked at. */
interface StoredPlace {
  /** Undefined if the store does not have the file. */
  of(path: string): object | undefined;
  /** Makes sure that a file is in the folder; false if it is nowhere. */
  bring(path: string): Promise<boolean>;
}

/** A run folder with its data in `Data`, or the parent of another data folder. */
export interface DocumentPlace {
  readonly folder: string;
  readonly dataRoot: string;
  /** The store that has the files, if the folder is a copy of a corpus in PostgreSQL. */
  readonly stored?: StoredPlace | undefined;
  /** Takes decisions, if they do not go into the logs of the folder. */
  readonly journal?: Journal | undefined;
}

/** Whether a file is in the folder or can be brought there. */
export function isThere(place: DocumentPlace, path: string): boolean {
  return existsSync(path) || place.stored?.of(nameIn(place, path)) !== undefined;
}

/** Brings a file of the folder if it is only in the store. */
export async function bringHere(place: DocumentPlace, path: string): Promise<void> {
  const isInStore = place.stored?.of(nameIn(place, path)) !== undefined;
  if (isInStore) await place.stored?.bring(nameIn(place, path));
}

/** The path in the folder, with slashes. */
function nameIn({ folder }: DocumentPlace, path: string): string {
  return relative(folder, path).split(sep).join('/');
}
