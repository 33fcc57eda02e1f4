import { basename } from 'node:path';

import type { ParsedFile } from './convert.ts';
import { writeBlockLines } from './formats/block-lines.ts';
import { writeDoclingJson } from './formats/docling-json.ts';
import { writeDoctags } from './formats/doctags.ts';
import { writeHtmlPage } from './formats/html-page.ts';
import { writeMarkdown } from './formats/markdown.ts';
import { writeSidecar } from './formats/sidecar.ts';
import type { FileKind } from './markup/decode.ts';

export interface OutputChoice {
  readonly markdown?: boolean;
  readonly json?: boolean;
  readonly html?: boolean;
}

const MIME: Readonly<Record<FileKind, string>> = {
  pdf: 'application/pdf',
  html: 'text/html',
  jats: 'application/xml',
  tei: 'application/xml',
  xml: 'application/xml',
  unknown: 'application/octet-stream',
};

/** The endings of a document's files by what they are; `blocks`, which the chunk stage reads, is written last. */
export function outputEndings(choice: OutputChoice): Readonly<Record<string, string>> {
  return {
    doctags: '.doctags',
    ...(choice.markdown && { markdown: '.md' }),
    ...(choice.json && { json: '.json' }),
    ...(choice.html && { html: '.html' }),
    metadata: '.meta.json',
    blocks: '.jsonl',
  };
}

export function outputTexts(
  { document, kind, sha256, facts }: ParsedFile,
  { id, path }: { readonly id: string; readonly path: string },
): Readonly<Record<string, () => string>> {
  return {
    doctags: () => `${writeDoctags(document)}\n`,
    markdown: () => writeMarkdown(document),
    json: () => writeDoclingJson(document, { name: id, filename: basename(path), mimetype: MIME[kind] }),
    html: () => writeHtmlPage(document),
    metadata: () => writeSidecar(document, { path, sha256, kind }, facts),
    blocks: () => writeBlockLines(document),
  };
}
