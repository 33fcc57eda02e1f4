import { AppError } from '../../../base/index.ts';
import type { ParsedDocument } from '../../document.ts';
import { oneLine } from '../markup/characters.ts';
import { isoDate, statedArxivId } from '../markup/imprint.ts';
import {
  child,
  children,
  findAll,
  findFirst,
  path,
  rawText,
  type MarkupElement,
  type MarkupNode,
} from '../markup/node.ts';
import { readJats } from './jats.ts';

/** Reads a TEI document, as GROBID writes it or by hand: its elements are renamed to those of JATS, and read as such. */
export function readTei(root: MarkupElement): ParsedDocument {
  const header = child(root, 'teiHeader');
  const text = child(root, 'text');
  if (!header && !text) throw new AppError('PARSE_UNSUPPORTED', `the XML is a <${root.name}> without header and text`);
  const language =
    path(header, 'profileDesc', 'langUsage', 'language')?.attributes['ident'] ??
    text?.attributes['lang'] ??
    header?.attributes['lang'];
  const body = children(text, 'front', 'body', 'group').flatMap((part) => divisions(part.children.flatMap(toJats)));
  const article = element('article', [
    front(header, text),
    element('body', body),
    element(
      'back',
      children(text, 'back').flatMap((back) => children(back).flatMap(backPart)),
    ),
  ]);
  return readJats({ ...article, attributes: language === undefined ? {} : { lang: language } });
}

const NOTHING: MarkupElement = { name: '', attributes: {}, children: [] };

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

function front(header: MarkupElement | undefined, text: MarkupElement | undefined): MarkupElement {
  const file = child(header, 'fileDesc');
  const source = path(file, 'sourceDesc', 'biblStruct');
  const monograph = child(source, 'monogr');
  const imprint = child(monograph, 'imprint');
  const publicationDate = child(imprint, 'date');
  const date = isoDate(publicationDate?.attributes['when'] ?? oneLine(rawText(publicationDate)))?.split('-') ?? [];
  const ids = findAll(header ?? NOTHING, ({ name }) => name === 'idno');
  const idsOf = (type: string): string[] =>
    ids.filter(({ attributes }) => attributes['type']?.toLowerCase() === type).map((id) => oneLine(rawText(id)));
  const title = titleOf(file);
  const abstract = path(header, 'profileDesc', 'abstract');
  const isInText =
    text && findFirst(text, ({ name, attributes }) => name === 'div' && attributes['type'] === 'abstract');
  const keywords = findAll(header ?? NOTHING, ({ name }) => name === 'keywords')
    .flatMap((group) => findAll(group, ({ name }) => name === 'term' || name === 'item'))
    .flatMap((term) => field('kwd', oneLine(rawText(term))));
  const journal = [
    ...field('journal-title', oneLine(rawText(child(monograph, 'title')))),
    element('publisher', field('publisher-name', oneLine(rawText(child(imprint, 'publisher'))))),
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
      findAll(source ?? child(file, 'titleStmt') ?? NOTHING, ({ name }) => name === 'author').map((author) =>
        element('contrib', [personName(author)]),
      ),
    ),
    element('pub-date', [...field('year', date[0]), ...field('month', date[1]), ...field('day', date[2])]),
    ...numbering(imprint),
    ...(abstract && !isInText && rawText(abstract).trim() !== ''
      ? [element('abstract', abstract.children.flatMap(toJats))]
      : []),
    element('kwd-group', keywords),
  ];
  return element('front', [element('journal-meta', journal), element('article-meta', meta)]);
}

function titleOf(file: MarkupElement | undefined): MarkupElement | undefined {
  const titles = [
    ...children(child(file, 'titleStmt'), 'title'),
    ...findAll(child(file, 'sourceDesc') ?? NOTHING, ({ name }) => name === 'title'),
  ].filter((title) => rawText(title).trim() !== '');
  return titles.find((title) => title.attributes['type'] === 'main' || title.attributes['level'] === 'a') ?? titles[0];
}

