import { rawPdf } from '../behaviours/odd-pdf.ts';
import type { PaperSpec } from '../content/index.ts';
import type { Payload } from '../world/types.ts';
import { escapeHtml } from './reply.ts';

/**
 * A one-page document that identifies a work, in any format, for worlds where the content does not matter. A hundred
 * times cheaper than a realistic paper.
 */
export function plainDocument(spec: PaperSpec, payload: Exclude<Payload, { readonly form: 'odd-pdf' }>): Uint8Array {
  const title = escapeHtml(spec.title);
  const text = escapeHtml(spec.abstract ?? spec.title);
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
