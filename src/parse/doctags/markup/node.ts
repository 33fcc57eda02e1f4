import { visibleText } from '../../../base/index.ts';
import type { Link } from '../../document.ts';

/** An element of a parsed HTML or XML file; names are local (without a namespace prefix). */
export interface MarkupElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly MarkupNode[];
}

export type MarkupNode = MarkupElement | string;

export function child(element: MarkupElement | undefined, ...names: readonly string[]): MarkupElement | undefined {
  return children(element, ...names)[0];
}

export function children(element: MarkupElement | undefined, ...names: readonly string[]): MarkupElement[] {
  if (!element) return [];
  return element.children.filter(
    (node): node is MarkupElement => typeof node !== 'string' && (names.length === 0 || names.includes(node.name)),
  );
}

export function without(element: MarkupElement, ...names: readonly string[]): MarkupElement {
  return {
    ...element,
    children: element.children.filter((node) => typeof node === 'string' || !names.includes(node.name)),
  };
}

/** Follows a path of child names, taking the first of each. */
export function path(element: MarkupElement | undefined, ...names: readonly string[]): MarkupElement | undefined {
  return names.reduce((found, name) => child(found, name), element);
}

/** Every element below that satisfies the test, in document order; what lies inside a found one is not searched. */
export function findAll(
  element: MarkupElement | undefined,
  test: (candidate: MarkupElement) => boolean,
  most = Infinity,
): MarkupElement[] {
  const found: MarkupElement[] = [];
  const pending: MarkupElement[] = element ? [element] : [];
  for (let next = pending.pop(); next && found.length < most; next = pending.pop()) {
    if (next !== element && test(next)) {
      found.push(next);
      continue;
    }
    for (let index = next.children.length - 1; index >= 0; index -= 1) {
      const node = next.children[index];
      if (node !== undefined && typeof node !== 'string') pending.push(node);
    }
  }
  return found;
}

export function named(...names: readonly string[]): (element: MarkupElement) => boolean {
  return ({ name }) => names.includes(name);
}

export function findFirst(
  element: MarkupElement | undefined,
  test: (candidate: MarkupElement) => boolean,
): MarkupElement | undefined {
  return findAll(element, test, 1)[0];
}

export function rawText(node: MarkupNode | undefined): string {
  if (node === undefined) return '';
  if (typeof node === 'string') return node;
  let text = '';
  for (const part of node.children) text += rawText(part);
  return text;
}

/** One line: every run of white space is one space, none at the ends. */
export function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/g, ' ').trim();
}

export function lineText(node: MarkupNode | undefined): string {
  return oneLine(rawText(node));
}

// A letter alone is an exponent or the mark of a note; several are a word (1st, nth) and stay readable.
const RAISED_LETTERS = byCharacter('abcdefghijklmoprstuvwxyz', 'ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ');
const SUPERSCRIPTS = byCharacter('0123456789+-−–=()in', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁱⁿ');

function byCharacter(plain: string, raised: string): ReadonlyMap<string, string> {
  return new Map(Array.from(plain, (character, index) => [character, raised[index] ?? '']));
}

/** An exponent or mark in Unicode superscripts (10⁷, m⁻¹, nᵃ); undefined when it has no such form. */
export function superscript(text: string): string | undefined {
  const letter = RAISED_LETTERS.get(text);
  if (letter !== undefined) return letter;
  const raised = Array.from(text, (character) => SUPERSCRIPTS.get(character));
  return raised.length === 0 || raised.includes(undefined) ? undefined : raised.join('');
}

/** Program text: lines and indentation stay, blank lines at both ends and characters that show nothing go. */
export function rawCode(text: string): string {
  return dedent(
    visibleText(text)
      .replace(/\u00A0/g, ' ')
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd(),
  );
}

/** Indentation that every line shares belongs to the file around the code. */
function dedent(text: string): string {
  const lines = text.split('\n');
  const shared = Math.min(
    ...lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length),
  );
  return shared > 0 && Number.isFinite(shared) ? lines.map((line) => line.slice(shared)).join('\n') : text;
}

export interface Line {
  readonly text: string;
  readonly links: readonly Link[];
}

const SPACE = /\s+/g;
const ENDS_IN_SPACE = /\s$/;

/**
 * What becomes of an element while a text is gathered: `spaced` and `inside` read its content, with or without spaces
 * around it.
 */
export type Reading = 'inline' | 'spaced' | 'inside' | 'skip';

/** A line of inline markup. White space is folded while text is added, so that link offsets are right. */
export class InlineText {
  readonly #read: (text: InlineText, element: MarkupElement) => void;
  #text = '';
  #wantsSpace = false;
  readonly #links: Link[] = [];

  constructor(read: (text: InlineText, element: MarkupElement) => void) {
    this.#read = read;
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }

  /** The last character, ignoring a space that may follow. */
  get lastCharacter(): string {
    return this.#wantsSpace ? ' ' : this.#text.slice(-1);
  }

  get lastVisible(): string {
    return this.#text.slice(-1);
  }

  add(node: MarkupNode): void {
    if (typeof node === 'string') this.#addText(node);
    else this.#read(this, node);
  }

  addAll(nodes: readonly MarkupNode[]): void {
    for (const node of nodes) this.add(node);
  }

  #addText(text: string): void {
    if (text === '') return;
    const folded = visibleText(text).replace(SPACE, ' ');
    if (folded === '') return;
    if (folded === ' ') {
      this.#wantsSpace = true;
      return;
    }
    const starts = folded.startsWith(' ');
    const ends = ENDS_IN_SPACE.test(folded);
    if ((this.#wantsSpace || starts) && this.#text !== '') this.#text += ' ';
    this.#text += folded.slice(starts ? 1 : 0, ends ? -1 : undefined);
    this.#wantsSpace = ends;
  }

  space(): void {
    this.#wantsSpace = true;
  }

  addSpaced(element: MarkupElement | undefined): void {
    this.space();
    this.addAll(element?.children ?? []);
    this.space();
  }

  /** Adds the content of an element; `sort` says what becomes of each element in it, and may write blocks itself. */
  gather(element: MarkupElement, sort: (inner: MarkupElement) => Reading): void {
    for (const node of element.children) {
      const reading = typeof node === 'string' ? 'inline' : sort(node);
      if (typeof node === 'string' || reading === 'inline') this.add(node);
      else if (reading !== 'skip') {
        if (reading === 'spaced') this.space();
        this.gather(node, sort);
        if (reading === 'spaced') this.space();
      }
    }
  }

  /** Runs `inner` and makes what it adds a link. */
  link(url: string, inner: () => void): void {
    const before = this.#text.length;
    inner();
    const start = before + (this.#text[before] === ' ' ? 1 : 0);
    if (this.#text.length > start) this.#links.push({ start, end: this.#text.length, url });
  }

  addRaised(text: string): void {
    const raised = /[\p{L}\p{N})\]]/u.test(this.lastCharacter) ? superscript(text) : undefined;
    this.add(raised ?? text);
  }

  take(): Line {
    const line = { text: this.#text, links: this.#links.splice(0) };
    this.#text = '';
    this.#wantsSpace = false;
    return line;
  }
}
