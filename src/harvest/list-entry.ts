import { basename } from 'node:path';

/** An entry of a list that names no work, or not yet. */
export interface UnreadableEntry {
  readonly file: string;
  readonly line: number;
  readonly word: 'unreadable-entry' | 'title-doubtful' | 'title-unknown' | 'lookup-failed';
  readonly reason: string;
}

/** The name of an entry of a list: the list's own and the line. */
export function entryName({ file, line }: Pick<UnreadableEntry, 'file' | 'line'>): string {
  return `${basename(file)}#${line}`;
}
