import type { Work } from '../world/types.ts';

/** Writes a minimal PDF by hand, with optional defects. */
export function rawPdf(
  pages: readonly (readonly string[])[],
  marks: { readonly isEncrypted?: boolean } = {},
): Uint8Array {
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  for (const [at, lines] of pages.entries()) {
    const drawn = lines
      .map((line, row) => `BT /F1 11 Tf 50 ${780 - row * 16} Td (${line.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj ET`)
      .join('\n');
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + at * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${Buffer.byteLength(drawn, 'latin1')} >>\nstream\n${drawn}\nendstream`,
    );
  }
  if (marks.isEncrypted)
    objects.push(`<< /Filter /Standard /V 1 /R 2 /Length 40 /P -44 /O <${'5a'.repeat(32)}> /U <${'a5'.repeat(32)}> >>`);
  let body = '%PDF-1.4\n%\u00E2\u00E3\u00CF\u00D3\n';
  const offsets = objects.map((object, at) => {
    const offset = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const xref = body.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const encrypt = marks.isEncrypted ? ` /Encrypt ${objects.length} 0 R /ID [<00> <00>]` : '';
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${encrypt} >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(body, 'latin1');
}

const FILLER = 'This line belongs to a simulated document and says nothing.';

/** PDFs that a client must not accept as the work. */
export function oddPdf(work: Work, how: 'unrelated' | 'preview' | 'encrypted' | 'zero-pages' | 'long'): Uint8Array {
  const heading = [latin(work.title), work.doi ?? work.id, 'Simulated document'];
  switch (how) {
    case 'unrelated':
      return rawPdf([
        [
          'Minutes of the parish council',
          'Agenda, attendance and accounts',
          'Simulated document',
          ...Array.from({ length: 30 }, () => FILLER),
        ],
      ]);
    case 'preview':
      return rawPdf([[...heading, 'Preview of the first page. Buy the article to read on.']]);
    case 'encrypted':
      return rawPdf([heading], { isEncrypted: true });
    case 'zero-pages':
      return rawPdf([]);
    case 'long':
      return rawPdf(Array.from({ length: 400 }, (_, at) => (at === 0 ? heading : [`Page ${at + 1}`, FILLER])));
  }
}

function latin(text: string): string {
  return text.normalize('NFD').replaceAll(/[^\u0020-\u007E]/g, '');
}
