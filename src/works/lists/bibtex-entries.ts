import { typeNamed } from '../record/cite.ts';

/**
 * One entry of a BibTeX file: lower-case field names, values without braces and quotes. Each author is a separate
 * `one_author`, or `one_group` if braces keep the name together; `work_type` comes from the entry type.
 */
export interface BibtexEntry {
  readonly line: number;
  readonly fields: readonly (readonly [string, string])[] | undefined;
  readonly reason: string;
}

const IGNORED = new Set(['comment', 'preamble']);
/** Text before `{` or `(` that begins an entry; other words may be part of a comment or an abstract. */
const ENTRY =
  /^\s*(?:article|book|booklet|collection|comment|conference|dataset|in\w+|manual|misc|online|preamble|proceedings|report|software|string|techreport|\w*thesis|unpublished)\s*$/i;
/** Limits on `@string` abbreviations, which may refer to each other. */
const MAX_STRINGS = 10_000;
const MAX_STRING = 10_000;
const MAX_ENTRY = 1_000_000;

/** Reads BibTeX as a stream, entry by entry; text between entries is ignored. */
export async function* readBibtex(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BibtexEntry> {
  const decoder = new TextDecoder('utf-8');
  const strings = new Map<string, string>();
  let entry = '';
  let depth = 0;
  let inside = false;
  let line = 1;
  let startedAt = 1;
  let tooLong = false;
  /** Open parentheses of an entry written as `@article(…)`; those inside braces do not count. */
  let parentheses = 0;
  /** Where in the entry a line begins with `@`, and on which line: perhaps the next entry. */
  let next: { readonly at: number; readonly line: number } | undefined;
  for await (const chunk of chunks) {
    for (const character of decoder.decode(chunk, { stream: true })) {
      if (character === '\n') line += 1;
      if (!inside) {
        if (character !== '@') continue;
        inside = true;
        entry = '';
        depth = 0;
        tooLong = false;
        parentheses = 0;
        next = undefined;
        startedAt = line;
        continue;
      }
      if (character === '@' && depth > 0 && /\n[ \t]*$/.test(entry.slice(-100))) next = { at: entry.length + 1, line };
      // An entry that does not end must not take the following ones with it.
      if (/[{(]/.test(character) && next && ENTRY.test(entry.slice(next.at)) && !/^\s*comment/i.test(entry)) {
        yield { line: startedAt, fields: undefined, reason: 'unterminated entry' };
        [entry, startedAt, depth, parentheses, next] = [entry.slice(next.at), next.line, 0, 0, undefined];
      }
      const isInner = depth === 1 && parentheses > 0;
      const opens = character === '{' || (character === '(' && depth === 0 && ENTRY.test(entry));
      const closes = character === '}' || (character === ')' && isInner && parentheses === 1);
      if (character === '(' && (opens || isInner)) parentheses += 1;
      if (character === ')' && isInner) parentheses -= 1;
      const brace = opens ? '{' : '}';
      if (entry.length < MAX_ENTRY) entry += opens || closes ? brace : character;
      else tooLong = true;
      if (opens) depth += 1;
      else if (closes) {
        depth -= 1;
        if (depth > 0) continue;
        inside = false;
        const parsed = parseEntry(entry, { line: startedAt, tooLong, strings });
        if (parsed) yield parsed;
      } else if (character === '@' && depth === 0 && !/^\s*(?:\w+\s*)?$/.test(entry.slice(0, -1))) {
        // The last @ did not open a brace, so it was commentary; this one may open an entry.
        entry = '';
        startedAt = line;
      }
    }
  }
  if (inside && depth > 0) yield { line: startedAt, fields: undefined, reason: 'unterminated entry' };
}

function parseEntry(
  text: string,
  {
    line,
    tooLong,
    strings,
  }: { readonly line: number; readonly tooLong: boolean; readonly strings: Map<string, string> },
): BibtexEntry | undefined {
  const kind = /^\s*([a-z]+)\s*\{/i.exec(text.slice(0, 2000));
  const type = (kind?.[1] ?? '').toLowerCase();
  if (!kind || IGNORED.has(type)) return undefined;
  if (type === 'string') {
    for (const [name, value] of fieldsOf(text, kind[0].length, strings))
      if (strings.size < MAX_STRINGS && value.length <= MAX_STRING) strings.set(name, plain(value));
    return undefined;
  }
  const head = /^\s*[a-z]+\s*\{\s*([^,{}]*),?/i.exec(text.slice(0, 2000));
  if (!head) return undefined;
  if (tooLong) return { line, fields: undefined, reason: `the entry is longer than ${MAX_ENTRY} characters` };
  const raw = new Map(fieldsOf(text, head[0].length, strings));
  if ([...raw.values()].reduce((sum, { length }) => sum + length, 0) > MAX_ENTRY)
    return { line, fields: undefined, reason: `the entry expands to more than ${MAX_ENTRY} characters` };
  const fields = [...raw].flatMap(([name, value]): (readonly [string, string])[] =>
    name === 'author' ? namesIn(value) : [[name, plain(value)]],
  );
  const means = typeNamed('bibtex', type);
  return { line, fields: means === undefined ? fields : [...fields, ['work_type', means]], reason: '' };
}

/** The fields of an entry as written, from an offset in its text. */
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

/** TeX accents, and the combining marks of Unicode. */
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

/** Commands that format what follows. */
const FORMATS =
  /^(?:it|bf|em|sc|rm|tt|sf|sl|(?:it|sc|sl|up)shape|bfseries|mdseries|(?:rm|sf|tt)family|relax|protect|text\w+)$/;

/** Removes TeX braces and replaces TeX commands for letters with the letters. */
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
