import { AppError } from '../base/index.ts';

/** What a term is looked for in. `title_abstract` is either of the two. */
type QueryField = 'title' | 'abstract' | 'title_abstract' | 'author' | 'venue';

/** The texts of a work that a query can look into. */
export interface QueriedWork {
  readonly title: string;
  /** Called only if the title does not decide. */
  readonly abstract: () => string;
  readonly author: () => string;
  readonly venue: () => string;
}

/** Words in a row; the last one may be the beginning of a word. */
interface Term {
  readonly kind: 'term';
  readonly words: readonly string[];
  readonly isPrefix: boolean;
  readonly field: QueryField;
}

type Node =
  | Term
  | { readonly kind: 'and'; readonly parts: readonly Node[] }
  | { readonly kind: 'or'; readonly parts: readonly Node[] }
  | { readonly kind: 'not'; readonly part: Node }
  | { readonly kind: 'near'; readonly left: Node; readonly right: Node; readonly distance: number };

/** A boolean query, ready to be asked of many works. */
export interface BooleanQuery {
  /** The fields besides title and abstract that it looks into. */
  readonly fields: ReadonlySet<QueryField>;
  /**
   * Words (or beginnings) of which a matching work has at least one in its title or abstract, in lower case; undefined
   * if there is no such list. It serves to skip works without reading their texts.
   */
  readonly needsOneOf: readonly string[] | undefined;
  matches(work: QueriedWork): boolean;
}

const FIELDS: Readonly<Record<string, QueryField>> = {
  title: 'title',
  abstract: 'abstract',
  title_abstract: 'title_abstract',
  author: 'author',
  venue: 'venue',
};
const LONGEST = 50_000;
const DEEPEST = 100;
const MOST_NEAR = 100;
const SHORTEST_PREFIX = 2;

/** The words of a text as queries compare them: without case, accents and punctuation. */
function queryWords(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}+/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/**
 * Reads a query: words, "phrases", beginnings (`bleach*`), `AND`, `OR`, `NOT`, `NEAR/5`, brackets, and fields
 * (`title:`, `abstract:`, `author:`, `venue:`) before a term or a bracket. Operators are in capitals; nothing is implied
 * between two words, because databases imply different things.
 */
export function parseBooleanQuery(text: string): BooleanQuery {
  if (text.length > LONGEST) throw fault(`it is longer than ${LONGEST} characters`, text, 0);
  const parser = new Parser(text);
  const root = parser.query();
  const fields = new Set<QueryField>();
  visit(root, ({ field }) => fields.add(field));
  return {
    fields,
    needsOneOf: neededOf(root),
    matches: (work) => holds(root, new Texts(work)),
  };
}

