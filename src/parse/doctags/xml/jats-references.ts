import { oneLine } from '../markup/characters.ts';
import type { Line } from '../markup/inline-text.ts';
import { child, children, findAll, rawText, type MarkupElement } from '../markup/node.ts';
import { headingLine, writeNote, type Walk } from './jats-walk.ts';
import { citationIds, citationText } from './jats-citation.ts';

const CITATIONS = ['mixed-citation', 'element-citation', 'nlm-citation', 'citation'] as const;

/** The reference list: a heading even where the file leaves it to the style sheet, then one block per entry. */
export function writeReferenceList(walk: Walk, list: MarkupElement): void {
  const heading = headingLine(walk, list);
  const entries = children(list, 'ref');
  if (heading) walk.builder.heading(heading, walk.level);
  else if (entries.length > 0) walk.builder.heading({ text: 'References', links: [] }, walk.level);
  for (const part of children(list)) {
    if (part.name === 'ref') writeReference(walk, part);
    else if (part.name === 'ref-list') writeReferenceList({ ...walk, level: walk.level + (heading ? 1 : 0) }, part);
    else if (part.name === 'fn') writeNote(walk, part);
    else if (part.name !== 'title' && part.name !== 'label') walk.block(walk, part);
  }
}

function writeReference(walk: Walk, reference: MarkupElement): void {
  const citations = citationsOf(reference);
  const label = oneLine(rawText(child(reference, 'label') ?? child(citations[0], 'label')))
    .replace(/^\[/, '')
    .replace(/(?<![\].)])[\].)]+$/, '');
  const texts = citations.map((citation) => citationText(withoutLabel(citation)));
  for (const note of children(reference, 'note', 'p')) texts.push(oneLine(rawText(note)));
  const text = texts.filter((part) => part !== '').join(' ');
  const ids = citations.map(citationIds);
  const doi = ids.map((id) => id.doi).find((id) => id !== undefined);
  const arxivId = ids.map((id) => id.arxivId).find((id) => id !== undefined);
  const line: Line = { text, links: linksIn(citations, text) };
  walk.builder.reference(line, {
    ...(label !== '' && { label }),
    ...(doi !== undefined && { doi }),
    ...(arxivId !== undefined && { arxivId }),
  });
}

/** Of alternatives the one that is set for reading; else every citation of the entry. */
function citationsOf(reference: MarkupElement): MarkupElement[] {
  const alternatives = child(reference, 'citation-alternatives');
  if (alternatives) {
    const chosen = CITATIONS.map((name) => child(alternatives, name)).find((citation) => citation !== undefined);
    if (chosen) return [chosen];
  }
  return children(reference, ...CITATIONS);
}

function withoutLabel(citation: MarkupElement): MarkupElement {
  if (!child(citation, 'label')) return citation;
  return {
    ...citation,
    children: citation.children.filter((node) => typeof node === 'string' || node.name !== 'label'),
  };
}

function linksIn(citations: readonly MarkupElement[], text: string): Line['links'] {
  const links: { start: number; end: number; url: string }[] = [];
  for (const citation of citations)
    for (const link of findAll(citation, (element) => element.name === 'ext-link' || element.name === 'uri')) {
      const shown = oneLine(rawText(link));
      const url = link.attributes['href'] ?? shown;
      const start = shown === '' ? -1 : text.indexOf(shown);
      if (start !== -1 && /^https?:\/\//i.test(url)) links.push({ start, end: start + shown.length, url });
    }
  return links;
}
