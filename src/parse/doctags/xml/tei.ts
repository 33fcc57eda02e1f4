import { AppError } from '../../../base/index.ts';
import type { ParsedDocument } from '../../document.ts';
import type { MarkupElement, MarkupNode } from '../markup/node.ts';
import { child, children, findAll, findFirst, path, rawText, without, lineText, named } from '../markup/node.ts';
import { isoDate, statedArxivId } from '../markup/imprint.ts';
import { readJats } from './jats.ts';

/** Reads TEI as GROBID writes it: its elements are renamed to those of JATS, and read as such. */
export function readTei(root: MarkupElement): ParsedDocument {
  const header = child(root, 'teiHeader');
  const text = child(root, 'text');
  if (!header && !text) throw new AppError('PARSE_UNSUPPORTED', `the XML is a <${root.name}> without header and text`);
  const language = text?.attributes['lang'] ?? header?.attributes['lang'];
  const article = element('article', [
    front(header),
    element('body', divisions(children(text, 'front', 'body').flatMap((part) => part.children.flatMap(toJats)))),
    element('back', children(child(text, 'back')).flatMap(backPart)),
  ]);
  return readJats({ ...article, attributes: language === undefined ? {} : { lang: language } });
}

function element(
  name: string,
  parts: readonly MarkupNode[],
  attributes: MarkupElement['attributes'] = {},
): MarkupElement {
  return { name, attributes, children: parts };
}

/** An element that holds a text, or nothing where the text is empty. */
function field(name: string, text: string | undefined, attributes: MarkupElement['attributes'] = {}): MarkupElement[] {
  return text === undefined || text === '' ? [] : [element(name, [text], attributes)];
}

function front(header: MarkupElement | undefined): MarkupElement {
  const file = child(header, 'fileDesc');
  const source = path(file, 'sourceDesc', 'biblStruct');
  const monograph = child(source, 'monogr');
  const imprint = child(monograph, 'imprint');
  const publicationDate = child(imprint, 'date');
  const date = isoDate(publicationDate?.attributes['when'] ?? lineText(publicationDate))?.split('-') ?? [];
  const ids = findAll(header, named('idno'));
  const idsOf = (type: string): string[] =>
    ids.filter(({ attributes }) => attributes['type']?.toLowerCase() === type).map(lineText);
  const title = path(file, 'titleStmt', 'title');
  const abstract = path(header, 'profileDesc', 'abstract');
  const keywords = findAll(header, named('term')).flatMap((term) => field('kwd', lineText(term)));
  const journal = [
    ...field('journal-title', lineText(child(monograph, 'title'))),
    element('publisher', field('publisher-name', lineText(child(imprint, 'publisher')))),
    ...[...idsOf('issn'), ...idsOf('eissn')].flatMap((issn) => field('issn', issn)),
  ];
  const meta = [
    ...(['doi', 'pmid', 'pmcid'] as const).flatMap((type) =>
      field('article-id', idsOf(type)[0], { 'pub-id-type': type }),
    ),
    ...field('article-id', statedArxivId(idsOf('arxiv')[0]), { 'pub-id-type': 'arxiv' }),
    ...(title ? [element('title-group', [element('article-title', title.children.flatMap(toJats))])] : []),
    element(
      'contrib-group',
      findAll(source ?? child(file, 'titleStmt'), named('author')).map((author) =>
        element('contrib', [personName(author)]),
      ),
    ),
    element('pub-date', [...field('year', date[0]), ...field('month', date[1]), ...field('day', date[2])]),
    ...numbering(imprint),
    ...(rawText(abstract).trim() === '' ? [] : [element('abstract', abstract?.children.flatMap(toJats) ?? [])]),
    element('kwd-group', keywords),
  ];
  return element('front', [element('journal-meta', journal), element('article-meta', meta)]);
}

function personName(person: MarkupElement): MarkupElement {
  const name = child(person, 'persName') ?? person;
  const surname = lineText(child(name, 'surname'));
  const given = children(name, 'forename').map(lineText);
  if (surname === '' && given.length === 0)
    return element('collab', [lineText(child(person, 'persName', 'orgName', 'name') ?? person)]);
  return element('name', [...field('surname', surname), ...field('given-names', given.join(' '))]);
}

