import { splitLines } from '../../base/index.ts';

/** A CSV record and the line it starts on; `fields` is undefined if it is too long or unterminated. */
interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[] | undefined;
}

/** Reads CSV (RFC 4180) as a stream: quotes, doubled quotes, line breaks inside quotes, any line ending. */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  options: { readonly separator: ',' | ';' | '\t'; readonly maxRecordCharacters?: number },
): AsyncGenerator<CsvRecord> {
  const most = options.maxRecordCharacters ?? 1_000_000;
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
    const record = { line: startedAt, fields: length > most ? undefined : [...fields, field] };
    fields = [];
    field = '';
    state = 'start';
    length = 0;
    return isBlank ? undefined : record;
  };
  for await (const chunk of chunks) {
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
      if (length > most) continue;
      if (state === 'quoted') {
        if (character === '"') state = 'closed';
        else field += character;
      } else if (character === options.separator) {
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

const LONGEST_LINE = 10_000_000;
const MOST_FIELDS = 20_000;

/** One record of a tagged file: its tags and values in order, or why it is unreadable. */
interface TaggedRecord {
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

const MAX_ITEM = 10_000_000;
/** API records nest about ten levels. Parsing deeper text takes a hundred times its size in memory. */
const MAX_DEPTH = 100;

/** One item of a JSON list: its value, or why it cannot be read. */
export type JsonItem =
  | { readonly kind: 'item'; readonly line: number; readonly value: unknown }
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string };

export async function* readJsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JsonItem> {
  let line = 0;
  for await (const { text } of splitLines(chunks, MAX_ITEM)) {
    line += 1;
    if (text === undefined) yield { kind: 'bad', line, reason: `line is longer than ${MAX_ITEM} bytes` };
    else if (text.trim() !== '') yield parseItem(line === 1 ? text.replace(/^\uFEFF/, '') : text, line);
  }
}

/**
 * Streams the objects of a JSON array, each with its line; also of an array inside an object (`{"items": […]}`), and
 * a single object. A damaged item does not affect the others.
 */
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
