import type { MarkupElement, MarkupNode } from '../markup/node.ts';
import { oneLine, superscript, child, children, findAll, rawText, lineText, named } from '../markup/node.ts';

/** A citation as a person would print it: as it is set, or, when only its parts are given, put together from them. */
export function citationText(citation: MarkupElement): string {
  if (citation.name === 'name' || citation.name === 'string-name') return nameText(citation);
  if (isSet(citation)) return setCitation(citation);
  return citation.name === 'mixed-citation' ? orderedCitation(citation) : builtCitation(citation);
}

/** Identifiers that the citation marks as such; a DOI as it is written, in either case. */
export function citationIds(citation: MarkupElement): { doi?: string; arxivId?: string; pmid?: string } {
  const ids: { doi?: string; arxivId?: string; pmid?: string } = {};
  for (const id of findAll(citation, named('pub-id'))) {
    const type = id.attributes['pub-id-type']?.toLowerCase();
    const text = lineText(id);
    if (type === 'doi') ids.doi ??= text.replace(/^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)/i, '');
    else if (type === 'arxiv') ids.arxivId ??= text.replace(/^arxiv:\s*/i, '').replace(/v\d+$/, '');
    else if (type === 'pmid') ids.pmid ??= text;
  }
  return ids;
}

/** True when the citation carries its own punctuation between the parts. */
function isSet(citation: MarkupElement): boolean {
  return (
    children(citation).length === 0 ||
    citation.children.some((node) => typeof node === 'string' && /[^\s]/.test(node)) ||
    children(citation).every(named('styled-content', 'italic', 'bold'))
  );
}

const NAMES = new Set(['name', 'string-name']);

function setCitation(citation: MarkupElement): string {
  const write = (node: MarkupNode): string => {
    if (typeof node === 'string') return node;
    if (node.name === 'object-id' || node.name === 'graphic') return '';
    if (NAMES.has(node.name)) return nameText(node);
    const text = node.children.map(write).join('');
    if (node.name === 'sup') return superscript(text) ?? text;
    return text;
  };
  let text = '';
  for (const node of citation.children) {
    const next = write(node);
    // Neighbouring parts without anything between them must not grow together.
    if (typeof node !== 'string' && /[\p{L}\p{N}.]$/u.test(text) && /^[\p{L}\p{N}]/u.test(next) && isPart(node))
      text += ' ';
    text += next;
  }
  return oneLine(text);
}

// What is between two parts of a reference when the file leaves the punctuation to the style sheet.
const BETWEEN: Readonly<Record<string, string>> = {
  'name name': ', ',
  'name collab': ', ',
  'collab name': ', ',
  'name etal': ', ',
  'year volume': ';',
  'volume fpage': ':',
  'volume elocation-id': ':',
  'volume issue': '(',
  'issue fpage': '):',
  'fpage lpage': '–',
};

/** A mixed citation has its parts in print order; only the full stops between them are missing. */
function orderedCitation(citation: MarkupElement): string {
  let text = '';
  let before = '';
  for (const part of children(citation)) {
    const people = part.name === 'person-group' ? children(part, 'name', 'string-name', 'collab', 'etal') : [part];
    for (const one of people) {
      const shown = NAMES.has(one.name)
        ? nameText(one)
        : one.name === 'etal'
          ? rawText(one).trim() || 'et al'
          : lineText(one);
      if (shown === '') continue;
      const name = one.name === 'string-name' ? 'name' : one.name;
      if (text !== '')
        text += BETWEEN[`${before} ${name}`] ?? (before === 'issue' ? '). ' : /[.?!]$/.test(text) ? ' ' : '. ');
      text += shown;
      before = name;
    }
  }
  return oneLine(before === 'issue' ? `${text})` : text);
}

function isPart(node: MarkupElement): boolean {
  return !['italic', 'bold', 'sup', 'sub', 'sc', 'styled-content', 'etal'].includes(node.name);
}

/** The parts of a person's name; empty where the file has none. */
export function nameParts(name: MarkupElement): Readonly<Record<'surname' | 'given' | 'suffix', string>> {
  const part = (of: string): string => lineText(child(name, of));
  return { surname: part('surname'), given: part('given-names'), suffix: part('suffix') };
}

