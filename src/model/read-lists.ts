import { fieldsOf, parseJson } from '../base/index.ts';

/** Lists that a model wrote, by name. */
export interface WrittenLists {
  readonly lists: Readonly<Record<string, unknown[]>>;
  /** Whether the JSON ends early; the lists then hold its complete items. */
  readonly isCut: boolean;
}

/** Finds a list in JSON after any reasoning, with or without a code fence or words around it. */
export function listIn(content: string, name: string): unknown[] | undefined {
  const found = readLists(content, [name]);
  return found && !found.isCut ? found.lists[name] : undefined;
}

/** Like `listIn` for several lists, at least one of which must be there; also from JSON that was cut off. */
export function readLists(content: string, names: readonly string[]): WrittenLists | undefined {
  const thought = content.lastIndexOf('</think>');
  const plain = (thought < 0 ? content : content.slice(thought + '</think>'.length)).trim();
  // Reasoning that never ended is no answer.
  if (plain.startsWith('<think>')) return undefined;
  const fenced = /```(?:json)?\s([^]*?)```/.exec(plain)?.[1];
  const [first, last] = [plain.indexOf('{'), plain.lastIndexOf('}')];
  for (const text of [plain, fenced, first >= 0 && last > first ? plain.slice(first, last + 1) : undefined]) {
    const value = text === undefined ? undefined : parseJson(text);
    if (typeof value !== 'object' || value === null) continue;
    const fields = fieldsOf(value);
    if (!names.some((name) => Array.isArray(fields[name]))) return undefined;
    const lists = names.map((name) => [name, Array.isArray(fields[name]) ? (fields[name] as unknown[]) : []] as const);
    return { lists: Object.fromEntries(lists), isCut: false };
  }
  const begun = names.map((name) => [name, completeItems(plain, name)] as const);
  if (begun.every(([, items]) => items === undefined)) return undefined;
  return { lists: Object.fromEntries(begun.map(([name, items]) => [name, items ?? []])), isCut: true };
}

/** The complete objects and texts of a list in JSON that may end anywhere; undefined if the list does not begin. */
function completeItems(text: string, name: string): unknown[] | undefined {
  const key = text.indexOf(`"${name}"`);
  const begin = key < 0 ? -1 : text.indexOf('[', key);
  if (begin < 0 || text.slice(key + name.length + 2, begin).trim() !== ':') return undefined;
  const items: unknown[] = [];
  let [depth, isText, isEscaped, from] = [0, false, false, -1];
  for (let at = begin + 1; at < text.length; at += 1) {
    const letter = text[at];
    const wasOutside = depth === 0 && !isText;
    if (isText) {
      if (isEscaped) isEscaped = false;
      else if (letter === '\\') isEscaped = true;
      else if (letter === '"') isText = false;
    } else if (letter === '"') isText = true;
    else if (letter === '{' || letter === '[') depth += 1;
    else if (letter === '}' || letter === ']') depth -= 1;
    if (depth < 0) break;
    if (wasOutside && (depth > 0 || isText)) from = at;
    else if (!wasOutside && depth === 0 && !isText) items.push(parseJson(text.slice(from, at + 1)));
  }
  return items;
}
