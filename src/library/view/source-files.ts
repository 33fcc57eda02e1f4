import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { fileInside, sha256File } from '../../base/index.ts';
import { readSidecar, sidecarPath } from '../../parse/index.ts';
import { documentLink } from '../corpus-works.ts';
import type { DocumentPlace } from '../place-files.ts';
import { bringHere } from '../place-files.ts';
import { isDocumentName } from '../read-document.ts';

/** Larger papers outside the folder are not read to compare them. */
const MOST_BYTES = 1_000_000_000;
const MOST_KNOWN = 10_000;

/**
 * The files that documents were parsed from. One inside the corpus is given as it is. A paper of one's own lies elsewhere,
 * and a corpus that somebody else made may name any path: such a file is given only if its bytes have the hash that was
 * recorded when it was parsed, so that nobody learns from it what the corpus did not already know.
 */
export class SourceFiles {
  readonly #place: DocumentPlace;
  /** Hashes by path, size and time of change. */
  readonly #hashes = new Map<string, Promise<string>>();

  constructor(place: DocumentPlace) {
    this.#place = place;
  }

  async find(document: string): Promise<string | undefined> {
    const link = isDocumentName(document) ? documentLink(this.#place, document) : undefined;
    if (link === undefined) return undefined;
    await bringHere(this.#place, join(this.#place.folder, link));
    return fileInside(this.#place.folder, link) ?? (await this.#outside(document, link));
  }

  async #outside(document: string, link: string): Promise<string | undefined> {
    const { source, source_sha256: parsed } = readSidecar(sidecarPath(this.#place.dataRoot, document));
    if (source !== link || typeof parsed !== 'string') return undefined;
    try {
      const path = realpathSync(resolve(this.#place.folder, link));
      const about = statSync(path);
      // A device or a pipe would never end.
      if (!about.isFile() || about.size > MOST_BYTES) return undefined;
      const key = `${about.size} ${about.mtimeMs} ${path}`;
      if (!this.#hashes.has(key) && this.#hashes.size >= MOST_KNOWN) this.#hashes.clear();
      const hash = this.#hashes.get(key) ?? sha256File(path);
      this.#hashes.set(key, hash);
      return (await hash) === parsed ? path : undefined;
    } catch (error) {
      // Missing, moved or unreadable: the document is shown as its text.
      if (error instanceof Error && 'code' in error) return undefined;
      throw error;
    }
  }
}
