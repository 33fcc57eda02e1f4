import { splitLines } from '../../base/index.ts';

const LONGEST_LINE = 10_000_000;
const MOST_FIELDS = 20_000;

/** One record of a tagged file: its tags and values in order, or why it is unreadable. */
export interface TaggedRecord {
  readonly line: number;
  readonly fields: readonly (readonly [string, string])[];
  readonly reason?: string;
}

/** RIS as written by Zotero, Embase, Ovid and others: stray lines are skipped, values may continue on the next line. */
export async function* readRis(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TaggedRecord> {
  let fields: [string, string][] = [];
  let startedAt = 0;
  for await (const { line, text } of linesOf(chunks)) {
    if (text === undefined) {
      yield { line, fields: [], reason: `line is longer than ${LONGEST_LINE} bytes` };
      continue;
    }
    const [, tag, value = ''] = /^\uFEFF?\s{0,3}([A-Z][A-Z0-9]) {1,2}-(?:\s(.*)|)$/.exec(text) ?? [];
    if (tag === 'TY') {
      // Some exports omit the end of a record: the next one ends it.
      if (startedAt > 0 && fields.length > 1) yield { line: startedAt, fields };
      fields = [[tag, value.trim()]];
      startedAt = line;
    } else if (tag === 'ER') {
      if (startedAt > 0) yield { line: startedAt, fields };
      fields = [];
      startedAt = 0;
    } else if (startedAt === 0) continue;
    else if (tag !== undefined && fields.length < MOST_FIELDS) fields.push([tag, value.trim()]);
    else goOn(fields, text);
  }
  if (startedAt > 0) yield { line: startedAt, fields: [], reason: 'the record has no ER line' };
}

/** MEDLINE as PubMed exports it (`.nbib`): `PMID- 1`, indented lines continue a value, a blank line ends a record. */
export async function* readNbib(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TaggedRecord> {
  let fields: [string, string][] = [];
  let startedAt = 0;
  for await (const { line, text } of linesOf(chunks)) {
    if (text === undefined) {
      yield { line, fields: [], reason: `line is longer than ${LONGEST_LINE} bytes` };
      continue;
    }
    const [, tag, value = ''] = /^\uFEFF?([A-Z]{2,4}) {0,2}- ?(.*)$/.exec(text) ?? [];
    const ends = text.trim() === '' || tag === 'PMID';
    if (ends && fields.length > 0) {
      yield { line: startedAt, fields };
      fields = [];
    }
    if (tag === undefined) {
      if (text.startsWith(' ')) goOn(fields, text);
      continue;
    }
    if (fields.length === 0) startedAt = line;
    if (fields.length < MOST_FIELDS) fields.push([tag, value.trim()]);
  }
  if (fields.length > 0) yield { line: startedAt, fields };
}

function goOn(fields: [string, string][], text: string): void {
  const last = fields.at(-1);
  if (last && text.trim() !== '' && last[1].length < LONGEST_LINE) last[1] = `${last[1]} ${text.trim()}`;
}

async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly line: number; readonly text: string | undefined }> {
  let line = 0;
  for await (const { text } of splitLines(chunks, LONGEST_LINE)) {
    line += 1;
    yield { line, text: text?.replace(/\r$/, '') };
  }
}
