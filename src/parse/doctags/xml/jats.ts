import { AppError } from '../../../base/index.ts';
import type { ParsedDocument } from '../../document.ts';
import { writeFragment } from '../html/html.ts';
import { parseHtml } from '../html/tree.ts';
import { DocumentBuilder } from '../markup/document-builder.ts';
import { child, children, findFirst, path, rawText, type MarkupElement } from '../markup/node.ts';
import { writeBlock } from './jats-body.ts';
import { frontMetadata, writeFront } from './jats-front.ts';
import { writeFlow, type Walk } from './jats-walk.ts';

/** Reads a JATS (or NLM) article. Reviews, letters and replies printed with it are not it. */
export function readJats(root: MarkupElement): ParsedDocument {
  const article = articleOf(root);
  if (!article) throw new AppError('PARSE_UNSUPPORTED', `the XML is a <${root.name}>, not a JATS article`);
  const walk: Walk = {
    builder: new DocumentBuilder(),
    inline: { notes: [] },
    level: 1,
    block: writeBlock,
  };
  const metadata = frontMetadata(article, walk);
  walk.inline.notes.splice(0);
  writeArticle(walk, article);
  return walk.builder.document(metadata);
}

/** The article itself, or the first one inside an envelope (OAI-PMH, an article set). */
function articleOf(root: MarkupElement): MarkupElement | undefined {
  const isArticle = (element: MarkupElement): boolean =>
    element.name === 'article' && child(element, 'front', 'body', 'back', 'front-stub') !== undefined;
  return isArticle(root) ? root : findFirst(root, isArticle);
}

function writeArticle(walk: Walk, article: MarkupElement): void {
  const meta = path(article, 'front', 'article-meta') ?? child(article, 'front-stub') ?? child(article, 'front');
  writeFront(walk, meta);
  for (const body of children(article, 'body')) writeBody(walk, body);
  for (const floats of children(article, 'floats-group', 'floats-wrap')) writeFlow(walk, floats);
  for (const back of children(article, 'back')) for (const part of children(back)) writeBack(walk, part);
}

/** Some archives put the text as escaped HTML into the body. */
function writeBody(walk: Walk, body: MarkupElement): void {
  const text = children(body).length === 0 ? rawText(body) : '';
  if (/<(?:p|div|font|b|h[1-6])[\s>]/i.test(text)) writeFragment(walk.builder, parseHtml(Buffer.from(text)));
  else writeFlow(walk, body);
}

function writeBack(walk: Walk, part: MarkupElement): void {
  if (part.name === 'title' || part.name === 'label') return;
  writeBlock(walk, part);
}
