import { readFile } from 'node:fs/promises';

import { AppError } from '../../base/index.ts';
import type { ParsedDocument, Block } from '../document.ts';
import type { ParseFileOptions } from './convert.ts';
import { parseFile, loadPdfReader } from './convert.ts';
import { readBlockLines } from './formats/block-lines.ts';
import { encodePng } from './layout/output/png.ts';
import { unpack } from './markup/decode.ts';
import { escapeHtml, SAFE_PAGE } from './formats/html-page.ts';

/** A page of a file, or of a block file parsed before, with the recognised blocks drawn on it, as HTML. */
export async function showPage(path: string, page: number, options: ParseFileOptions = {}): Promise<string> {
  const isParsed = path.endsWith('.jsonl');
  const { document, kind } = isParsed
    ? { document: await readBlockLines(path), kind: 'unknown' }
    : await parseFile(path, options);
  const { pages } = document;
  if (pages.length > 0 && !pages.some(({ number }) => number === page))
    throw new AppError('SHOW_NO_PAGE', `${path} has no page ${page}`, { hint: `pages are 1 to ${pages.length}` });
  if (kind !== 'pdf') return writeOverlay(document, page);
  const { renderPage } = await loadPdfReader();
  return writeOverlay(document, page, encodePng(await renderPage(unpack(await readFile(path)), page, 2)));
}

const BLOCK_COLOURS: Readonly<Record<Block['kind'], string>> = {
  title: '#b00020',
  heading: '#d81b60',
  text: '#1e6fd9',
  list_item: '#00897b',
  code: '#5d4037',
  picture: '#7b1fa2',
  table: '#ef6c00',
  caption: '#8e7cc3',
  footnote: '#6d8b00',
  formula: '#00838f',
  reference: '#455a64',
  page_header: '#9e9e9e',
  page_footer: '#9e9e9e',
};

/**
 * One page as self-contained HTML with its blocks as coloured boxes, numbered in reading order; a list of blocks if
 * there are no pages.
 */
export function writeOverlay(document: ParsedDocument, pageNumber: number, png?: Uint8Array): string {
  const page = document.pages.find((candidate) => candidate.number === pageNumber);
  const drawn = document.blocks.flatMap((block) =>
    block.regions.filter((region) => region.page === pageNumber).map((region) => ({ block, box: region.box })),
  );
  const shown = page ? drawn.map(({ block }) => block) : document.blocks;
  const width = page?.width ?? 0;
  const height = page?.height ?? 0;
  const boxes = drawn.map(({ block, box }) => {
    const colour = BLOCK_COLOURS[block.kind];
    const [w, h] = [Math.max(0, box.right - box.left), Math.max(0, box.bottom - box.top)].map(fixed);
    return (
      `<g><title>${escapeHtml(`${block.order} ${blockLabel(block)}: ${block.text.slice(0, 500)}`)}</title>` +
      `<rect x="${fixed(box.left)}" y="${fixed(box.top)}" width="${w}" height="${h}" fill="${colour}" fill-opacity="0.12" stroke="${colour}"/>` +
      `<text x="${fixed(box.left + 1)}" y="${fixed(Math.max(6, box.top - 1))}" fill="${colour}">${block.order} ${blockLabel(block)}</text></g>`
    );
  });
  const picture = png
    ? `<image href="data:image/png;base64,${Buffer.from(png).toString('base64')}" x="0" y="0" width="${fixed(width)}" height="${fixed(height)}" preserveAspectRatio="none"/>`
    : `<rect x="0" y="0" width="${fixed(width)}" height="${fixed(height)}" fill="#fff" stroke="#ccc"/>`;
  const rows = shown.map(
    (block) =>
      `<li value="${block.order}"><b style="color:${BLOCK_COLOURS[block.kind]}">${blockLabel(block)}</b> ${escapeHtml(block.text.slice(0, 300))}</li>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(SAFE_PAGE)}">`,
    `<title>${escapeHtml(`${document.metadata.title ?? 'Document'}, page ${pageNumber}`)}</title>`,
    '<style>body{display:flex;flex-wrap:wrap;gap:1rem;margin:1rem;font:14px/1.4 system-ui,sans-serif;background:#eee;color:#111}svg{background:#fff;width:min(100%,50rem);height:auto;box-shadow:0 1px 4px #0005}svg text{font:6px monospace}ol{flex:1 1 24rem;max-height:95vh;overflow:auto;margin:0;padding:0 0 0 3rem;background:#fff}li{overflow-wrap:anywhere}</style>',
    '</head><body>',
    page
      ? `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${fixed(width)} ${fixed(height)}" role="img" aria-label="page ${pageNumber}">${picture}${boxes.join('')}</svg>`
      : '',
    `<ol>${rows.join('')}</ol>`,
    '</body></html>',
    '',
  ].join('\n');
}

/** What a block is called on a drawn page. */
function blockLabel(block: Block): string {
  return block.kind === 'heading' ? `heading ${block.level}` : block.kind;
}

function fixed(value: number): string {
  return Number.isFinite(value) ? String(Math.round(value * 100) / 100) : '0';
}
