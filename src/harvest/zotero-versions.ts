import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Up to which version the libraries of Zotero have been read by a run. It can be lost: then they are read again. */
export class ZoteroVersions {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The version of a library whose items have all been taken; undefined where it was not read to its end. */
  of(library: string): number | undefined {
    const version = this.#all()[library];
    return typeof version === 'number' ? version : undefined;
  }

  keep(library: string, version: number): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(this.#path, `${JSON.stringify({ ...this.#all(), [library]: version })}\n`);
  }

  #all(): Readonly<Record<string, unknown>> {
    try {
      const value = JSON.parse(readFileSync(this.#path, 'utf8')) as unknown;
      return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
    } catch {
      // Absent or damaged: whatever it said, reading a library again is right.
      return {};
    }
  }
}
