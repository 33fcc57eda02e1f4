import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

/** Source files of the program, without tests, with `/` as separator. */
export function sourceFiles(pattern = 'src/**/*.ts'): { readonly file: string; readonly text: string }[] {
  return globSync(pattern, { cwd: ROOT })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('src/testing/'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

/** Splits the text from the opening bracket at `from` to its partner at top-level commas. */
export function splitBracket(text: string, from: number): { readonly parts: string[]; readonly end: number } {
  const parts: string[] = [];
  let [depth, start] = [0, from + 1];
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === "'" || character === '"' || character === '`') at = endOfText(text, at);
    else if (text.startsWith('//', at)) at = text.indexOf('\n', at);
    else if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 1;
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) {
      depth -= 1;
      if (depth === 0) {
        parts.push(text.slice(start, at).trim());
        return { parts: parts.filter((part) => part !== ''), end: at };
      }
    } else if (depth === 1 && (character === ',' || character === ';')) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  throw new Error(`unterminated bracket before ${text.slice(from, from + 80)}`);
}

/** The end of a quoted text; expressions inside templates may contain quoted text. */
function endOfText(text: string, from: number): number {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
    else if (quote === '`' && text.startsWith('${', at)) at = splitBracket(text, at + 1).end;
  }
  throw new Error(`unterminated string before ${text.slice(from, from + 80)}`);
}

/** Renders an expression for readers: literal text as is, `${name}` as `<name>`, anything else as `…`. */
export function shapeOf(expression: string): string {
  const quote = expression[0];
  const whole = (quote === "'" || quote === '"' || quote === '`') && endOfText(expression, 0) === expression.length - 1;
  if (!whole) {
    const texts = [...expression.matchAll(/'((?:[^'\\]|\\.)*)'/g)]
      .map((match) => match[1] ?? '')
      .filter((each) => /\w \w/.test(each));
    return texts.length > 0 ? texts.join(' / ') : '…';
  }
  const body = expression.slice(1, -1);
  let shape = '';
  for (let at = 0; at < body.length; at += 1) {
    if (quote === '`' && body.startsWith('${', at)) {
      const { end } = splitBracket(body, at + 1);
      const inner = body.slice(at + 2, end);
      shape += /^[\w.#]+(\.slice\(.*\))?$/.test(inner)
        ? `<${inner
            .replace(/\.slice.*/, '')
            .split(/[.#]/)
            .at(-1)}>`
        : '…';
      at = end;
    } else if (body[at] === '\\') {
      at += 1;
      shape += body[at] === 'n' ? ' ' : (body[at] ?? '');
    } else shape += body[at];
  }
  return shape;
}

/** Escapes a Markdown table cell. */
export function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll(/\s*\n\s*/g, ' ');
}

export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
