import { AppError } from '../../../base/index.ts';
import type { ParsedDocument } from '../../document.ts';
import { writeFragment } from '../html/html.ts';
import { parseHtml } from '../html/tree.ts';
import { DocumentBuilder } from '../markup/document-builder.ts';
import type { InlineMath } from '../markup/math.ts';
import { child, children, findFirst, path, rawText, type MarkupElement } from '../markup/node.ts';
import { writeBlock } from './jats-body.ts';
import { frontMetadata, writeFront } from './jats-front.ts';
import { writeFlow, type Walk } from './jats-walk.ts';

export interface JatsOptions {
  readonly inlineMath?: InlineMath;
  /** Also read what hangs on a figure but is published beside the paper only: figure supplements, source data. */
  readonly figureSupplements?: boolean;
  /** Also read what is printed with the article but is not it: reviews, decision letters, replies, translations. */
  readonly subArticles?: boolean;
}

/** Reads a JATS (or NLM) article. */
export function readJats(root: MarkupElement, options: JatsOptions = {}): ParsedDocument {
  const article = articleOf(root);
  if (!article) throw new AppError('PARSE_UNSUPPORTED', `the XML is a <${root.name}>, not a JATS article`);
  const walk: Walk = {
    builder: new DocumentBuilder(),
    inline: { inlineMath: options.inlineMath ?? 'text', notes: [] },
    level: 1,
    figureSupplements: options.figureSupplements ?? false,
    block: writeBlock,
  };
  const metadata = frontMetadata(article, walk);
  walk.inline.notes.splice(0);
  writeArticle(walk, article, true);
  if (options.subArticles) writeSubArticles(walk, article);
  return walk.builder.document(metadata);
}

/** The article itself, or the first one inside an envelope (OAI-PMH, an article set). */
function articleOf(root: MarkupElement): MarkupElement | undefined {
  const isArticle = (element: MarkupElement): boolean =>
    element.name === 'article' && child(element, 'front', 'body', 'back', 'front-stub') !== undefined;
  return isArticle(root) ? root : findFirst(root, isArticle);
}

function writeArticle(walk: Walk, article: MarkupElement, isMain: boolean): void {
  const meta = path(article, 'front', 'article-meta') ?? child(article, 'front-stub') ?? child(article, 'front');
  writeFront(walk, meta, isMain);
  for (const body of children(article, 'body')) writeBody(walk, body);
  for (const floats of children(article, 'floats-group', 'floats-wrap')) writeFlow(walk, floats);
  for (const back of children(article, 'back')) for (const part of children(back)) writeBack(walk, part);
}

/** Some archives put the text as escaped HTML into the body. */
function writeBody(walk: Walk, body: MarkupElement): void {
  const text = children(body).length === 0 ? rawText(body) : '';
  if (/<(?:p|div|font|b|h[1-6])[\s>]/i.test(text))
    writeFragment(walk.builder, parseHtml(Buffer.from(text)), walk.inline);
  else writeFlow(walk, body);
}

function writeBack(walk: Walk, part: MarkupElement): void {
  if (part.name === 'title' || part.name === 'label') return;
  writeBlock(walk, part);
}

function writeSubArticles(walk: Walk, article: MarkupElement): void {
  for (const part of children(article, 'sub-article', 'response')) {
    writeArticle(walk, part, false);
    writeSubArticles(walk, part);
  }
}
