import { appendFileSync, readFileSync, rmSync } from 'node:fs';

/** What a body is known by, so that its rest can be told from the rest of another. */
export interface Version {
  /** A strong ETag. */
  readonly etag: string;
  /** Bytes of the whole; undefined when the server did not say. */
  readonly total: number | undefined;
  /** Where it came from in the end, without the query, which may be a signature made anew each time. */
  readonly place: string;
}

/** Whose file it is, where it was asked for, and which version came. */
export interface Origin {
  readonly work: string;
  readonly url: string;
  readonly version: Version;
}

/** The first bytes of a file whose rest is still to come. */
export interface Beginning extends Origin {
  readonly bytes: number;
  /** Of exactly these bytes: what a crash or another writer did to them is noticed before they are built upon. */
  readonly sha256: string;
}

/** Where the note of a part file is. */
export function notePath(part: string): string {
  return `${part}.note`;
}

/** Writes down how far a part file is, with the hash of it: the origin first, then a line for each stretch. */
export class BeginningNote {
  readonly #path: string;
  readonly #origin: Origin;
  #isBegun: boolean;

  constructor(part: string, origin: Origin, options: { readonly isBegun?: boolean } = {}) {
    this.#path = notePath(part);
    this.#origin = origin;
    this.#isBegun = options.isBegun ?? false;
  }

  mark(bytes: number, sha256: string): void {
    const first = this.#isBegun ? '' : `${JSON.stringify(this.#origin)}\n`;
    appendFileSync(this.#path, `${first}${JSON.stringify({ bytes, sha256 })}\n`);
    this.#isBegun = true;
  }

  remove(): void {
    if (this.#isBegun) rmSync(this.#path, { force: true });
    this.#isBegun = false;
  }
}

/** What a note says; undefined where there is none, or none that can be trusted. */
export function readNote(part: string): Beginning | undefined {
  try {
    // The last line may have been cut off by the end of its writer.
    const [first = '', ...marks] = readFileSync(notePath(part), 'utf8').split('\n').slice(0, -1);
    const origin = JSON.parse(first) as Partial<Origin>;
    const mark = JSON.parse(marks.at(-1) ?? '') as Partial<Beginning>;
    const { work, url, version } = origin;
    const { bytes, sha256 } = mark;
    if (typeof work !== 'string' || typeof url !== 'string' || typeof sha256 !== 'string') return undefined;
    if (!Number.isSafeInteger(bytes) || bytes === undefined || bytes <= 0) return undefined;
    if (typeof version?.etag !== 'string' || typeof version.place !== 'string') return undefined;
    return { work, url, version: { etag: version.etag, place: version.place, total: version.total }, bytes, sha256 };
  } catch {
    // Missing or torn: then the file is fetched from its start, which is always right.
    return undefined;
  }
}
