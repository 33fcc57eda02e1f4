import { basename } from 'node:path';

import type { ParsedDocument } from '../document.ts';
import { writeBlockLines } from './formats/block-lines.ts';
import { writeDoclingJson } from './formats/docling-json.ts';
import { writeDoctags } from './formats/doctags.ts';
import { writeHtmlPage } from './formats/html-page.ts';
import { writeMarkdown } from './formats/markdown.ts';
import type { ParseFacts } from './formats/sidecar.ts';
import { writeSidecar } from './formats/sidecar.ts';
import type { FileKind } from './markup/decode.ts';

/** Which outputs are wanted besides the blocks, the DocTags and the metadata. */
export interface OutputChoice {
  readonly markdown?: boolean;
  readonly json?: boolean;
  readonly html?: boolean;
}

/** One output file of a document; its text is made lazily. */
export interface OutputText {
  readonly name: string;
  readonly ending: string;
  readonly text: () => string;
}

const MIME: Readonly<Record<FileKind, string>> = {
  pdf: 'application/pdf',
  html: 'text/html',
  jats: 'application/xml',
  tei: 'application/xml',
  xml: 'application/xml',
  unknown: 'application/octet-stream',
};

/** The endings of a document's files by what they are; `blocks` is what the chunk stage reads. */
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

/** What is written for a document, the block file last. */
export function outputTexts(
  parsed: {
    readonly document: ParsedDocument;
    readonly kind: FileKind;
    readonly sha256: string;
    readonly facts: ParseFacts;
  },
  options: OutputChoice & { readonly id: string; readonly path: string },
): OutputText[] {
  const { document, kind } = parsed;
  const { id, path } = options;
  const texts: Readonly<Record<string, () => string>> = {
    doctags: () => `${writeDoctags(document)}\n`,
    markdown: () => writeMarkdown(document),
    json: () => writeDoclingJson(document, { name: id, filename: basename(path), mimetype: MIME[kind] }),
    html: () => writeHtmlPage(document),
    metadata: () => writeSidecar(document, { path, sha256: parsed.sha256, kind }, parsed.facts),
    blocks: () => writeBlockLines(document),
  };
  return Object.entries(outputEndings(options)).map(([name, ending]) => ({
    name,
    ending,
    text: texts[name] ?? (() => ''),
  }));
}
