import type { Inline } from '../paper.ts';

// Characters not allowed in XML 1.0.
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for XML and HTML content and attributes. */
export function escapeXml(text: string): string {
  return text.replaceAll(FORBIDDEN, '').replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

// Void elements of HTML, and elements that XML formats leave empty.
const EMPTY = new Set(['meta', 'img', 'graphic', 'licence', 'biblScope']);

/** An element; attributes without a value are omitted, content is markup. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content = '',
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join('');
  return content === '' && EMPTY.has(name) ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

/** How a format writes inline elements. */
export interface InlineTags {
  readonly italic: (text: string) => string;
  readonly sub: (text: string) => string;
  readonly sup: (text: string) => string;
  readonly cite: (reference: number) => string;
  readonly note: (note: number) => string;
  readonly pointer: (to: 'table' | 'figure' | 'formula', number: number, text: string) => string;
}

/** Inline text as markup; citations become `[3, 7]` after a space. */
export function writeInlines(inlines: readonly Inline[], tags: InlineTags): string {
  return inlines
    .map((inline) => {
      switch (inline.kind) {
        case 'text':
          return escapeXml(inline.text);
        case 'italic':
        case 'sub':
        case 'sup':
          return tags[inline.kind](escapeXml(inline.text));
        case 'cite':
          return ` [${inline.references.map(tags.cite).join(', ')}]`;
        case 'note':
          return tags.note(inline.note);
        case 'pointer':
          return tags.pointer(inline.to, inline.number, escapeXml(inline.text));
      }
    })
    .join('');
}

/** Splits a name as most catalogues do: the last word is the surname. */
export function splitName(name: string): { readonly given: string; readonly surname: string } {
  const cut = name.lastIndexOf(' ');
  return cut < 0 ? { given: '', surname: name } : { given: name.slice(0, cut), surname: name.slice(cut + 1) };
}

/** URL of a licence text; undefined if it has none. */
export function licenseUrl(license: string | undefined): string | undefined {
  if (license === undefined) return undefined;
  const name = license.toLowerCase();
  if (name === 'cc0' || name === 'public-domain') return 'https://creativecommons.org/publicdomain/zero/1.0/';
  const kind = /^cc-(by(?:-nc)?(?:-nd|-sa)?)$/.exec(name)?.[1];
  return kind ? `https://creativecommons.org/licenses/${kind}/4.0/` : undefined;
}
