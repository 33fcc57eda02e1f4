import { splitLines } from '../../base/index.ts';

const MAX_ITEM = 10_000_000;
/** API records nest about ten levels. Parsing deeper text takes a hundred times its size in memory. */
const MAX_DEPTH = 100;

/** One item of a JSON list: its value, or why it cannot be read. */
export type JsonItem =
  | { readonly kind: 'item'; readonly line: number; readonly value: unknown }
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string };

/** Reads JSON lines; blank lines are skipped. */
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
