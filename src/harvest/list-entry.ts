import { basename } from 'node:path';

import type { WorkRecord } from '../works/index.ts';

/** An entry of a list that names no work, or not yet. */
export interface UnreadableEntry {
  readonly file: string;
  readonly line: number;
  readonly word: 'unreadable-entry' | 'title-doubtful' | 'title-unknown' | 'lookup-failed';
  readonly reason: string;
  /** What the list says about it. */
  readonly record?: WorkRecord;
}

/** The name of an entry of a list: the list's own and the line. */
export function entryName({ file, line }: Pick<UnreadableEntry, 'file' | 'line'>): string {
  return `${basename(file)}#${line}`;
}
