import type { DrawnPage } from '../parse/index.ts';
import { PdfInspector } from '../parse/index.ts';
import type { GatheredDocument } from './documents.ts';
import type { ReportLimits } from './limits.ts';
import { PAGE_PIXELS } from './limits.ts';

/** Images by document and page; `leftOut` counts the pages that have none because of the limits. */
export interface PageImages {
  readonly of: ReadonlyMap<GatheredDocument, Readonly<Record<string, string>>>;
  readonly leftOut: number;
}

/** Draws pages as far as the limits go: the first page of every document, then the second of every one, and so on. */
export async function drawPageImages(
  documents: readonly GatheredDocument[],
  limits: ReportLimits,
): Promise<PageImages> {
  const drawable = documents.filter(({ part, pdf }) => part !== undefined && pdf !== undefined);
  const wanted = new Map<GatheredDocument, number[]>();
  const longest = Math.max(0, ...drawable.map(({ line }) => line.pages));
  let [chosen, bytes] = [0, 0];
  for (let at = 0; at < longest && chosen < limits.imagePages; at += 1) {
    for (const document of drawable) {
      const number = document.part?.pages[at]?.[0];
      if (number === undefined || chosen >= limits.imagePages) continue;
      wanted.set(document, [...(wanted.get(document) ?? []), number]);
      chosen += 1;
    }
  }
  const images = new Map<GatheredDocument, Record<string, string>>();
  using inspector = new PdfInspector();
  let kept = 0;
  for (const [document, pages] of wanted) {
    if (bytes >= limits.imageBytes) break;
    const drawn: readonly DrawnPage[] = await inspector.draw(document.pdf ?? '', { pages, widthPixels: PAGE_PIXELS });
    const own: Record<string, string> = {};
    for (const { page, png } of drawn) {
      bytes += png.length;
      if (bytes >= limits.imageBytes) break;
      own[page] = Buffer.from(png).toString('base64');
      kept += 1;
    }
    images.set(document, own);
  }
  return { of: images, leftOut: drawable.reduce((sum, { line }) => sum + line.pages, 0) - kept };
}
