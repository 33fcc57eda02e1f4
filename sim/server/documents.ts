import { sha256 } from '../../src/base/index.ts';
import { oddPdf } from '../behaviours/odd-pdf.ts';
import { renderHtml, renderJats, renderPdf, renderTei, writePaper } from '../content/index.ts';
import type { FileSpec, Payload } from '../world/types.ts';
import type { World } from '../world/world.ts';
import { paperSpec } from './paper-spec.ts';
import { plainDocument } from './plain-documents.ts';

const KEPT_BYTES = 128 * 1024 * 1024;

/** Realistic papers, or one page that identifies the work. */
export type DocumentManner = 'full' | 'plain';

export interface Digest {
  readonly sha256: string;
  readonly bytes: number;
}

/** The files of a world, rendered on first use and cached. */
export class Documents {
  readonly #world: World;
  readonly manner: DocumentManner;
  readonly #kept = new Map<string, Promise<Uint8Array>>();
  readonly #digests = new Map<string, Digest>();
  #bytes = 0;

  constructor(world: World, manner: DocumentManner = 'full') {
    this.#world = world;
    this.manner = manner;
  }

  bytes(payload: Payload): Promise<Uint8Array> {
    const key = JSON.stringify(payload);
    const known = this.#kept.get(key);
    if (known) return known;
    const rendering = this.#render(payload);
    this.#kept.set(key, rendering);
    return rendering.then((bytes) => {
      this.#bytes += bytes.length;
      for (const [old, older] of this.#kept) {
        if (this.#bytes <= KEPT_BYTES || old === key) break;
        this.#kept.delete(old);
        void older.then((gone) => (this.#bytes -= gone.length));
      }
      return bytes;
    });
  }

  /** Hash and size of a file as a client stores it. */
  async digest(file: FileSpec): Promise<Digest> {
    const junk = junkBytes(file);
    const key = `${junk}:${JSON.stringify(file.payload)}`;
    const known = this.#digests.get(key);
    if (known) return known;
    const bytes = withJunk(await this.bytes(file.payload), junk);
    const digest = { sha256: sha256(bytes), bytes: bytes.length };
    this.#digests.set(key, digest);
    return digest;
  }

  async #render(payload: Payload): Promise<Uint8Array> {
    if (this.manner === 'plain' && payload.form !== 'odd-pdf')
      return plainDocument(paperSpec(this.#world, payload.work), payload);
    const paper = (): ReturnType<typeof writePaper> => writePaper(paperSpec(this.#world, payload.work));
    switch (payload.form) {
      case 'pdf':
        return renderPdf(paper(), payload.layout);
      case 'jats':
        return Buffer.from(renderJats(paper(), { body: payload.body }));
      case 'tei':
        return Buffer.from(renderTei(paper()));
      case 'html':
        return Buffer.from(renderHtml(paper(), payload.style));
      case 'odd-pdf':
        return oddPdf(this.#world.work(payload.work), payload.how);
    }
  }
}

/** Bytes sent before the actual file, which remain part of it. */
function junkBytes(file: Pick<FileSpec, 'behaviour'>): number {
  return file.behaviour.kind === 'typed' ? file.behaviour.junkBytes : 0;
}

export function withJunk(bytes: Uint8Array, junk: number): Uint8Array {
  return junk === 0 ? bytes : Buffer.concat([Buffer.alloc(junk, 'X-Debug: leftover of a proxy\r\n'), bytes]);
}
