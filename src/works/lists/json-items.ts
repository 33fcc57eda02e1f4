const LONGEST_ITEM = 10_000_000;

/** One item of a JSON file that is a list: its value, or why it cannot be read. */
export type JsonItem =
  | { readonly kind: 'item'; readonly line: number; readonly value: unknown }
  | { readonly kind: 'bad'; readonly line: number; readonly reason: string };

/**
 * The objects of a JSON array as they stream, each with the line it begins on; also those of an array inside an object
 * (`{"items": […]}`), and an object that stands alone. One that is damaged costs no other.
 */
export async function* readJsonItems(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JsonItem> {
  const decoder = new TextDecoder('utf-8');
  let [text, line, startedAt, depth] = ['', 1, 1, 0];
  let [inString, escaped, tooLong] = [false, false, false];
  let base: number | undefined;
  for await (const chunk of chunks) {
    for (const character of decoder.decode(chunk, { stream: true })) {
      if (character === '\n') line += 1;
      // Until the first list or object it is not known how deep items are.
      if (base === undefined) {
        if (character === '[') base = 0;
        else if (character === '{') base = -1;
        else continue;
        if (base === 0) continue;
      }
      if (depth === 0 && character !== '{') continue;
      if (depth === 0) [text, startedAt, tooLong] = ['', line, false];
      if (text.length < LONGEST_ITEM) text += character;
      else tooLong = true;
      if (inString) {
        if (escaped) escaped = false;
        else if (character === '\\') escaped = true;
        else if (character === '"') inString = false;
        continue;
      }
      if (character === '"') inString = true;
      else if (character === '{' || character === '[') depth += 1;
      else if (character === '}' || character === ']') {
        depth -= 1;
        if (depth > 0) continue;
        yield* itemsIn(text, startedAt, tooLong);
      }
    }
  }
  if (depth > 0) yield { kind: 'bad', line: startedAt, reason: 'the item has no end' };
}

function* itemsIn(text: string, line: number, tooLong: boolean): Generator<JsonItem> {
  if (tooLong) {
    yield { kind: 'bad', line, reason: `the item is longer than ${LONGEST_ITEM} characters` };
    return;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    yield { kind: 'bad', line, reason: error instanceof Error ? error.message : String(error) };
    return;
  }
  const { items } = value as { readonly items?: unknown };
  if (!Array.isArray(items)) yield { kind: 'item', line, value };
  else for (const item of items) yield { kind: 'item', line, value: item };
}
