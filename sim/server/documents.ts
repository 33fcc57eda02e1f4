import { sha256 } from '../../src/base/index.ts';
import type { Behaviour } from '../behaviours/behaviour.ts';
import { oddPdf, rawPdf } from '../behaviours/odd-pdf.ts';
import { renderHtml, renderJats, renderPdf, renderTei, writePaper } from '../content/index.ts';
import type { FileSpec, Payload } from '../world/types.ts';
import type { World } from '../world/world.ts';
import { paperSpec } from './paper-spec.ts';
import type { PaperSpec } from '../content/index.ts';
import { escapeHtml } from './reply.ts';

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
    const key = JSON.stringify([file.behaviour, file.payload]);
    const known = this.#digests.get(key);
    if (known) return known;
    const bytes = withJunk(await this.bytes(file.payload), file.behaviour);
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

/** A file with what a proxy left before it, which remains part of it. */
export function withJunk(bytes: Uint8Array, behaviour: Behaviour): Uint8Array {
  const junk = behaviour.kind === 'typed' ? behaviour.junkBytes : 0;
  return junk === 0 ? bytes : Buffer.concat([Buffer.alloc(junk, 'X-Debug: leftover of a proxy\r\n'), bytes]);
}

/**
 * A one-page document that identifies a work, in any format, for worlds where the content does not matter. A hundred
 * times cheaper than a realistic paper.
 */
function plainDocument(spec: PaperSpec, payload: Exclude<Payload, { readonly form: 'odd-pdf' }>): Uint8Array {
  const title = escapeHtml(spec.title);
  // A body of a sentence would count as none.
  const text = escapeHtml(`${spec.abstract ?? spec.title} `.repeat(10));
  switch (payload.form) {
    case 'pdf': {
      const abstract = (spec.abstract ?? '').match(/.{1,90}(\s|$)/g) ?? [];
      const first = [
        spec.title,
        spec.doi ? `https://doi.org/${spec.doi}` : spec.workId,
        `Simulated document, layout ${payload.layout}`,
      ];
      // Three pages: fewer would look like a preview.
      return rawPdf([[...first, ...abstract], ['Methods and results', ...abstract], ['References']]);
    }
    case 'jats': {
      const body = payload.body ? `<body><sec><title>Introduction</title><p>${text}</p></sec></body>` : '';
      const doi = spec.doi ? `<article-id pub-id-type="doi">${escapeHtml(spec.doi)}</article-id>` : '';
      return Buffer.from(
        `<?xml version="1.0" encoding="UTF-8"?>\n<article article-type="research-article" dtd-version="1.3"><front><article-meta>${doi}<title-group><article-title>${title}</article-title></title-group></article-meta></front>${body}</article>`,
      );
    }
    case 'tei':
      return Buffer.from(
        `<?xml version="1.0" encoding="UTF-8"?>\n<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>${title}</title></titleStmt></fileDesc></teiHeader><text><body><p>${text}</p></body></text></TEI>`,
      );
    case 'html': {
      // As long as a paper: a shorter page would count as a landing page.
      const words = `${text} ${text} `.repeat(60).split(' ').slice(0, 220).join(' ');
      const sections = ['Introduction', 'Methods', 'Results', 'Discussion', 'References'];
      const body = sections.map((name) => `<h2>${name}</h2><p>${words}</p><p>${words}</p>`).join('');
      return Buffer.from(
        `<!doctype html><html><head><title>${title}</title></head><body><article><h1>${title}</h1>${body}</article></body></html>`,
      );
    }
  }
}
