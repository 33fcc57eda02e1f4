import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { renameFile, sha256 } from '../base/index.ts';

const PART = '.part';
/** After this long the server most likely has another version. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Identifies a body, so that ranges of different versions are never joined. */
export interface Version {
  /** A strong ETag. */
  readonly etag: string;
  /** Total bytes; undefined if the server did not say. */
  readonly total: number | undefined;
  /** Final URL without the query, which may be a one-time signature. */
  readonly place: string;
}

/** The work, the requested URL and the version received. */
export interface Origin {
  readonly work: string;
  readonly url: string;
  readonly version: Version;
}

/** The first bytes of an unfinished file. */
export interface Beginning extends Origin {
  readonly bytes: number;
  /** Hash of exactly these bytes, to detect damage before they are used. */
  readonly sha256: string;
}

/** Path of a part file's note. */
export function notePath(part: string): string {
  return `${part}.note`;
}

/** Records how much of a part file is valid, with its hash: the origin first, then one line per stretch. */
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

/** Reads a note; undefined if missing or untrustworthy. */
function readNote(part: string): Beginning | undefined {
  try {
    // A crash may have cut off the last line.
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
    // Missing or torn: download from the start.
    return undefined;
  }
}

/**
 * Unfinished files of broken transfers and dead processes, until another process resumes them or their work ends.
 * Each is a part file and its note, named after work and URL. A process takes over a file by moving the note into its
 * own folder, so no two write to it; any damage is detected by the note's hash and costs a download from the start.
 */
export class BegunFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Moves a part and its note here if it can be resumed; else removes it. */
  setAside(part: string): void {
    const note = readNote(part);
    if (note === undefined || !existsSync(part)) {
      removePart(part);
      return;
    }
    mkdirSync(this.#folder, { recursive: true });
    const path = this.#pathOf(note);
    renameFile(part, path);
    renameFile(notePath(part), notePath(path));
  }

  /** Moves an unfinished file to `part`; undefined if there is none. */
  take(work: string, url: string, part: string): Beginning | undefined {
    const path = this.#pathOf({ work, url });
    if (!moved(notePath(path), notePath(part))) return undefined;
    const note = moved(path, part) ? readNote(part) : undefined;
    if (note?.work === work && note.url === url) return note;
    removePart(part);
    return undefined;
  }

  /** Removes files of finished works, old files, and parts without a note. */
  remove(isOver: (work: string) => boolean, now: number): void {
    if (!existsSync(this.#folder)) return;
    for (const name of readdirSync(this.#folder)) {
      if (!name.endsWith(PART)) continue;
      const part = join(this.#folder, name);
      const note = readNote(part);
      if (note === undefined || isOver(note.work) || isOlder(part, now - KEPT_MS)) removePart(part);
    }
    for (const name of readdirSync(this.#folder)) {
      const part = join(this.#folder, name.slice(0, -notePath('').length));
      if (!name.endsWith(PART) && !existsSync(part)) rmSync(join(this.#folder, name), { force: true });
    }
    if (readdirSync(this.#folder).length === 0) rmSync(this.#folder, { recursive: true, force: true });
  }

  #pathOf({ work, url }: Pick<Beginning, 'work' | 'url'>): string {
    return join(this.#folder, `${sha256(`${work}\n${url}`).slice(0, 32)}${PART}`);
  }
}

function removePart(part: string): void {
  rmSync(part, { force: true });
  rmSync(notePath(part), { force: true });
}

function isOlder(path: string, moment: number): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? moment) < moment;
}

/** False if it is missing or another process was faster. */
function moved(from: string, to: string): boolean {
  if (!existsSync(from)) return false;
  try {
    renameFile(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
