import { CELL_TOKENS, CONTAINERS, isKnownTag, LEAVES, PICTURE_CLASSES } from './vocabulary.ts';

/** A tag of the vocabulary, or the text between two of them. */
export type DoctagsToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string }
  | { readonly kind: 'close'; readonly name: string };

const TAG = /<(\/?)([A-Za-z_][^<>\s/]{0,40})(\/?)>/g;
const LANGUAGE = /^_[^<>\s]{1,24}_$/;
/** How far to search for the end of an element; longer ones count as unclosed. */
const LOOK_AHEAD = 50_000;
// A zero-width character after the bracket distinguishes text that looks like a tag.
const GUARD = '\u200B';

/**
 * Splits DocTags into tags and text. The format has no escapes, so a name in angle brackets is a tag only where one is
 * allowed: not in code, and not inside an element that is closed later and cannot contain it.
 */
export function* doctagsTokens(source: string): Generator<DoctagsToken> {
  const open: string[] = [];
  let from = 0;
  let previous = '';
  TAG.lastIndex = 0;
  for (let match = TAG.exec(source); match; match = TAG.exec(source)) {
    const [whole, slash, name = ''] = match;
    const end = match.index + whole.length;
    const isLanguage = open.at(-1) === 'code' && LANGUAGE.test(name) && from === match.index;
    const isClosing = slash === '/';
    if (!isLanguage) {
      if (!isKnownTag(name)) continue;
      if (
        isClosing
          ? !closes(open, name)
          : !canOpen(source, end, name, { open, previous, adjacent: from === match.index })
      )
        continue;
    }
    if (from < match.index) yield { kind: 'text', text: unguard(source.slice(from, match.index)) };
    from = end;
    previous = name;
    // Save the expression's position across the yield: a caller may start another reader.
    const resume = TAG.lastIndex;
    if (isClosing) {
      if (open.includes(name)) open.length = open.lastIndexOf(name);
      yield { kind: 'close', name };
    } else {
      if (!isLanguage && (LEAVES.has(name) || CONTAINERS.has(name))) {
        dropUnclosed(open, name);
        open.push(name);
      }
      yield { kind: 'open', name };
    }
    TAG.lastIndex = resume;
  }
  if (from < source.length) yield { kind: 'text', text: unguard(source.slice(from)) };
}

function closes(open: readonly string[], name: string): boolean {
  if (open.includes(name)) return true;
  const top = open.at(-1);
  // A stray end tag between elements is ignored; inside a text it is text.
  return top === undefined || !LEAVES.has(top) || /^(?:key|value)_\d/.test(name);
}

const INSIDE: Readonly<Record<string, RegExp>> = {
  text: /^(?:reference|loc_\d+)$/,
  code: /^(?:caption|loc_\d+)$/,
  otsl: /^(?:caption|footnote|loc_\d+)$/,
  table: /^(?:caption|footnote|loc_\d+)$/,
  document_index: /^(?:caption|footnote|loc_\d+)$/,
  picture: /^(?:caption|footnote|smiles|loc_\d+)$/,
  chart: /^(?:caption|footnote|smiles|loc_\d+)$/,
};
const HOLDS_ANYTHING = new Set(
  `doctag ordered_list unordered_list inline list_item key_value_region form`.split(/\s+/),
);

function canOpen(
  source: string,
  end: number,
  name: string,
  state: { readonly open: readonly string[]; readonly previous: string; readonly adjacent: boolean },
): boolean {
  const top = state.open.at(-1) ?? 'doctag';
  const isHead =
    state.adjacent && (state.previous === top || state.previous.startsWith('loc_') || LANGUAGE.test(state.previous));
  const inTable = top === 'otsl' || top === 'table' || top === 'document_index';
  const inPicture = top === 'picture' || top === 'chart';
  if (name.startsWith('loc_')) return isHead || inTable || inPicture || top === 'doctag' || top === 'inline';
  if (CELL_TOKENS.has(name)) return inTable || inPicture;
  if (inPicture && PICTURE_CLASSES.has(name)) return isHead;
  if (
    name === 'table' &&
    !/^(?:\s*<loc_\d+\/?>)*\s*<(?:fcel|ecel|ched|rhed|srow|caption)\/?>/.test(source.slice(end, end + 200))
  )
    return false;
  if (!LEAVES.has(name) && !CONTAINERS.has(name) && PICTURE_CLASSES.has(name)) return false;
  if (HOLDS_ANYTHING.has(top) || INSIDE[top]?.test(name)) return true;
  // Inside an element that holds text only: a new element where the old one is not closed before it begins again.
  const ahead = source.slice(end, end + LOOK_AHEAD);
  const closing = ahead.indexOf(`</${top}>`);
  const again = ahead.indexOf(`<${top}>`);
  return closing === -1 || (again !== -1 && again < closing) || name === top || name === 'page_break';
}

/** Closes the elements left open before a new one. */
function dropUnclosed(open: string[], name: string): void {
  const holds = (top: string): boolean => HOLDS_ANYTHING.has(top) || INSIDE[top]?.test(name) === true;
  open.length = open.findLastIndex(holds) + 1;
}

/** Text made safe to be between tags. */
export function guardText(text: string): string {
  if (!text.includes('<')) return text;
  return text.replace(TAG, (whole: string, _slash: string, name: string) =>
    isKnownTag(name) ? `<${GUARD}${whole.slice(1)}` : whole,
  );
}

function unguard(text: string): string {
  return text.includes(`<${GUARD}`) ? text.replaceAll(`<${GUARD}`, '<') : text;
}
