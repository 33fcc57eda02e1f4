import { oneLine } from '../markup/characters.ts';
import { normalizeDoi } from '../markup/identifiers.ts';
import { child, children, findAll, rawText, type MarkupElement } from '../markup/node.ts';
import { teiLine, type TeiWalk } from './tei-inline.ts';

/** A person's name as `Given Surname`. */
export function teiName(person: MarkupElement): string {
  const name = child(person, 'persName') ?? person;
  const parts = [
    ...children(name, 'forename').map((part) => oneLine(rawText(part))),
    oneLine(rawText(child(name, 'surname'))),
  ];
  const joined = parts.filter((part) => part !== '').join(' ');
  return joined === '' ? oneLine(rawText(child(person, 'persName', 'orgName', 'name') ?? person)) : joined;
}

/** One entry of the bibliography: as it was printed where the file has that, else put together from its parts. */
export function writeTeiReference(walk: TeiWalk, entry: MarkupElement): void {
  const printed = children(entry, 'note').find((note) => note.attributes['type'] === 'raw_reference');
  const text = printed
    ? teiLine(printed, walk).text
    : entry.name === 'bibl' && entry.children.some((node) => typeof node === 'string' && /\w/.test(node))
      ? teiLine(entry, walk).text
      : structuredText(entry);
  const ids = findAll(entry, (element) => element.name === 'idno');
  const id = (type: string): string | undefined => {
    const found = ids.find((candidate) => candidate.attributes['type']?.toLowerCase() === type);
    return found ? oneLine(rawText(found)) : undefined;
  };
  const doi = normalizeDoi(id('doi') ?? '');
  const arxivId = id('arxiv')
    ?.replace(/^arxiv:\s*/i, '')
    .replace(/\[[^[\]]*\]$/, '')
    .trimEnd()
    .replace(/v\d+$/, '');
  // GROBID numbers entries b0, b1 …: the label it was printed with is not among them.
  const label = entry.attributes['n'];
  walk.builder.reference(
    { text, links: [] },
    {
      ...(label !== undefined && { label }),
      ...(doi !== undefined && { doi }),
      ...(arxivId !== undefined && arxivId !== '' && { arxivId }),
    },
  );
  walk.notes.splice(0);
}

function structuredText(entry: MarkupElement): string {
  const analytic = child(entry, 'analytic');
  const monograph = child(entry, 'monogr') ?? entry;
  const imprint = child(monograph, 'imprint') ?? monograph;
  const titleIn = (holder: MarkupElement | undefined): string =>
    oneLine(rawText(children(holder, 'title').find((title) => rawText(title).trim() !== '')));
  const peopleIn = (holder: MarkupElement | undefined, role: string): string =>
    children(holder, role)
      .map(teiName)
      .filter((name) => name !== '')
      .join(', ');
  const scope = (unit: string): string => {
    const found = children(imprint, 'biblScope').find(
      (part) => (part.attributes['unit'] ?? part.attributes['type']) === unit,
    );
    if (!found) return '';
    const { from, to } = found.attributes;
    return from === undefined ? oneLine(rawText(found)) : to === undefined || to === from ? from : `${from}–${to}`;
  };
  const date = child(imprint, 'date');
  const year = (date?.attributes['when'] ?? oneLine(rawText(date))).slice(0, 4);
  const [volume, issue] = [scope('volume'), scope('issue')];
  const where = [titleIn(monograph), issue === '' ? volume : `${volume}(${issue})`, scope('page') || scope('pp')];
  const ids = findAll(entry, (element) => element.name === 'idno').map((id) => oneLine(rawText(id)));
  const address = findAll(entry, (element) => element.name === 'ptr' || element.name === 'ref').map(
    (ref) => ref.attributes['target'] ?? '',
  );
  return [
    peopleIn(analytic, 'author') || peopleIn(monograph, 'author'),
    year === '' ? '' : `(${year})`,
    titleIn(analytic),
    where.filter((part) => part !== '').join(', '),
    oneLine(rawText(child(imprint, 'publisher'))),
    ...ids,
    ...address,
    ...children(entry, 'note').map((note) => oneLine(rawText(note))),
  ]
    .filter((part) => part !== '')
    .map((part) => (/[.?!)]$/.test(part) ? part : `${part}.`))
    .join(' ')
    .replace(/\.$/, '');
}