function nameText(name: MarkupElement): string {
  const { surname, given, suffix } = nameParts(name);
  if (surname === '' && given === '') return lineText(name);
  if (name.name === 'string-name' && name.children.some((node) => typeof node === 'string' && node.trim() !== ''))
    return lineText(name);
  return [surname, given, suffix].filter((part) => part !== '').join(' ');
}

/** `Smith, J. A.`: given names as initials, whether the file spells them out, dots them or runs them together. */
function listedName(name: MarkupElement): string {
  if (!NAMES.has(name.name)) return lineText(name);
  const { surname, given, suffix } = nameParts(name);
  if (surname === '' || given === '') return nameText(name);
  return [`${surname}, ${initials(given)}`, suffix].filter((part) => part !== '').join(', ');
}

function initials(given: string): string {
  return given
    .split(/[\s.]+/)
    .filter((part) => part !== '')
    .map((part) =>
      /^\p{Lu}{2,4}$/u.test(part) ? Array.from(part, (letter) => `${letter}.`).join(' ') : hyphenated(part),
    )
    .join(' ');
}

/** `Jean-Paul` is J.-P. */
function hyphenated(part: string): string {
  return part
    .split('-')
    .filter((piece) => piece !== '')
    .map((piece) => `${Array.from(piece)[0] ?? ''}.`)
    .join('-');
}

function nameList(people: readonly MarkupElement[], others: boolean): string {
  const names = people.map(listedName).filter((name) => name !== '');
  if (others) return `${names.join(', ')}, et al.`;
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')}, & ${names.at(-1)}`;
}

function builtCitation(citation: MarkupElement): string {
  const all = (...names: string[]): MarkupElement[] => children(citation, ...names);
  const one = (...names: string[]): string => lineText(all(...names)[0]);
  const groups = all('person-group');
  const isEditors = (group: MarkupElement): boolean =>
    /editor|translator/.test(group.attributes['person-group-type'] ?? '');
  const peopleOf = (group: MarkupElement): MarkupElement[] =>
    children(group, 'name', 'string-name', 'collab', 'anonymous');
  const writers = [...groups.filter((group) => !isEditors(group)), citation];
  const authors = nameList(
    writers.flatMap(peopleOf),
    writers.some((group) => child(group, 'etal') !== undefined),
  );
  const editors = nameList(groups.filter(isEditors).flatMap(peopleOf), false);
  const year = one('year');
  const title = one('article-title', 'chapter-title', 'part-title', 'data-title', 'version');
  const source = one('source', 'conf-name', 'series');
  const volume = one('volume');
  const issue = one('issue');
  const first = one('fpage');
  const last = one('lpage');
  const pages =
    one('page-range') || (last !== '' && last !== first ? `${first}–${last}` : first) || one('elocation-id');
  const numbers = [volume === '' ? issue : issue === '' ? volume : `${volume}(${issue})`, pages].filter(
    (part) => part !== '',
  );
  const where = [source, ...numbers].filter((part) => part !== '').join(', ');
  const publisher = [one('publisher-loc'), one('publisher-name')].filter((part) => part !== '').join(': ');
  const { doi, pmid } = citationIds(citation);
  const otherIds = all('pub-id')
    .filter((id) => !['doi', 'pmid'].includes(id.attributes['pub-id-type'] ?? ''))
    .map(lineText);
  const link = doi === undefined ? all('uri', 'ext-link').map(lineText)[0] : `https://doi.org/${doi}`;
  const sentences = [
    authors,
    year === '' ? '' : `(${year})`,
    title,
    editors === '' ? '' : `In ${editors} (Eds.)`,
    where,
    one('edition') === '' ? '' : `${one('edition')} ed`,
    one('conf-loc'),
    publisher,
    ...all('comment', 'note', 'annotation').map(lineText),
    ...otherIds,
    link ?? '',
    // A DOI is the better name for the same thing.
    pmid === undefined || doi !== undefined ? '' : `PMID ${pmid}`,
  ].filter((part) => part !== '');
  return sentences
    .map((sentence, index) => joinSentence(sentence, sentences[index + 1]))
    .join('')
    .trim();
}

function joinSentence(sentence: string, next: string | undefined): string {
  if (next === undefined) return sentence;
  if (next.startsWith('(')) return `${sentence} `;
  return /[.?!,]$/.test(sentence) || /^https?:/.test(sentence) ? `${sentence} ` : `${sentence}. `;
}
