import type { Link } from '../../document.ts';
import { visibleText } from './characters.ts';

/** A line of running text with the links in it. */
export interface Line {
  readonly text: string;
  readonly links: readonly Link[];
}

const SPACE = /[\s\u0085]+/g;
const ENDS_IN_SPACE = /\s$/;

/**
 * Collects the text of inline markup as one line: white space is folded while it is added, so that offsets of links
 * are right at once.
 */
export class InlineText {
  #text = '';
  #wantsSpace = false;
  readonly #links: Link[] = [];

  get isEmpty(): boolean {
    return this.#text === '';
  }

  /** The last character, ignoring a space that may follow. */
  get lastCharacter(): string {
    return this.#wantsSpace ? ' ' : this.#text.slice(-1);
  }

  /** The last character that shows. */
  get lastVisible(): string {
    return this.#text.slice(-1);
  }

  add(text: string): void {
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

  /** Sets a space before what comes next. */
  space(): void {
    this.#wantsSpace = true;
  }

  /** Runs `inner` and makes what it adds a link. */
  link(url: string, inner: () => void): void {
    const before = this.#text.length;
    inner();
    const start = before + (this.#text[before] === ' ' ? 1 : 0);
    if (this.#text.length > start) this.#links.push({ start, end: this.#text.length, url });
  }

  /** Returns what was collected and starts again. */
  take(): Line {
    const line = { text: this.#text, links: this.#links.splice(0) };
    this.#text = '';
    this.#wantsSpace = false;
    return line;
  }
}
