import type { Metadata, ParsedDocument } from '../../document.ts';
import { DocumentBuilder } from '../markup/document-builder.ts';
import { findAll, findFirst, rawText, type MarkupElement } from '../markup/node.ts';
import { classMatches, hasClass } from './classes.ts';
import { articleRoot, isFurniture } from './content.ts';
import { writeBlock } from './html-body.ts';
import { inlineLine, type InlineContext } from './html-inline.ts';
import { referenceLabels } from './html-references.ts';
import { writeFlow, writeNotes, type Walk } from './html-walk.ts';
import { pageMetadata, pageTitle } from './metadata.ts';

/** Writes a fragment of HTML that is inside another document (some JATS files carry their text so). */
export function writeFragment(builder: DocumentBuilder, fragment: MarkupElement): void {
  const walk: Walk = {
    builder,
    inline: { notes: [], labels: new Map() },
    title: undefined,
    titleText: '',
    ...headingsOf(fragment, undefined),
    state: { inReferences: false, lead: '', started: true },
    block: writeBlock,
  };
  writeFlow(walk, fragment.children);
}

/** Reads the article of a publisher's or LaTeXML page. */
export function readHtml(document: MarkupElement): ParsedDocument {
  const root = articleRoot(document);
  const meta = pageMetadata(document);
  const title = titleElement(root, meta.title) ?? (meta.title === undefined ? titleElement(document) : undefined);
  const inline: InlineContext = { notes: [], labels: referenceLabels(root) };
  const titleText = title ? inlineLine(title, inline).text : (meta.title ?? '');
  const walk: Walk = {
    builder: new DocumentBuilder(),
    inline,
    title,
    titleText,
    ...headingsOf(root, title),
    state: { inReferences: false, lead: '', started: false },
    block: writeBlock,
  };
  if (titleText !== '') walk.builder.title({ text: titleText, links: [] });
  writeNotes(walk);
  writeFlow(walk, root.children);
  // A page of links only is what it is.
  if (!walk.builder.blocks.some((block) => block.kind !== 'title'))
    writeFlow({ ...walk, state: { ...walk.state, started: true } }, root.children);
  const shown = meta.title ?? (titleText === '' ? pageTitle(document) : titleText);
  return walk.builder.document({
    ...meta,
    ...(shown !== '' && { title: shown }),
    ...abstractOf(walk, meta),
    needsOcr: [],
    quality: { unmappedGlyphs: 0, columns: 1, confidence: confidenceOf(walk, root) },
  });
}

/** The heading that names the page: LaTeXML says which, elsewhere it is the h1 that the head knows, or the first. */
function titleElement(root: MarkupElement, known?: string): MarkupElement | undefined {
  const latexml = findFirst(root, (element) => hasClass(element, 'ltx_title_document'));
  if (latexml) return latexml;
  const headings = findAll(root, (element) => element.name === 'h1' || isFurniture(element)).filter(
    (element) => element.name === 'h1' && !isFurniture(element) && rawText(element).trim() !== '',
  );
  const start = letters(known ?? '').slice(0, 40);
  return headings.find((heading) => start !== '' && letters(rawText(heading)).startsWith(start)) ?? headings[0];
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Sections of the first level are those with the largest heading besides the title. */
function headingsOf(root: MarkupElement, title: MarkupElement | undefined): Pick<Walk, 'baseLevel' | 'boldHeadings'> {
  let smallest = 7;
  const headings = findAll(root, (element) => /^h[1-6]$/.test(element.name) || isFurniture(element));
  for (const heading of headings) {
    if (
      heading === title ||
      isFurniture(heading) ||
      (title && rawText(heading).trim() === rawText(title).trim()) ||
      classMatches(heading, /^ltx_title_(?:abstract|theorem|proof|keywords|acknowledgements)$|^ltx_runin$/)
    )
      continue;
    smallest = Math.min(smallest, Number(heading.name[1]));
  }
  return { baseLevel: smallest === 7 ? 1 : smallest, boldHeadings: smallest === 7 };
}

/** The abstract of the page's text, where its head has none. */
function abstractOf(walk: Walk, meta: Pick<Metadata, 'abstract'>): Pick<Metadata, 'abstract'> {
  if (meta.abstract !== undefined) return {};
  const { blocks } = walk.builder;
  const at = blocks.findIndex((block) => block.kind === 'heading' && /^abstract\.?$/i.test(block.text));
  if (at === -1) return {};
  const texts: string[] = [];
  for (const block of blocks.slice(at + 1)) {
    if (block.kind !== 'text') break;
    texts.push(block.text);
  }
  return texts.length === 0 ? {} : { abstract: texts.join(' ') };
}

/** A page that holds a paper has sections and some thousand words; an abstract, a login or an error page has not. */
function confidenceOf(walk: Walk, root: MarkupElement): number {
  const { blocks } = walk.builder;
  const words = blocks.reduce((sum, block) => sum + (block.kind === 'text' ? block.text.split(' ').length : 0), 0);
  const sections = blocks.filter((block) => block.kind === 'heading').length;
  const structure = hasClass(root, 'ltx_document') || root.name === 'article' || root.name === 'main' ? 1 : 0.9;
  return Number((Math.min(1, words / 1_500) * Math.min(1, (sections + 1) / 4) * structure).toFixed(2));
}
