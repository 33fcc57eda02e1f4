import { availableParallelism } from 'node:os';

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

const MOST_DRAWERS = 4;
/** A process takes about as long to start as to draw so many. */
const PAGES_PER_DRAWER = 20;

/** Draws pages as far as the limits go: the first page of every document, then the second of every one, and so on. */
export async function drawPageImages(
  documents: readonly GatheredDocument[],
  limits: ReportLimits,
  signal?: AbortSignal,
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
  using inspectors = new DisposableStack();
  const stop = (): void => inspectors.dispose();
  signal?.addEventListener('abort', stop, { once: true });
  inspectors.defer(() => signal?.removeEventListener('abort', stop));
  const waiting = [...wanted];
  let kept = 0;
  const draw = async (inspector: PdfInspector): Promise<void> => {
    for (let next = waiting.shift(); next && bytes < limits.imageBytes; next = waiting.shift()) {
      if (signal?.aborted) return;
      const [document, pages] = next;
      const drawn: readonly DrawnPage[] = await inspector.draw(document.pdf ?? '', { pages, widthPixels: PAGE_PIXELS });
      const own: Record<string, string> = {};
      for (const { page, png } of drawn) {
        if (bytes + png.length > limits.imageBytes) break;
        bytes += png.length;
        own[page] = Buffer.from(png).toString('base64');
        kept += 1;
      }
      images.set(document, own);
    }
  };
  // Somebody waits for it at the end of a run: every core draws, as far as there is enough to draw for each.
  const drawers = signal?.aborted
    ? 0
    : Math.min(availableParallelism(), MOST_DRAWERS, Math.ceil(chosen / PAGES_PER_DRAWER));
  await Promise.all(Array.from({ length: drawers }, () => draw(inspectors.use(new PdfInspector()))));
  return { of: images, leftOut: drawable.reduce((sum, { line }) => sum + line.pages, 0) - kept };
}
