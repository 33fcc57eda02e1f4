/** One entry of a BibTeX file: its fields in lower-case names, braces and quotes taken off. */
export interface BibtexEntry {
  readonly line: number;
  readonly fields: ReadonlyMap<string, string> | undefined;
  readonly reason: string;
}

const IGNORED = new Set(['comment', 'string', 'preamble']);
const LONGEST_ENTRY = 1_000_000;

/** Reads BibTeX as it comes, entry by entry; what is between entries is commentary. */
export async function* readBibtex(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BibtexEntry> {
  const decoder = new TextDecoder('utf-8');
  let entry = '';
  let depth = 0;
  let inside = false;
  let line = 1;
  let startedAt = 1;
  let tooLong = false;
  for await (const chunk of chunks) {
    for (const character of decoder.decode(chunk, { stream: true })) {
      if (character === '\n') line += 1;
      if (!inside) {
        if (character !== '@') continue;
        inside = true;
        entry = '';
        depth = 0;
        tooLong = false;
        startedAt = line;
        continue;
      }
      if (entry.length < LONGEST_ENTRY) entry += character;
      else tooLong = true;
      if (character === '{') depth += 1;
      else if (character === '}') {
        depth -= 1;
        if (depth > 0) continue;
        inside = false;
        const parsed = parseEntry(entry, startedAt, tooLong);
        if (parsed) yield parsed;
      } else if (character === '@' && depth === 0 && !/^\s*(?:\w+\s*)?$/.test(entry.slice(0, -1))) {
        // An @ that opened no brace was an address in the commentary; this one may open an entry.
        entry = '';
        startedAt = line;
      }
    }
  }
  if (inside && depth > 0) yield { line: startedAt, fields: undefined, reason: 'the entry has no end' };
}

function parseEntry(text: string, line: number, tooLong: boolean): BibtexEntry | undefined {
  const head = /^\s*([a-z]+)\s*\{\s*([^,{}]*),?/i.exec(text.slice(0, 2000));
  if (!head) return undefined;
  if (IGNORED.has((head[1] ?? '').toLowerCase())) return undefined;
  if (tooLong) return { line, fields: undefined, reason: `the entry is longer than ${LONGEST_ENTRY} characters` };
  const fields = new Map<string, string>();
  let at = head[0].length;
  for (;;) {
    const name = /[\s,]*([a-z][\w-]*)\s*=\s*/iy;
    name.lastIndex = at;
    const match = name.exec(text);
    if (!match) break;
    const value = readValue(text, name.lastIndex);
    fields.set((match[1] ?? '').toLowerCase(), value.text);
    at = value.end;
  }
  return { line, fields, reason: '' };
}

/** A value in braces, in quotes, or bare; pieces joined by # are put together. */
function readValue(text: string, from: number): { readonly text: string; readonly end: number } {
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
      value += text.slice(start, at);
    }
    while (/\s/.test(text[at] ?? '')) at += 1;
    if (text[at] !== '#') return { text: plain(value), end: at };
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

/** Accents as TeX writes them, and the marks that Unicode puts behind a letter. */
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

/** Without the braces that TeX needs and a reader does not, and with its commands for letters as those letters. */
function plain(value: string): string {
  return value
    .replaceAll(
      /\\(?:([a-zA-Z]{1,20})(?:\{\}|\s*)|([_&%#${} ])|(["'`^~=.])\s?(\{\\?\p{L}\}|\\?\p{L}))|[{}]|~/gu,
      (whole: string, name?: string, sign?: string, mark?: string, letter = '') => {
        if (whole === '{' || whole === '}') return '';
        if (whole === '~') return ' ';
        if (sign !== undefined) return sign;
        if (mark !== undefined) return (letter.replaceAll(/[{}\\]/g, '') + (MARKS[mark] ?? '')).normalize('NFC');
        if (name !== undefined && Object.hasOwn(NAMED, name)) return NAMED[name] ?? '';
        // A command of one letter may be an accent, which is looked at next; others say how, not what.
        return name?.length === 1 ? whole : '';
      },
    )
    .replaceAll(/\\([cvuHkr])\s*(\p{L})/gu, (_, mark: string, letter: string) =>
      (letter + (MARKS[mark] ?? '')).normalize('NFC'),
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}
