import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { renameFile, sha256 } from '../base/index.ts';

const PART = '.part';
/** A server that is asked for the rest after this long has most likely another version. */
const KEPT_MS = 7 * 24 * 3_600_000;

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
function readNote(part: string): Beginning | undefined {
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

/**
 * Beginnings of files that broke off or whose process died, until somebody goes on with them or their work is over. Each is
 * a part file and its note, named after work and URL. Whoever moves the note into a folder of its own has the part, so
 * that no two write one; whatever goes wrong between is noticed by the hash in the note, and costs a fetch from the start.
 *
 *   part in a process's folder ──set aside──▶ here ──taken──▶ part in another's folder
 */
export class BegunFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Moves a part and its note here, if there is something to go on from; else removes it. */
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

  /** Moves what there is of a file to `part`, for nobody else to have; undefined when there is nothing. */
  take(work: string, url: string, part: string): Beginning | undefined {
    const path = this.#pathOf({ work, url });
    if (!moved(notePath(path), notePath(part))) return undefined;
    const note = moved(path, part) ? readNote(part) : undefined;
    if (note?.work === work && note.url === url) return note;
    removePart(part);
    return undefined;
  }

  /** Removes what nobody will go on with: of works that are over, of long ago, and parts without a note. */
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

/** False when it is not there, or somebody was quicker. */
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