function personName(person: MarkupElement): MarkupElement {
  const name = child(person, 'persName') ?? person;
  const surname = oneLine(rawText(child(name, 'surname')));
  const given = children(name, 'forename').map((part) => oneLine(rawText(part)));
  if (surname === '' && given.length === 0)
    return element('collab', [oneLine(rawText(child(person, 'persName', 'orgName', 'name') ?? person))]);
  return element('name', [...field('surname', surname), ...field('given-names', given.join(' '))]);
}

/** Volume, issue and pages. */
function numbering(imprint: MarkupElement | undefined): MarkupElement[] {
  return children(imprint, 'biblScope').flatMap((scope) => {
    const unit = scope.attributes['unit'] ?? scope.attributes['type'] ?? '';
    if (unit === 'volume' || unit === 'issue') return field(unit, oneLine(rawText(scope)));
    if (unit !== 'page' && unit !== 'pp') return [];
    const { from = oneLine(rawText(scope)), to } = scope.attributes;
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
  const lists = part.name === 'listBibl' ? [part] : findAll(part, ({ name }) => name === 'listBibl');
  const heading = BACK_HEADINGS[part.attributes['type'] ?? ''];
  const hasHead = findFirst(part, ({ name }) => name === 'head') !== undefined;
  if (lists.length > 0)
    return [
      element('ref-list', [...children(part, 'head').flatMap(toJats), ...lists.flatMap((list) => references(list))]),
    ];
  if (heading === undefined || hasHead || rawText(part).trim() === '') return toJats(part);
  return [element('sec', [element('title', [heading]), ...toJats(part)])];
}

function references(list: MarkupElement): MarkupElement[] {
  return children(list, 'biblStruct', 'bibl', 'biblFull').map((entry) =>
    // GROBID numbers entries b0, b1 …: the label it was printed with is not among them.
    element('ref', [...field('label', entry.attributes['n']), citation(entry)]),
  );
}

/** One entry of the bibliography: as it was printed where the file has that, else by its parts. */
function citation(entry: MarkupElement): MarkupElement {
  const ids = findAll(entry, ({ name }) => name === 'idno').flatMap(toJats);
  const printed = children(entry, 'note').find(({ attributes }) => attributes['type'] === 'raw_reference');
  if (printed) return element('mixed-citation', [...printed.children.flatMap(toJats), ...ids]);
  if (entry.name === 'bibl' && entry.children.some((node) => typeof node === 'string' && /\w/.test(node)))
    return element('mixed-citation', entry.children.flatMap(toJats));
  const analytic = child(entry, 'analytic');
  const monograph = child(entry, 'monogr') ?? entry;
  const imprint = child(monograph, 'imprint') ?? monograph;
  const date = child(imprint, 'date');
  const authors = [analytic, monograph].map((holder) => children(holder, 'author'));
  const titleIn = (holder: MarkupElement | undefined): string =>
    oneLine(rawText(children(holder, 'title').find((title) => rawText(title).trim() !== '')));
  return element('element-citation', [
    ...(authors.find((people) => people.length > 0) ?? []).map(personName),
    ...field('year', (date?.attributes['when'] ?? oneLine(rawText(date))).slice(0, 4)),
    ...field('article-title', titleIn(analytic)),
    ...field('source', titleIn(monograph)),
    ...numbering(imprint),
    ...field('publisher-name', oneLine(rawText(child(imprint, 'publisher')))),
    ...ids.flatMap((id) => (typeof id === 'string' ? [] : children(id))),
    ...findAll(entry, ({ name }) => name === 'ptr' || name === 'ref').flatMap(({ attributes }) =>
      field('uri', attributes['target']),
    ),
    ...children(entry, 'note').flatMap((note) => field('comment', oneLine(rawText(note)))),
  ]);
}

/** Elements that only change their names. */
const RENAMED: Readonly<Record<string, string>> = {
  ab: 'p',
  quote: 'p',
  q: 'p',
  lb: 'break',
  l: 'verse-line',
  ...Object.fromEntries(
    'div div1 div2 div3 div4 lg sp floatingText body front back group text titlePage argument epigraph'
      .split(' ')
      .map((name) => [name, 'sec']),
  ),
};
const SILENT = new Set(['pb', 'cb', 'graphic', 'milestone', 'fw']);

/** A node of TEI as nodes of JATS. */
function toJats(node: MarkupNode): MarkupNode[] {
  if (typeof node === 'string') return [node];
  const { name, attributes } = node;
  if (SILENT.has(name)) return [];
  const inner = (): MarkupNode[] => node.children.flatMap(toJats);
  switch (name) {
    case 'head': {
      // GROBID keeps the number of a section beside its title.
      const number = attributes['n'] ?? '';
      return [element('title', [rawText(node).trim().startsWith(number) ? '' : `${number} `, ...inner()], attributes)];
    }
    case 's':
      return [' ', ...inner(), ' '];
    case 'list':
      return [listOf(node)];
    case 'table':
    case 'figure':
      return [floatOf(node)];
    case 'formula':
      return [formulaOf(node)];
    case 'code':
    case 'eg':
      return [element(rawText(node).includes('\n') ? 'code' : name, inner(), { language: attributes['lang'] ?? '' })];
    case 'note':
      return (attributes['place'] ?? 'inline') === 'inline'
        ? inner()
        : [element('fn', [...field('label', attributes['n']), element('p', inner())])];
    case 'idno': {
      const type = attributes['type']?.toLowerCase() ?? '';
      const text = oneLine(rawText(node))
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
    default: {
      const renamed = RENAMED[name] ?? name;
      return [element(renamed, renamed === 'sec' ? divisions(inner()) : inner(), attributes)];
    }
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
  const ordered = /^(?:ordered|numbered)/.test(list.attributes['type'] ?? list.attributes['rend'] ?? '');
  let lead: MarkupNode[] = [];
  const parts = children(list).flatMap((part): MarkupNode[] => {
    const inner = part.children.flatMap(toJats);
    if (part.name === 'head') return [element('title', inner)];
    if (part.name === 'label') lead = [...inner, ' '];
    if (part.name !== 'item') return [];
    const item = element('list-item', [...field('label', part.attributes['n']), ...lead, ...inner]);
    lead = [];
    return [item];
  });
  return element('list', parts, { 'list-type': ordered ? 'order' : 'bullet' });
}

/** A table or a figure; with `type="table"` a figure is the frame of a table. */
function floatOf(float: MarkupElement): MarkupElement {
  const table = float.name === 'table' ? float : findFirst(float, ({ name }) => name === 'table');
  const words = children(float, 'head', 'figDesc', 'p').flatMap((part) => [...part.children.flatMap(toJats), ' ']);
  const label = words.length > 0 ? [] : children(float, 'label').map(rawText);
  const notes = children(float, 'note').map((note) => element('fn', [element('p', note.children.flatMap(toJats))]));
  const caption = element('caption', [...words, ...label, ...notes]);
  if (!table && float.attributes['type'] !== 'table') return element('fig', [caption]);
  return element('table-wrap', [caption, table ? tableOf(table) : element('graphic', [])]);
}

/** Rows and cells carry spans as `rows` and `cols`, and say by `role` whether they are heads. */
function tableOf(table: MarkupElement): MarkupElement {
  const rows = children(table, 'row').map((row) => ({
    isHead: row.attributes['role'] === 'label',
    row: element(
      'tr',
      children(row, 'cell').map(({ attributes, children: parts }) =>
        element(attributes['role'] === 'label' ? 'th' : 'td', parts.flatMap(toJats), {
          colspan: attributes['cols'] ?? '1',
          rowspan: attributes['rows'] ?? '1',
        }),
      ),
    ),
  }));
  return element('table', [
    element(
      'thead',
      rows.filter(({ isHead }) => isHead).map(({ row }) => row),
    ),
    element(
      'tbody',
      rows.filter(({ isHead }) => !isHead).map(({ row }) => row),
    ),
  ]);
}

function formulaOf(formula: MarkupElement): MarkupElement {
  const isDisplayed = formula.attributes['rend'] === 'display' || formula.attributes['id'] !== undefined;
  const math = child(formula, 'math');
  const source = formula.children.filter((node) => typeof node === 'string' || node.name !== 'label').map(rawText);
  const isTex = isDisplayed || formula.attributes['notation']?.toLowerCase() === 'tex';
  return element(isDisplayed ? 'disp-formula' : 'inline-formula', [
    math ?? (isTex ? element('tex-math', [source.join('')]) : source.join('')),
  ]);
}
