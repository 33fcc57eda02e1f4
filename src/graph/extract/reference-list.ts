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
  return joinFragments(blocks.filter((block) => block.kind === 'reference')).map(({ block, text }, at) => {
    const parsed = parseReference(text);
    return {
      position: at + 1,
      block: block.order,
      text,
      label: block.label ?? parsed.label,
      doi: block.doi === undefined ? null : withoutYear(block.doi),
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

type ReferenceBlock = Extract<Block, { readonly kind: 'reference' }>;
interface Entry {
  readonly block: ReferenceBlock;
  readonly text: string;
  readonly label: number | undefined;
}

/** Entries that the layout cut in two are one: a list that is numbered throughout leaves no number out, others begin with a name. */
function joinFragments(blocks: readonly ReferenceBlock[]): Entry[] {
  const entries = blocks.map((block): Entry => {
    const label = block.label ?? parseReference(block.text).label ?? '';
    return { block, text: block.text.trim(), label: /^\d+$/.test(label) ? Number(label) : undefined };
  });
  const isNumbered = entries.filter(({ label }) => label !== undefined).length * 2 > entries.length;
  const joined: Entry[] = [];
  for (const [at, entry] of entries.entries()) {
    const last = joined.at(-1);
    const next = entries.slice(at + 1).find(({ label }) => label !== undefined)?.label;
    const isFragment = isNumbered
      ? entry.label === undefined && last?.label !== undefined && (next === undefined || next === last.label + 1)
      : BEGINS_NONE.test(entry.text);
    if (last && isFragment && last.text.length < LONGEST_ENTRY)
      joined[joined.length - 1] = { ...last, text: `${last.text} ${entry.text}` };
    else joined.push(entry);
  }
  return joined;
}

/** What no entry begins with: a small word, an identifier, a bracketed year, pages. */
const BEGINS_NONE =
  /^(?:(?!(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|bin|ibn|ter|ten|zu|af|av|d['’])\b)\p{Ll}|https?:|\((?:1[89]|20)\d\d\)|\d+[-–]\d|10\.\d{4})/u;
const LONGEST_ENTRY = 1_500;

/** A DOI without the year that some lists print behind it: "10.1002/ps.695(2003". */
function withoutYear(doi: string): string {
  return doi.replace(/\((?:1[89]|20)\d\d\)?$/u, '');
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
