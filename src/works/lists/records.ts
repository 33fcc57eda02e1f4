import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';

import { splitLines } from '../../base/index.ts';

const HEAD_BYTES = 4096;
const [NEWLINE, RETURN] = [10, 13];
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
/** A line longer than this may be cut between any two characters. */
const LONG_LINE = 1_000_000;

/** The beginning of a stream, which shows encoding and format, and the whole stream. */
export async function peek(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Buffer; readonly all: AsyncGenerator<Uint8Array> }> {
  const rest = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < HEAD_BYTES) {
    const { done, value } = await rest.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { head, all: all() };
}

export function readUtf8(path: string): AsyncGenerator<Uint8Array> {
  return asUtf8(createReadStream(path));
}

/** A line that is not UTF-8 is read as Windows-1252: a list may join exports in several encodings. */
export async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { head, all } = await peek(chunks);
  const utf16 = utf16In(head);
  if (utf16 !== undefined) {
    const decoder = new TextDecoder(utf16);
    for await (const chunk of all) yield Buffer.from(decoder.decode(chunk, { stream: true }));
    return;
  }
  const isMac = head.includes(RETURN) && !head.includes(NEWLINE);
  let rest = Buffer.alloc(0);
  let skipped = head.subarray(0, 3).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  for await (const piece of all) {
    const chunk = piece.subarray(skipped);
    skipped = 0;
    const bytes = Buffer.concat([rest, isMac ? chunk.map((byte) => (byte === RETURN ? NEWLINE : byte)) : chunk]);
    let end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0 && bytes.length > LONG_LINE) end = bytes.findLastIndex((byte) => byte < 0x80) + 1;
    rest = bytes.subarray(end);
    yield* utf8Lines(bytes.subarray(0, end));
  }
  yield* utf8Lines(rest);
}

function utf16In(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0 && head[3] === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && head[2] === 0) ? 'utf-16be' : undefined;
}

function* utf8Lines(bytes: Buffer): Generator<Uint8Array> {
  if (isUtf8(bytes)) {
    yield bytes;
    return;
  }
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, from) + 1 || bytes.length;
    const line = bytes.subarray(from, end);
    yield isUtf8(line) ? line : Buffer.from(new TextDecoder('windows-1252').decode(line));
    from = end;
  }
}

/** A CSV record and the line it starts on; `fields` is undefined if it is too long or unterminated. */
interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[] | undefined;
}

const LONGEST_RECORD = 1_000_000;

/** Commas, unless the first line has more semicolons or tabs. Semicolons in a DOI do not count. */
export function separatorIn(head: string): string {
  const line = (/^[^\r\n]*/.exec(head)?.[0] ?? '').replaceAll(/"[^"]*"|\b10\.\d{4}\S*/g, '');
  const count = (separator: string): number => line.split(separator).length;
  return [';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best), ',');
}

/** Reads CSV (RFC 4180) as a stream: quotes, doubled quotes, line breaks inside quotes, any line ending. */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  const { head, all } = await peek(chunks);
  const separator = separatorIn(head.toString());
  const decoder = new TextDecoder('utf-8');
  let fields: string[] = [];
  let field = '';
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let line = 1;
  let startedAt = 1;
  let length = 0;
  let afterReturn = false;
  const take = (): CsvRecord | undefined => {
    const isBlank = fields.length === 0 && field === '' && state === 'start';
    const record = { line: startedAt, fields: length > LONGEST_RECORD ? undefined : [...fields, field] };
    fields = [];
    field = '';
    state = 'start';
    length = 0;
    return isBlank ? undefined : record;
  };
  for await (const chunk of all) {
    for (const character of decoder.decode(chunk, { stream: true })) {
      if (afterReturn && character === '\n') {
        afterReturn = false;
        startedAt = line;
        continue;
      }
      afterReturn = false;
      const isBreak = character === '\n' || character === '\r';
      if (isBreak) line += 1;
      if (isBreak && state !== 'quoted') {
        afterReturn = character === '\r';
        const record = take();
        if (record) yield record;
        startedAt = line;
        continue;
      }
      length += 1;
      // An unterminated record is counted, not stored.
      if (length > LONGEST_RECORD) continue;
      if (state === 'quoted') {
        if (character === '"') state = 'closed';
        else field += character;
      } else if (character === separator) {
        fields.push(field);
        field = '';
        state = 'start';
      } else if (character === '"' && (state === 'start' || state === 'closed')) {
        if (state === 'closed') field += '"';
        state = 'quoted';
      } else {
        field += character;
        state = 'plain';
      }
    }
  }
  const unfinished = state === 'quoted';
  const last = take();
  if (last) yield unfinished ? { ...last, fields: undefined } : last;
}

export const LONGEST_LINE = 10_000_000;
const MOST_FIELDS = 20_000;

/** The rows of a CSV file, read by the names of its columns; names and values are trimmed. */
export async function* readTable(path: string): AsyncGenerator<{
  readonly line: number;
  readonly names: readonly string[];
  readonly value: (name: string) => string;
}> {
  let names: readonly string[] | undefined;
  for await (const { line, fields } of readCsv(readUtf8(path))) {
    if (!names) names = (fields ?? []).map((name) => name.trim());
    else {
      const columns = names;
      yield { line, names, value: (name) => fields?.[columns.indexOf(name)]?.trim() ?? '' };
    }
  }
}

export type Fields = readonly (readonly [string, string])[];

export interface ListRecord {
  readonly line: number;
  readonly fields: Fields;
  readonly reason?: string;
}

/** Without `ends`, a blank line ends a record. Each further line of a tag in `lists` is a further value. */
interface TaggedFormat {
  readonly pattern: RegExp;
  readonly begins: string;
  readonly ends?: string;
  readonly lists?: readonly string[];
}