function numbering(imprint: MarkupElement | undefined): MarkupElement[] {
  return children(imprint, 'biblScope').flatMap((scope) => {
    const unit = scope.attributes['unit'] ?? scope.attributes['type'] ?? '';
    if (unit === 'volume' || unit === 'issue') return field(unit, lineText(scope));
    if (unit !== 'page' && unit !== 'pp') return [];
    const { from = lineText(scope), to } = scope.attributes;
    return [...field('fpage', from), ...field('lpage', to)];
  });
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

function backPart(part: MarkupElement): MarkupNode[] {
  const lists = part.name === 'listBibl' ? [part] : findAll(part, named('listBibl'));
  const heading = BACK_HEADINGS[part.attributes['type'] ?? ''];
  const hasHead = findFirst(part, named('head')) !== undefined;
  if (lists.length > 0)
    return [
      element('ref-list', [...children(part, 'head').flatMap(toJats), ...lists.flatMap((list) => references(list))]),
    ];
  if (heading === undefined || hasHead || rawText(part).trim() === '') return toJats(part);
  return [element('sec', [element('title', [heading]), ...toJats(part)])];
}

function references(list: MarkupElement): MarkupElement[] {
  return children(list, 'biblStruct', 'bibl').map((entry) => {
    const cited = entry.name === 'bibl' ? element('mixed-citation', entry.children.flatMap(toJats)) : citation(entry);
    // The printed label is in `n`; GROBID's own ids (b0, b1 …) are not printed anywhere.
    return element('ref', [...field('label', entry.attributes['n']), cited]);
  });
}

/** One entry of the bibliography: as printed if the file has that, else by its parts. */
function citation(entry: MarkupElement): MarkupElement {
  const ids = findAll(entry, named('idno')).flatMap(toJats);
  const printed = children(entry, 'note').find(({ attributes }) => attributes['type'] === 'raw_reference');
  if (printed) return element('mixed-citation', [...printed.children.flatMap(toJats), ...ids]);
  const analytic = child(entry, 'analytic');
  const monograph = child(entry, 'monogr') ?? entry;
  const imprint = child(monograph, 'imprint') ?? monograph;
  const date = child(imprint, 'date');
  const authors = [analytic, monograph].map((holder) => children(holder, 'author'));
  const titleIn = (holder: MarkupElement | undefined): string =>
    lineText(children(holder, 'title').find((title) => rawText(title).trim() !== ''));
  return element('element-citation', [
    ...(authors.find((people) => people.length > 0) ?? []).map(personName),
    ...field('year', (date?.attributes['when'] ?? lineText(date)).slice(0, 4)),
    ...field('article-title', titleIn(analytic)),
    ...field('source', titleIn(monograph)),
    ...numbering(imprint),
    ...field('publisher-name', lineText(child(imprint, 'publisher'))),
    ...ids.flatMap((id) => (typeof id === 'string' ? [] : children(id))),
    ...findAll(entry, named('ptr', 'ref')).flatMap(({ attributes }) => field('uri', attributes['target'])),
    ...children(entry, 'note').flatMap((note) => field('comment', lineText(note))),
  ]);
}

function toJats(node: MarkupNode): MarkupNode[] {
  if (typeof node === 'string') return [node];
  const { name, attributes } = node;
  const inner = (): MarkupNode[] => node.children.flatMap(toJats);
  switch (name) {
    case 'head': {
      // GROBID keeps the number of a section beside its title.
      const number = attributes['n'] ?? '';
      return [element('title', [rawText(node).trim().startsWith(number) ? '' : `${number} `, ...inner()], attributes)];
    }
    case 's':
    case 'l':
      return [' ', ...inner(), ' '];
    case 'lg':
    case 'quote':
    case 'ab':
      return [element('disp-quote', [element('p', inner())])];
    case 'list':
      return [listOf(node)];
    case 'table':
    case 'figure':
      return [floatOf(node)];
    case 'formula':
      return [formulaOf(node)];
    case 'note':
      return (attributes['place'] ?? 'inline') === 'inline'
        ? inner()
        : [element('fn', [...field('label', attributes['n']), element('p', inner())])];
    case 'idno': {
      const type = attributes['type']?.toLowerCase() ?? '';
      const text = lineText(node)
        .replace(/\[[^[\]]*\]$/, '')
        .trimEnd();
      return [element('object-id', [element('pub-id', [text], { 'pub-id-type': type })])];
    }
    case 'hi':
      return [element(/super/.test(attributes['rend'] ?? '') ? 'sup' : name, inner())];
    case 'ref':
    case 'ptr':
      return [element('ext-link', inner(), { href: attributes['target'] ?? '' })];
    case 'listBibl':
      return [element('ref-list', references(node))];
    case 'div':
      return [element('sec', divisions(inner()), attributes)];
    case 'lb':
      return [' '];
    case 'graphic':
      return [];
    default:
      return [element(name, inner(), attributes)];
  }
}

/** GROBID writes sections of all levels beside each other: by their numbers, each is put into the one it belongs to. */
function divisions(nodes: readonly MarkupNode[]): MarkupNode[] {
  const result: MarkupNode[] = [];
  const open: { readonly number: string; readonly children: MarkupNode[] }[] = [];
  for (const node of nodes) {
    const number = typeof node === 'string' ? undefined : child(node, 'title')?.attributes['n']?.replace(/\.$/, '');
    if (typeof node === 'string' || number === undefined) {
      result.push(node);
      if (typeof node !== 'string') open.length = 0;
      continue;
    }
    open.length = open.findLastIndex((outer) => number.startsWith(`${outer.number}.`)) + 1;
    const parts = [...node.children];
    (open.at(-1)?.children ?? result).push({ ...node, children: parts });
    open.push({ number, children: parts });
  }
  return result;
}

function listOf(list: MarkupElement): MarkupElement {
  let term: MarkupNode[] = [];
  const items = children(list, 'label', 'item').flatMap((part) => {
    const words = part.children.flatMap(toJats);
    if (part.name === 'item') return [element('list-item', [...term.splice(0), ...words])];
    term = [...words, ': '];
    return [];
  });
  return element('list', items, { 'list-type': list.attributes['type'] === 'ordered' ? 'order' : 'bullet' });
}

/** A table or a figure; with `type="table"` a figure is the frame of a table. */
function floatOf(float: MarkupElement): MarkupElement {
  const table = float.name === 'table' ? float : findFirst(float, named('table'));
  const words = children(float, 'head', 'figDesc', 'p').flatMap((part) => [...part.children.flatMap(toJats), ' ']);
  const label = words.length > 0 ? [] : children(float, 'label').map(rawText);
  const notes = children(float, 'note').map((note) => element('fn', [element('p', note.children.flatMap(toJats))]));
  const caption = element('caption', [...words, ...label, ...notes]);
  if (!table && float.attributes['type'] !== 'table') return element('fig', [caption]);
  return element('table-wrap', [caption, table ? tableOf(table) : element('graphic', [])]);
}

/** Rows and cells carry spans as `rows` and `cols`, and say by `role` whether they are heads. */
function tableOf(table: MarkupElement): MarkupElement {
  const rows = children(table, 'row').map((row) => {
    const cells = children(row, 'cell').map(({ attributes, children: parts }) =>
      element('td', parts.flatMap(toJats), { colspan: attributes['cols'] ?? '1', rowspan: attributes['rows'] ?? '1' }),
    );
    return element(row.attributes['role'] === 'label' ? 'thead' : 'tbody', [element('tr', cells)]);
  });
  return element('table', rows);
}

function formulaOf(formula: MarkupElement): MarkupElement {
  const { id, notation } = formula.attributes;
  const source = rawText(without(formula, 'label'));
  const isTex = id !== undefined || notation?.toLowerCase() === 'tex';
  return element(id === undefined ? 'inline-formula' : 'disp-formula', [
    child(formula, 'math') ?? (isTex ? element('tex-math', [source]) : source),
  ]);
}
