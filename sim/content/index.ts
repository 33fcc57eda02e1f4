/**
 * A thin stand-in for the document generators: one page that carries title and DOI. The seam is final, the pages are
 * not; the real generators replace this folder as a whole.
 */
export interface PaperSpec {
  readonly seed: string;
  readonly workId: string;
  readonly title: string;
  readonly authors: readonly { readonly name: string; readonly orcid?: string; readonly affiliation?: string }[];
  readonly abstract?: string;
  readonly doi?: string;
  readonly pmcid?: string;
  readonly pmid?: string;
  readonly arxivId?: string;
  readonly journal?: string;
  readonly year: number;
  readonly language: string;
  readonly license?: string;
  readonly topic: string;
  readonly references: readonly {
    readonly title: string;
    readonly authors: readonly string[];
    readonly year: number;
    readonly doi?: string;
  }[];
}

export interface Paper {
  readonly spec: PaperSpec;
}

export type Layout = 'L1' | 'L2' | 'L3' | 'L4' | 'L5' | 'L6' | 'L7' | 'L8';

export function writePaper(spec: PaperSpec): Paper {
  return { spec };
}

export async function renderPdf(paper: Paper, layout: Layout): Promise<Uint8Array> {
  const { spec } = paper;
  const lines = [
    spec.title,
    spec.doi ? `https://doi.org/${spec.doi}` : spec.workId,
    spec.authors
      .slice(0, 6)
      .map(({ name }) => name)
      .join(', '),
    `Simulated document, layout ${layout}`,
    ...((spec.abstract ?? '').match(/.{1,90}(\s|$)/g) ?? []),
  ];
  const text = lines.map((line, at) => `BT /F1 11 Tf 50 ${780 - at * 16} Td (${escapePdf(line)}) Tj ET`).join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${Buffer.byteLength(text, 'latin1')} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = Buffer.byteLength(body, 'latin1');
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const xref = Buffer.byteLength(body, 'latin1');
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')}`;
  body += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(body, 'latin1');
}

export function renderJats(paper: Paper, options?: { readonly body?: boolean }): string {
  const { spec } = paper;
  const body =
    options?.body === false
      ? ''
      : `<body><sec><title>Introduction</title><p>${escapeXml(spec.abstract ?? spec.title)}</p></sec></body>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<article article-type="research-article" dtd-version="1.3"><front><article-meta>${spec.doi ? `<article-id pub-id-type="doi">${escapeXml(spec.doi)}</article-id>` : ''}<title-group><article-title>${escapeXml(spec.title)}</article-title></title-group></article-meta></front>${body}</article>`;
}

export function renderTei(paper: Paper): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>${escapeXml(paper.spec.title)}</title></titleStmt></fileDesc></teiHeader><text><body><p>${escapeXml(paper.spec.abstract ?? paper.spec.title)}</p></body></text></TEI>`;
}

export function renderHtml(paper: Paper, style: 'ojs' | 'arxiv'): string {
  return `<!doctype html><html lang="${paper.spec.language}"><head><title>${escapeXml(paper.spec.title)}</title></head><body class="${style}"><article><h1>${escapeXml(paper.spec.title)}</h1><p>${escapeXml(paper.spec.abstract ?? paper.spec.title)}</p></article></body></html>`;
}

export function questions(paper: Paper): readonly {
  readonly question: string;
  readonly answer: string;
  readonly paragraph: string;
  readonly workId: string;
}[] {
  return [
    {
      question: `What is the title of ${paper.spec.workId}?`,
      answer: paper.spec.title,
      paragraph: 'title',
      workId: paper.spec.workId,
    },
  ];
}

function escapePdf(text: string): string {
  return text.replaceAll(/[\\()]/g, String.raw`\$&`);
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
