import { readFileSync } from 'node:fs';

import { writeFileAtomic } from '../base/index.ts';

/** Up to which version the libraries of Zotero have been read by a run. It can be lost: then they are read again. */
export class ZoteroVersions {
  readonly #path: string;
  readonly #read = new Map<string, number>();

  constructor(path: string) {
    this.#path = path;
  }

  /** The version of a library of which every work is known to the run; undefined where there is none. */
  of(library: string): number | undefined {
    const version = this.#all()[library];
    return typeof version === 'number' ? version : undefined;
  }

  /** A library was read to its end; its works may still be on their way into the queue. */
  read(library: string, version: number): void {
    this.#read.set(library, version);
  }

  /** Every work that was read is in the queue: from now on these libraries need not be read again. */
  async commit(): Promise<void> {
    if (this.#read.size === 0) return;
    await writeFileAtomic(this.#path, `${JSON.stringify({ ...this.#all(), ...Object.fromEntries(this.#read) })}\n`);
    this.#read.clear();
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