/** As written by Zotero, Embase, Ovid and others. */
export const RIS: TaggedFormat = {
  pattern: /^\s{0,3}([A-Z][A-Z0-9]|DOI) {1,2}-(?:\s(.*)|)$/,
  begins: 'TY',
  ends: 'ER',
};
export const MEDLINE: TaggedFormat = { pattern: /^([A-Z]{2,4}) {0,2}- ?(.*)$/, begins: 'PMID' };
/** "Plain text" of Web of Science. */
export const WEB_OF_SCIENCE: TaggedFormat = {
  pattern: /^([A-Z][A-Z0-9])(?: (.*))?$/,
  begins: 'PT',
  ends: 'ER',
  lists: ['AU', 'AF'],
};

/** Lines outside a record are skipped; values may continue on the next line. */
export async function* readTagged(
  chunks: AsyncIterable<Uint8Array>,
  { pattern, begins, ends, lists = [] }: TaggedFormat,
): AsyncGenerator<ListRecord> {
  let record: { readonly line: number; readonly fields: [string, string][] } | undefined;
  for await (const { line, text } of linesOf(chunks)) {
    if (text === undefined) {
      yield { line, fields: [], reason: `line is longer than ${LONGEST_LINE} bytes` };
      continue;
    }
    const [, tag, value = ''] = pattern.exec(text) ?? [];
    const isEnd = ends === undefined ? text.trim() === '' : tag === ends;
    const isStart = tag !== undefined && (tag === begins || (ends === undefined && !record));
    if (isStart || isEnd) {
      // Some exports omit the end of a record: the next one ends it. A RIS type alone is no record, a PMID is.
      if (record && (isEnd || ends === undefined || record.fields.length > 1)) yield record;
      record = isStart ? { line, fields: [[tag, value.trim()]] } : undefined;
    } else if (record) addLine(record.fields, { tag, text: (tag === undefined ? text : value).trim(), lists });
  }
  if (record) yield ends === undefined ? record : { ...record, fields: [], reason: `the record has no ${ends} line` };
}

function addLine(
  fields: [string, string][],
  { tag, text, lists }: { readonly tag: string | undefined; readonly text: string; readonly lists: readonly string[] },
): void {
  const last = fields.at(-1);
  const starts = tag ?? (last && lists.includes(last[0]) ? last[0] : undefined);
  if (starts !== undefined && fields.length < MOST_FIELDS) fields.push([starts, text]);
  else if (last && text !== '' && last[1].length < LONGEST_LINE) last[1] = `${last[1]} ${text}`;
}

/** Numbered lines; the text of one that is too long is undefined. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly line: number; readonly text: string | undefined }> {
  let line = 0;
  for await (const { text } of splitLines(chunks, LONGEST_LINE)) {
    line += 1;
    yield { line, text: text?.replace(/\r$/, '') };
  }
}

const MAX_ITEM = 10_000_000;
/** API records nest about ten levels. Parsing deeper text takes a hundred times its size in memory. */
const MAX_DEPTH = 100;

export type JsonItem =
  | { readonly kind: 'item'; readonly line: number; readonly value: unknown }
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string };

export async function* readJsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JsonItem> {
  for await (const { line, text } of linesOf(chunks)) {
    if (text === undefined) yield { kind: 'bad', line, reason: `line is longer than ${LONGEST_LINE} bytes` };
    else if (text.trim() !== '') yield parseItem(text, line);
  }
}

/** Streams the objects of an array, also of one inside an object (`{"items": […]}`), or a single object. */
export async function* readJsonItems(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JsonItem> {
  const decoder = new TextDecoder('utf-8');
  let [text, line, startedAt, depth] = ['', 1, 1, 0];
  let [isInString, isEscaped] = [false, false];
  const add = (piece: string): void => {
    if (text.length <= MAX_ITEM) text += piece;
  };
  for await (const chunk of chunks) {
    const piece = decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const character = piece[at];
      if (character === '\n') line += 1;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (character === '\\') isEscaped = true;
        else if (character === '"') isInString = false;
        continue;
      }
      // The brackets of the list itself are not part of an item.
      if (depth === 0) {
        if (character !== '{') continue;
        [text, startedAt, from] = ['', line, at];
      }
      if (character === '"') isInString = true;
      else if (character === '{' || character === '[') depth += 1;
      else if (character === '}' || character === ']') {
        depth -= 1;
        if (depth > 0) continue;
        add(piece.slice(from, at + 1));
        yield* itemsIn(text, startedAt);
      }
    }
    if (depth > 0) add(piece.slice(from));
  }
  if (depth > 0) yield { kind: 'bad', line: startedAt, reason: 'unterminated item' };
}

function* itemsIn(text: string, line: number): Generator<JsonItem> {
  const item = parseItem(text, line);
  const { items } = (item.kind === 'item' ? item.value : {}) as { readonly items?: unknown };
  if (!Array.isArray(items)) yield item;
  else for (const value of items) yield { kind: 'item', line, value };
}

function parseItem(text: string, line: number): JsonItem {
  if (text.length > MAX_ITEM) return { kind: 'bad', line, reason: `longer than ${MAX_ITEM} characters` };
  if (isDeeperThan(text, MAX_DEPTH)) return { kind: 'bad', line, reason: `nested more than ${MAX_DEPTH} deep` };
  try {
    return { kind: 'item', line, value: JSON.parse(text) };
  } catch (error) {
    return { kind: 'bad', line, reason: error instanceof Error ? error.message : String(error) };
  }
}

function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/gs)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > limit) return true;
  }
  return false;
}
