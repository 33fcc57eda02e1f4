import type { Paper } from '../paper.ts';
import { compose } from './compose.ts';
import type { ComposedPage } from './furniture.ts';
import { collect, openDocument, Painter } from './paint.ts';
import { rasterPage } from './raster.ts';
import { disguise } from './disguise.ts';
import { STYLES } from './style.ts';
import type { Layout, Style } from './style.ts';

/** Renders a paper in a layout. Deterministic for one version of Node (zlib may differ between versions). */
export async function renderPdf(paper: Paper, layout: Layout): Promise<Uint8Array> {
  const style = STYLES[layout];
  const pages = compose(paper, style);
  const bytes = await renderPages(paper, style, pages, layout === 'L7');
  return layout === 'L8' ? disguise(bytes) : bytes;
}

/** Renders laid-out pages. */
export async function renderPages(
  paper: Paper,
  style: Style,
  pages: readonly ComposedPage[],
  asPictures = false,
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Uint8Array> {
  const document = openDocument(paper, options);
  const painter = new Painter(document, style.spaces);
  for (const { ops, blocks } of pages) {
    if (asPictures) {
      const [width, height] = style.page;
      document.addPage({ size: [width, height], margin: 0 });
      document.image(rasterPage(style.page, ops), 0, 0, { width, height });
      continue;
    }
    painter.page(style.page, ops);
    if (style.columns === 1) continue;
    for (const { draft } of blocks)
      if (draft.kind === 'heading' && draft.level === 1) document.outline.addItem(draft.text);
  }
  return collect(document);
}
