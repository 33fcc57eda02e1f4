import type { Inline } from './paper.ts';

const MARK = /\*([^*]+)\*|~([^~]+)~|\^([^^]+)\^/g;

/** Text with `*italic*`, `~sub~` and `^sup^` as pieces. */
export function parseInlines(text: string): Inline[] {
  const pieces: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(MARK)) {
    if (match.index > end) pieces.push({ kind: 'text', text: text.slice(end, match.index) });
    const [whole, italic, sub, sup] = match;
    if (italic !== undefined) pieces.push({ kind: 'italic', text: italic });
    else if (sub !== undefined) pieces.push({ kind: 'sub', text: sub });
    else pieces.push({ kind: 'sup', text: sup ?? '' });
    end = match.index + whole.length;
  }
  if (end < text.length) pieces.push({ kind: 'text', text: text.slice(end) });
  return pieces;
}

/** The same text without its marks. */
export function stripMarks(text: string): string {
  return text.replaceAll(MARK, (_whole, italic?: string, sub?: string, sup?: string) => italic ?? sub ?? sup ?? '');
}

/** How citations look in running text: `[3, 7]` after a space, or raised figures without one. */
export type CiteStyle = 'bracket' | 'superscript';

/** The mark of the footnote with this number, counted from 0. */
export function noteMark(note: number): string {
  return String.fromCodePoint(97 + note);
}

/** The plain text a reader sees. Footnote marks are left out where `notes` is false. */
export function plainText(inlines: readonly Inline[], style: CiteStyle = 'bracket', notes = false): string {
  return inlines
    .map((inline) => {
      switch (inline.kind) {
        case 'cite':
          return citeText(inline.references, style);
        case 'note':
          return notes ? noteMark(inline.note) : '';
        case 'text':
        case 'italic':
        case 'sub':
        case 'sup':
        case 'pointer':
          return inline.text;
      }
    })
    .join('');
}

/** A citation as text, with the space that goes before it. */
export function citeText(references: readonly number[], style: CiteStyle): string {
  return style === 'bracket' ? ` [${references.join(', ')}]` : references.join(',');
}