function fault(what: string, text: string, at: number): AppError {
  const near = text.slice(Math.max(0, at - 20), at + 20).replaceAll(/\s+/g, ' ');
  return new AppError('USAGE_QUERY', `the query cannot be read: ${what}, near “${near}”`, {
    hint: 'write words, "phrases", beginn*, AND, OR, NOT, NEAR/5, brackets, title:, abstract:, author:, venue:',
  });
}

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  query(): Node {
    const node = this.#or('title_abstract');
    this.#blanks();
    if (this.#at < this.#text.length)
      throw this.#fault(
        this.#text[this.#at] === ')' ? 'a bracket closes that was not opened' : 'AND, OR or NOT is missing',
      );
    return node;
  }

  #or(field: QueryField): Node {
    const parts = [this.#and(field)];
    while (this.#takes(/OR(?![\p{L}\p{N}*_-])/uy)) parts.push(this.#and(field));
    return joined('or', parts);
  }

  #and(field: QueryField): Node {
    const parts = [this.#not(field)];
    for (;;) {
      if (this.#takes(/AND(?![\p{L}\p{N}*_-])/uy)) parts.push(this.#not(field));
      else if (this.#peeks(/NOT(?![\p{L}\p{N}*_-])/uy)) parts.push(this.#not(field));
      else return joined('and', parts);
    }
  }

  #not(field: QueryField): Node {
    if (this.#takes(/NOT(?![\p{L}\p{N}*_-])/uy)) return { kind: 'not', part: this.#not(field) };
    let left = this.#atom(field);
    for (let near = this.#takes(/NEAR\/(\d{1,3})/uy); near; near = this.#takes(/NEAR\/(\d{1,3})/uy)) {
      const distance = Number(near[1]);
      if (distance < 1 || distance > MOST_NEAR) throw this.#fault(`NEAR/ takes 1 to ${MOST_NEAR}`);
      const right = this.#atom(field);
      for (const side of [left, right])
        if (!hasPlaces(side)) throw this.#fault('NEAR joins words, phrases and OR of them');
      left = { kind: 'near', left, right, distance };
    }
    return left;
  }

  #atom(field: QueryField): Node {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw this.#fault(`brackets are nested more than ${DEEPEST} deep`);
    try {
      const named = this.#takes(/([A-Za-z_]+):/uy);
      if (named) {
        const known = FIELDS[(named[1] ?? '').toLowerCase()];
        if (known === undefined) throw this.#fault(`there is no field ${named[1] ?? ''}`);
        return this.#atom(known);
      }
      if (this.#takes(/\(/uy)) {
        const node = this.#or(field);
        if (!this.#takes(/\)/uy))
          throw this.#fault(this.#at < this.#text.length ? 'AND, OR or NOT is missing' : 'a bracket is not closed');
        return node;
      }
      const phrase = this.#takes(/"([^"]*)"/uy);
      if (phrase) return this.#term(phrase[1] ?? '', field);
      const word = this.#takes(/[^\s()":]+/uy);
      if (!word)
        throw this.#fault(this.#at < this.#text.length ? 'a word is missing' : 'it ends where a word is missing');
      if (/^(?:AND|OR|NOT|NEAR\/\d+)$/.test(word[0])) throw this.#fault(`a word is missing before or after ${word[0]}`);
      if (/^(?:and|or|not|near)$/i.test(word[0]))
        throw this.#fault(`write ${word[0].toUpperCase()} for the operator, "${word[0]}" for the word`);
      return this.#term(word[0], field);
    } finally {
      this.#depth -= 1;
    }
  }

  #term(written: string, field: QueryField): Term {
    const isPrefix = written.endsWith('*');
    const bare = isPrefix ? written.slice(0, -1) : written;
    if (/[*?$]/.test(bare)) throw this.#fault('* stands only at the end of a word or phrase');
    const words = queryWords(bare);
    if (words.length === 0) throw this.#fault(`“${written}” has no word`);
    if (isPrefix && (words.at(-1)?.length ?? 0) < SHORTEST_PREFIX)
      throw this.#fault(`* needs ${SHORTEST_PREFIX} letters before it`);
    return { kind: 'term', words, isPrefix, field };
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #peeks(pattern: RegExp): RegExpExecArray | null {
    this.#blanks();
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #takes(pattern: RegExp): RegExpExecArray | null {
    const found = this.#peeks(pattern);
    if (found) this.#at += found[0].length;
    return found;
  }

  #fault(what: string): AppError {
    return fault(what, this.#text, this.#at);
  }
}

function joined(kind: 'and' | 'or', parts: readonly Node[]): Node {
  const [first] = parts;
  return parts.length === 1 && first ? first : { kind, parts };
}

function visit(node: Node, term: (term: Term) => void): void {
  if (node.kind === 'term') term(node);
  else if (node.kind === 'not') visit(node.part, term);
  else for (const part of partsOf(node)) visit(part, term);
}

function partsOf(node: Extract<Node, { readonly kind: 'and' | 'or' | 'near' }>): readonly Node[] {
  return node.kind === 'near' ? [node.left, node.right] : node.parts;
}

/** Whether a node has places in a text, which NEAR compares. */
function hasPlaces(node: Node): boolean {
  return node.kind === 'term' || node.kind === 'near' || (node.kind === 'or' && node.parts.every(hasPlaces));
}

function neededOf(node: Node): readonly string[] | undefined {
  switch (node.kind) {
    case 'term':
      // The longest word is the rarest. A work is skipped only if its text has no such letters at all.
      return node.field === 'author' || node.field === 'venue'
        ? undefined
        : [node.words.reduce((longest, word) => (word.length > longest.length ? word : longest), '')];
    case 'not':
      return undefined;
    case 'or': {
      const each = node.parts.map(neededOf);
      return each.some((words) => words === undefined) ? undefined : each.flatMap((words) => words ?? []);
    }
    case 'and':
    case 'near': {
      return partsOf(node)
        .map(neededOf)
        .reduce((least, words) => (words && (!least || words.length < least.length) ? words : least), undefined);
    }
  }
}

/** From the first to the last word of a match. */
type Place = readonly [first: number, last: number];

/** The words of a work's texts, each read when a term asks for it. */
class Texts {
  readonly #work: QueriedWork;
  readonly #words = new Map<QueryField, readonly string[]>();

  constructor(work: QueriedWork) {
    this.#work = work;
  }

  words(field: Exclude<QueryField, 'title_abstract'>): readonly string[] {
    let words = this.#words.get(field);
    if (!words) {
      words = queryWords(field === 'title' ? this.#work.title : this.#work[field]());
      this.#words.set(field, words);
    }
    return words;
  }
}

const PLAIN_FIELDS = {
  title: ['title'],
  abstract: ['abstract'],
  title_abstract: ['title', 'abstract'],
  author: ['author'],
  venue: ['venue'],
} as const;

function holds(node: Node, texts: Texts): boolean {
  switch (node.kind) {
    case 'and':
      return node.parts.every((part) => holds(part, texts));
    case 'or':
      return node.parts.some((part) => holds(part, texts));
    case 'not':
      return !holds(node.part, texts);
    case 'term':
      return PLAIN_FIELDS[node.field].some((field) => placesOf(node, field, texts.words(field)).length > 0);
    case 'near':
      return (['title', 'abstract', 'author', 'venue'] as const).some(
        (field) => fieldsOf(node).has(field) && placesOf(node, field, texts.words(field)).length > 0,
      );
  }
}

function fieldsOf(node: Node): ReadonlySet<string> {
  const fields = new Set<string>();
  visit(node, (term) => {
    for (const field of PLAIN_FIELDS[term.field]) fields.add(field);
  });
  return fields;
}

/** Where a node with places is in the words of a field. */
function placesOf(node: Node, field: string, words: readonly string[]): readonly Place[] {
  if (node.kind === 'or') return node.parts.flatMap((part) => placesOf(part, field, words));
  if (node.kind === 'near') {
    const right = placesOf(node.right, field, words);
    return placesOf(node.left, field, words).flatMap((a) =>
      right
        .filter((b) => (b[0] > a[1] ? b[0] - a[1] <= node.distance : a[0] > b[1] && a[0] - b[1] <= node.distance))
        .map((b): Place => [Math.min(a[0], b[0]), Math.max(a[1], b[1])]),
    );
  }
  if (node.kind !== 'term' || !(PLAIN_FIELDS[node.field] as readonly string[]).includes(field)) return [];
  const last = node.words.length - 1;
  const found: Place[] = [];
  for (let at = 0; at + last < words.length; at += 1) {
    const isHere = node.words.every((word, offset) =>
      offset === last && node.isPrefix ? words[at + offset]?.startsWith(word) : words[at + offset] === word,
    );
    if (isHere) found.push([at, at + last]);
  }
  return found;
}
