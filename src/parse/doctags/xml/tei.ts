import { AppError } from '../../../base/index.ts';
import type { Metadata, ParsedDocument } from '../../document.ts';
import { oneLine } from '../markup/characters.ts';
import { DocumentBuilder } from '../markup/document-builder.ts';
import { normalizeDoi } from '../markup/identifiers.ts';
import { imprintOf, isoDate, pageRange, statedArxivId, type Stated } from '../markup/imprint.ts';
import type { InlineMath } from '../markup/math.ts';
import { child, children, findAll, findFirst, path, rawText, type MarkupElement } from '../markup/node.ts';
import { writeTeiDivision } from './tei-body.ts';
import { teiName, writeTeiReference } from './tei-citation.ts';
import { teiLine, type TeiWalk } from './tei-inline.ts';

/** Reads a TEI document, as GROBID writes it or by hand. */
export function readTei(root: MarkupElement, options: { readonly inlineMath?: InlineMath } = {}): ParsedDocument {
  const header = child(root, 'teiHeader');
  const text = child(root, 'text');
  if (!header && !text) throw new AppError('PARSE_UNSUPPORTED', `the XML is a <${root.name}> without header and text`);
  const walk: TeiWalk = {
    builder: new DocumentBuilder(),
    inlineMath: options.inlineMath ?? 'text',
    notes: [],
    level: 1,
  };
  const metadata = teiMetadata(header, text, walk);
  writeFront(walk, header, text, metadata);
  for (const part of children(text, 'front', 'body', 'group')) writeTeiDivision(walk, part);
  for (const back of children(text, 'back')) writeBack(walk, back);
  return walk.builder.document(metadata);
}

function writeFront(
  walk: TeiWalk,
  header: MarkupElement | undefined,
  text: MarkupElement | undefined,
  metadata: Metadata,
): void {
  const title = titleOf(header);
  if (title) walk.builder.title(teiLine(title, walk));
  else if (metadata.title !== undefined) walk.builder.title({ text: metadata.title, links: [] });
  if (metadata.authors.length > 0) walk.builder.text({ text: metadata.authors.join(', '), links: [] });
  const abstract = path(header, 'profileDesc', 'abstract');
  const inText =
    text && findFirst(text, (element) => element.name === 'div' && element.attributes['type'] === 'abstract');
  if (abstract && !inText && rawText(abstract).trim() !== '') {
    walk.builder.heading({ text: 'Abstract', links: [] }, 1);
    writeTeiDivision({ ...walk, level: 2 }, abstract);
  }
  const words = findAll(header ?? { name: '', attributes: {}, children: [] }, (element) => element.name === 'keywords')
    .flatMap((group) => findAll(group, (element) => element.name === 'term' || element.name === 'item'))
    .map((term) => oneLine(rawText(term)))
    .filter((term) => term !== '');
  if (words.length > 0) walk.builder.text({ text: `Keywords: ${words.join(', ')}`, links: [] });
}

function titleOf(header: MarkupElement | undefined): MarkupElement | undefined {
  const titles = [
    ...children(path(header, 'fileDesc', 'titleStmt'), 'title'),
    ...findAll(
      path(header, 'fileDesc', 'sourceDesc') ?? { name: '', attributes: {}, children: [] },
      (element) => element.name === 'title',
    ),
  ].filter((title) => rawText(title).trim() !== '');
  return titles.find((title) => title.attributes['type'] === 'main' || title.attributes['level'] === 'a') ?? titles[0];
}

