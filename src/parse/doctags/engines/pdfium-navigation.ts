import type { OutlineEntry, PageJump, PageLink, StructureElement } from '../layout/page/page-content.ts';
import type { Matrix } from './pdfium-geometry.ts';
import { mapBox } from './pdfium-geometry.ts';
import type { Library } from './pdfium-library.ts';

const MAX_LINKS = 5_000;
const MAX_OUTLINE = 5_000;
const MAX_DEPTH = 32;
const MAX_ELEMENTS = 20_000;

// PDFACTION_GOTO
const GOTO = 1;

/** The page's links: to the web, and to other pages of the file. */
export function readLinks(
  library: Library,
  document: number,
  page: number,
  matrix: Matrix,
): { readonly links: PageLink[]; readonly jumps: PageJump[] } {
  const { call, scratch } = library;
  const links: PageLink[] = [];
  const jumps: PageJump[] = [];
  library.integers[(scratch + 48) >> 2] = 0;
  for (let count = 0; count < MAX_LINKS; count += 1) {
    // The engine keeps its position between calls in the first of the two words.
    if (call.FPDFLink_Enumerate(page, scratch + 48, scratch + 52) !== 1) break;
    const link = library.integers[(scratch + 52) >> 2] ?? 0;
    const action = call.FPDFLink_GetAction(link);
    const url =
      action === 0
        ? ''
        : library.readString('utf-8', (buffer, length) => call.FPDFAction_GetURIPath(document, action, buffer, length));
    const target = url === '' ? targetPage(library, document, link, action) : 0;
    if ((target === 0 && !/^https?:\/\/|^mailto:/i.test(url)) || call.FPDFLink_GetAnnotRect(link, scratch) !== 1)
      continue;
    const at = scratch >> 2;
    const { floats } = library;
    const box = mapBox(matrix, floats[at] ?? 0, floats[at + 1] ?? 0, floats[at + 2] ?? 0, floats[at + 3] ?? 0);
    if (target > 0) jumps.push({ page: target, box });
    else links.push({ url, box });
  }
  return { links, jumps };
}

/** The page that a link leads to, counted from 1; 0 where it leads nowhere in this file. */
function targetPage(library: Library, document: number, link: number, action: number): number {
  const { call } = library;
  const own = call.FPDFLink_GetDest(document, link);
  const acted = own === 0 && action !== 0 && call.FPDFAction_GetType(action) === GOTO;
  const destination = acted ? call.FPDFAction_GetDest(document, action) : own;
  return destination === 0 ? 0 : call.FPDFDest_GetDestPageIndex(document, destination) + 1;
}

/** The outline in reading order, each entry with its depth; a looping outline is cut. */
export function readOutline(library: Library, document: number): OutlineEntry[] {
  const { call } = library;
  const entries: OutlineEntry[] = [];
  const seen = new Set<number>();
  const walk = (parent: number, level: number): void => {
    let bookmark = call.FPDFBookmark_GetFirstChild(document, parent);
    while (bookmark !== 0 && !seen.has(bookmark) && entries.length < MAX_OUTLINE) {
      seen.add(bookmark);
      const current = bookmark;
      const title = library.readString('utf-16le', (buffer, length) =>
        call.FPDFBookmark_GetTitle(current, buffer, length),
      );
      const destination = call.FPDFBookmark_GetDest(document, current);
      const page = destination === 0 ? -1 : call.FPDFDest_GetDestPageIndex(document, destination);
      entries.push({ title: title.replace(/\s+/gu, ' ').trim(), level, page: page + 1 });
      if (level < MAX_DEPTH) walk(current, level + 1);
      bookmark = call.FPDFBookmark_GetNextSibling(document, current);
    }
  };
  walk(0, 1);
  return entries;
}

/** The structure tree of one page of a tagged PDF, flattened. */
export function readStructure(library: Library, page: number): StructureElement[] {
  const { call } = library;
  const tree = call.FPDF_StructTree_GetForPage(page);
  if (tree === 0) return [];
  const elements: StructureElement[] = [];
  const walk = (element: number, depth: number): void => {
    if (element === 0 || depth > MAX_DEPTH || elements.length >= MAX_ELEMENTS) return;
    const type = library.readString('utf-16le', (buffer, length) =>
      call.FPDF_StructElement_GetType(element, buffer, length),
    );
    const alternativeText = library.readString('utf-16le', (buffer, length) =>
      call.FPDF_StructElement_GetAltText(element, buffer, length),
    );
    const marks: number[] = [];
    elements.push({ type, depth, marks, alternativeText });
    const count = Math.min(MAX_ELEMENTS, call.FPDF_StructElement_CountChildren(element));
    for (let index = 0; index < count; index += 1) {
      const mark = call.FPDF_StructElement_GetChildMarkedContentID(element, index);
      if (mark >= 0) marks.push(mark);
      else walk(call.FPDF_StructElement_GetChildAtIndex(element, index), depth + 1);
    }
  };
  try {
    const count = Math.min(MAX_ELEMENTS, call.FPDF_StructTree_CountChildren(tree));
    for (let index = 0; index < count; index += 1) walk(call.FPDF_StructTree_GetChildAtIndex(tree, index), 0);
  } finally {
    call.FPDF_StructTree_Close(tree);
  }
  return elements;
}
