import type { Block } from '../../parse/index.ts';
import { foldCase } from '../link/letters.ts';
import type { ParsedReference } from '../link/parse-reference.ts';
import { parseReference } from '../link/parse-reference.ts';

/** An entry of a document's list of references. */
export interface ListedReference {
  /** Its place in the list, from 1. */
  readonly position: number;
  readonly block: number;
  readonly text: string;
  readonly label: string | null;
  readonly doi: string | null;
  readonly arxivId: string | null;
  readonly parsed: ParsedReference;
  /** Family names of its authors as words in lower case, the first author first; found even where the parse fails. */
  readonly surnames: readonly string[];
  /** The initials of its first author in lower case; empty when they are not printed. */
  readonly initials: string;
  /** The letter behind its year: 2001a. */
  readonly yearLetter: string;
}

/** The list of references of a document, in its order. */
export function listReferences(blocks: readonly Block[]): ListedReference[] {
  const listed = blocks.filter((block) => block.kind === 'reference');
  return listed.map((block, at) => {
    const parsed = parseReference(block.text);
    const text = block.text.trim();
    return {
      position: at + 1,
      block: block.order,
      text,
      label: block.label ?? parsed.label,
      doi: block.doi ?? null,
      arxivId: block.arxivId ?? null,
      parsed,
      surnames: surnamesOf(text, parsed),
      initials: nameWords(
        /\s(?<initials>\p{Lu}{1,5})$/u.exec(parsed.authors[0] ?? '')?.groups?.['initials'] ?? '',
      ).join(''),
      yearLetter: /\b(?:1[5-9]|20)\d\d(?<letter>[a-z])\b/.exec(text)?.groups?.['letter'] ?? '',
    };
  });
}

function surnamesOf(text: string, parsed: ParsedReference): string[] {
  if (parsed.authors.length > 0)
    return parsed.authors.map((author) => nameWords(author.replace(/\s[\p{Lu}]{1,5}$/u, '')).join(' '));
  // An organisation, or a style of its own: the words before the first comma, bracket or full stop.
  const opening = /^(?:\[?\d{1,4}[\].)]?\s+)?(?<name>[^,.(\d]{2,80})/.exec(text)?.groups?.['name'] ?? '';
  return [nameWords(opening).join(' ')].filter((name) => name !== '');
}

/** The words of a name in lower case without accents. */
export function nameWords(text: string): string[] {
  return foldCase(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}
