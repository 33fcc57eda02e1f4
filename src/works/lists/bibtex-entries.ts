import { typeNamed } from '../record/cite.ts';
import type { ListRecord } from './records.ts';
import { linesOf } from './records.ts';

const IGNORED = new Set(['comment', 'preamble']);
/** Types of entries; other words after `@` may be part of a comment or an abstract. */
const KNOWN =
  /^(?:article|book|booklet|collection|comment|conference|dataset|in\w+|manual|misc|online|preamble|proceedings|report|software|string|techreport|\w*thesis|unpublished)$/i;
/** Limits on `@string` abbreviations, which may refer to each other. */
const MAX_STRINGS = 10_000;
const MAX_STRING = 10_000;
const MAX_ENTRY = 1_000_000;

/** Each author becomes a separate `one_author`, or `one_group` if braces keep the name together. */
export async function* readBibtex(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListRecord> {
  const strings = new Map<string, string>();
  let [piece, startedAt] = ['', 1];
  for await (const { line, text = '' } of linesOf(chunks)) {
    const [, type] = /^\s*@\s*([a-z]+)\s*[{(]/i.exec(text) ?? [];
    if (type !== undefined) {
      const open = entriesIn(piece).find(({ end }) => end === -1)?.type;
      // An entry that does not end must not take the following ones with it.
      if (open === undefined || (open !== 'comment' && KNOWN.test(type))) {
        yield* recordsIn(piece, startedAt, strings);
        [piece, startedAt] = ['', line];
      }
    }
    if (piece.length <= MAX_ENTRY) piece += `${text}\n`;
  }
  yield* recordsIn(piece, startedAt, strings);
}

interface Entry {
  readonly type: string;
  readonly at: number;
  /** Start of the text between its brackets. */
  readonly from: number;
  /** -1 if it does not end. */
  readonly end: number;
}

function* entriesIn(text: string): Generator<Entry> {
  const start = /@\s*([a-z]+)\s*([{(])/gi;
  for (let match = start.exec(text); match; match = start.exec(text)) {
    const [, type = '', open] = match;
    // A parenthesis may also follow an address.
    if (open === '(' && !KNOWN.test(type)) continue;
    const end = endOf(text, start.lastIndex - 1);
    yield { type: type.toLowerCase(), at: match.index, from: start.lastIndex, end };
    if (end === -1) return;
    start.lastIndex = end;
  }
}

/** Where the bracket at `from` closes; parentheses inside braces do not count. */
function endOf(text: string, from: number): number {
  const brackets = text[from] === '(' ? /[{}()]/g : /[{}]/g;
  brackets.lastIndex = from;
  let [braces, parentheses] = [0, 0];
  for (let match = brackets.exec(text); match; match = brackets.exec(text)) {
    if (match[0] === '{') braces += 1;
    else if (match[0] === '}') braces -= 1;
    else if (braces === 0) parentheses += match[0] === '(' ? 1 : -1;
    if (braces < 0 || (braces === 0 && parentheses === 0)) return match.index;
  }
  return -1;
}

function* recordsIn(text: string, startedAt: number, strings: Map<string, string>): Generator<ListRecord> {
  let [line, counted] = [startedAt, 0];
  for (const { type, at, from, end } of entriesIn(text)) {
    line += text.slice(counted, at).split('\n').length - 1;
    counted = at;
    if (end === -1 || end - from > MAX_ENTRY) {
      const isLong = end !== -1 || text.length > MAX_ENTRY;
      const reason = isLong ? `the entry is longer than ${MAX_ENTRY} characters` : 'unterminated entry';
      yield { line, fields: [], reason };
    } else if (type === 'string') {
      for (const [name, value] of fieldsOf(text.slice(from, end), 0, strings))
        if (strings.size < MAX_STRINGS && value.length <= MAX_STRING) strings.set(name, plain(value));
    } else if (!IGNORED.has(type)) yield { line, ...parseEntry(type, text.slice(from, end), strings) };
  }
}

function parseEntry(type: string, body: string, strings: ReadonlyMap<string, string>): Omit<ListRecord, 'line'> {
  const key = /^\s*[^,{}]*,?/.exec(body.slice(0, 2000))?.[0] ?? '';
  const raw = new Map(fieldsOf(body, key.length, strings));
  if (raw.values().reduce((sum, { length }) => sum + length, 0) > MAX_ENTRY)
    return { fields: [], reason: `the entry expands to more than ${MAX_ENTRY} characters` };
  const fields = [...raw].flatMap(([name, value]): (readonly [string, string])[] =>
    name === 'author' ? namesIn(value) : [[name, plain(value)]],
  );
  return { fields: [...fields, ['work_type', typeNamed('bibtex', type) ?? '']] };
}

function* fieldsOf(
  text: string,
  from: number,
  strings: ReadonlyMap<string, string>,
): Generator<readonly [string, string]> {
  let at = from;
  for (;;) {
    const name = /[\s,]*([a-z][\w-]*)\s*=\s*/iy;
    name.lastIndex = at;
    const match = name.exec(text);
    if (!match) return;
    const value = readValue(text, name.lastIndex, strings);
    yield [(match[1] ?? '').toLowerCase(), value.text];
    at = value.end;
  }
}

/** Names separated by "and"; text in braces is not split. */
function namesIn(value: string): (readonly [string, string])[] {
  const names: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    else if (depth === 0 && /\s/.test(character ?? '') && /^and\s/i.test(value.slice(at + 1, at + 5))) {
      names.push(value.slice(start, at));
      start = at + 4;
      at = start - 1;
    }
  }
  names.push(value.slice(start));
  return names.map((name) => {
    const text = name.trim();
    const isWhole = text.startsWith('{') && closing(text, 0, '{') === text.length - 1;
    return [isWhole ? 'one_group' : 'one_author', plain(text)];
  });
}

/** A value in braces, in quotes, or bare; pieces joined by # are concatenated. */
function readValue(
  text: string,
  from: number,
  strings: ReadonlyMap<string, string>,
): { readonly text: string; readonly end: number } {
  let value = '';
  let at = from;
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at += 1;
    const open = text[at];
    if (open === '{' || open === '"') {
      const end = closing(text, at, open);
      value += text.slice(at + 1, end);
      at = end + 1;
    } else {
      const start = at;
      while (at < text.length && !/[\s,#}]/.test(text[at] as string)) at += 1;
      const bare = text.slice(start, at);
      if (value.length <= MAX_ENTRY) value += strings.get(bare.toLowerCase()) ?? bare;
    }
    while (/\s/.test(text[at] ?? '')) at += 1;
    if (text[at] !== '#') return { text: value, end: at };
    at += 1;
  }
}

function closing(text: string, from: number, open: '{' | '"'): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (open === '{' && depth === 0) return at;
    } else if (character === '"' && open === '"' && depth === 0 && at > from) return at;
  }
  return text.length;
}

const NAMED: Readonly<Record<string, string>> = {
  textbackslash: '\\',
  textbraceleft: '{',
  textbraceright: '}',
  textasciitilde: '~',
  textasciicircum: '^',
  textendash: '–',
  textemdash: '—',
  ss: 'ß',
  ae: 'æ',
  AE: 'Æ',
  oe: 'œ',
  OE: 'Œ',
  o: 'ø',
  O: 'Ø',
  l: 'ł',
  L: 'Ł',
  aa: 'å',
  AA: 'Å',
  i: 'i',
  j: 'j',
};

const MARKS: Readonly<Record<string, string>> = {
  '"': '\u0308',
  "'": '\u0301',
  '`': '\u0300',
  '^': '\u0302',
  '~': '\u0303',
  '=': '\u0304',
  '.': '\u0307',
  c: '\u0327',
  v: '\u030C',
  u: '\u0306',
  H: '\u030B',
  k: '\u0328',
  r: '\u030A',
};

const FORMATS =
  /^(?:it|bf|em|sc|rm|tt|sf|sl|(?:it|sc|sl|up)shape|bfseries|mdseries|(?:rm|sf|tt)family|relax|protect|text\w+)$/;

/** Replaces TeX commands for letters with the letters, and removes braces. */
function plain(value: string): string {
  return value
    .replaceAll(/(?<!\\)\$([^$]{0,500}[^$\\])\$/g, (_, math: string) => math.replaceAll(/[_^](?=[\w{])/g, ''))
    .replaceAll(
      /\\(?:[a-zA-Z]{3,20}(?=\{[^}])|([a-zA-Z]{1,20})(?:\{\}|\s*)|([_&%#${} ])|(["'`^~=.])\s?(\{\\?\p{L}\}|\\?\p{L}))|[{}]|~/gu,
      (whole: string, name?: string, sign?: string, mark?: string, letter = '') => {
        if (whole === '{' || whole === '}') return '';
        if (whole === '~') return ' ';
        if (sign !== undefined) return sign;
        if (mark !== undefined) return (letter.replaceAll(/[{}\\]/g, '') + (MARKS[mark] ?? '')).normalize('NFC');
        if (name !== undefined && Object.hasOwn(NAMED, name)) return NAMED[name] ?? '';
        // A one-letter command may be an accent, handled next; others format their argument, or name a sign.
        if (name?.length === 1) return whole;
        return name === undefined || FORMATS.test(name) ? '' : name;
      },
    )
    .replaceAll(/\\([cvuHkr])\s*(\p{L})/gu, (_, mark: string, letter: string) =>
      (letter + (MARKS[mark] ?? '')).normalize('NFC'),
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}
