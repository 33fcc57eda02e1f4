import type { Inline } from './paper.ts';

const MARK = /\*([^*]+)\*|~([^~]+)~|\^([^^]+)\^/g;

/** Parses `*italic*`, `~sub~` and `^sup^`. */
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

export function stripMarks(text: string): string {
  return text.replaceAll(MARK, (_whole, italic?: string, sub?: string, sup?: string) => italic ?? sub ?? sup ?? '');
}

/** Citation style: `[3, 7]` after a space, or superscript numbers. */
export type CiteStyle = 'bracket' | 'superscript';

/** Mark of the n-th footnote, counted from 0. */
export function noteMark(note: number): string {
  return String.fromCodePoint(97 + note);
}

/** Plain text as read. Omits footnote marks if `notes` is false. */
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

/** A citation as text, including the preceding space. */
export function citeText(references: readonly number[], style: CiteStyle): string {
  return style === 'bracket' ? ` [${references.join(', ')}]` : references.join(',');
}