function teiMetadata(header: MarkupElement | undefined, text: MarkupElement | undefined, walk: TeiWalk): Metadata {
  const source = path(header, 'fileDesc', 'sourceDesc', 'biblStruct') ?? path(header, 'fileDesc', 'titleStmt');
  const authors = source ? findAll(source, (element) => element.name === 'author').map(teiName) : [];
  const doi = findAll(header ?? { name: '', attributes: {}, children: [] }, (element) => element.name === 'idno')
    .filter((id) => id.attributes['type']?.toUpperCase() === 'DOI')
    .map((id) => normalizeDoi(rawText(id)))
    .find((id) => id !== undefined);
  const title = titleOf(header);
  const titleText = title ? teiLine(title, walk).text : '';
  const abstract = path(header, 'profileDesc', 'abstract');
  const abstractText = abstract ? teiLine(abstract, walk).text : '';
  walk.notes.splice(0);
  const language =
    path(header, 'profileDesc', 'langUsage', 'language')?.attributes['ident'] ??
    text?.attributes['lang'] ??
    header?.attributes['lang'];
  return {
    ...(titleText !== '' && { title: titleText }),
    authors: authors.filter((name) => name !== ''),
    ...(abstractText !== '' && { abstract: abstractText }),
    ...(doi !== undefined && { doi }),
    ...imprintOf(statedImprint(header)),
    ...(language !== undefined && language !== '' && { language: language.toLowerCase() }),
    needsOcr: [],
    quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 },
  };
}

/** Where and when the header says that the paper appeared. */
function statedImprint(header: MarkupElement | undefined): Stated {
  const source = path(header, 'fileDesc', 'sourceDesc', 'biblStruct');
  const monograph = child(source, 'monogr');
  const imprint = child(monograph, 'imprint');
  const scope = (unit: string): string | undefined => {
    const found = children(imprint, 'biblScope').find(
      ({ attributes }) => (attributes['unit'] ?? attributes['type']) === unit,
    );
    return found && (pageRange(found.attributes['from'], found.attributes['to']) ?? oneLine(rawText(found)));
  };
  const id = (type: string): string | undefined =>
    findAll(source ?? { name: '', attributes: {}, children: [] }, (element) => element.name === 'idno')
      .filter(({ attributes }) => attributes['type']?.toUpperCase() === type)
      .map((each) => oneLine(rawText(each)))[0];
  const date = child(imprint, 'date');
  const [issn, eIssn] = [id('ISSN'), id('EISSN')];
  return {
    arxivId: statedArxivId(id('ARXIV')),
    pmid: id('PMID'),
    pmcid: id('PMCID'),
    date: isoDate(date?.attributes['when'] ?? oneLine(rawText(date))),
    venue: oneLine(rawText(child(monograph, 'title'))),
    publisher: oneLine(rawText(child(imprint, 'publisher'))),
    issn: [issn, eIssn].filter((each) => each !== undefined),
    volume: scope('volume'),
    issue: scope('issue'),
    pages: scope('page'),
  };
}

const BACK_HEADINGS: Readonly<Record<string, string>> = {
  acknowledgement: 'Acknowledgements',
  acknowledgements: 'Acknowledgements',
  annex: 'Appendix',
  availability: 'Data availability',
  conflict: 'Competing interests',
  contribution: 'Author contributions',
  funding: 'Funding',
};

function writeBack(walk: TeiWalk, back: MarkupElement): void {
  for (const part of children(back)) {
    const lists = part.name === 'listBibl' ? [part] : findAll(part, (element) => element.name === 'listBibl');
    if (lists.length > 0) {
      walk.builder.heading({ text: oneLine(rawText(child(part, 'head'))) || 'References', links: [] }, 1);
      for (const list of lists)
        for (const entry of children(list, 'biblStruct', 'bibl', 'biblFull')) writeTeiReference(walk, entry);
      continue;
    }
    const before = walk.builder.next;
    const untitled = BACK_HEADINGS[part.attributes['type'] ?? ''];
    const hasHead =
      findFirst(part, (element) => element.name === 'head' && rawText(element).trim() !== '') !== undefined;
    if (untitled !== undefined && !hasHead && rawText(part).trim() !== '')
      walk.builder.heading({ text: untitled, links: [] }, 1);
    writeTeiDivision(walk.builder.next > before ? { ...walk, level: 2 } : walk, part);
  }
}
