export type { Block, Box, Cell, Link, Metadata, Page, ParsedDocument, Region, Table } from './document.ts';
export * from './doctags/index.ts';
export type { DrawnPage, PagesAsked } from './doctags/draw-pages.ts';
export type { PdfGlance } from './doctags/inspect.ts';
export { PdfInspector } from './doctags/inspector.ts';
export * from './chunk/index.ts';
export * from './embed/index.ts';
export type { FileFormat } from './files/open.ts';
export * from './terms/index.ts';
