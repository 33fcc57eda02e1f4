import { plainText } from '../inline.ts';
import { SIMULATED } from '../paper.ts';
import type { Paper, Reference } from '../paper.ts';
import { element as tag, escapeXml } from './xml-text.ts';

/** The paper as TEI in GROBID's form: flat sections of paragraphs, references as biblStruct. */
export function renderTei(paper: Paper): string {
  const { spec } = paper;
  const body = paper.sections.map(({ number, title, blocks }) => {
    const paragraphs = blocks.filter((block) => block.kind === 'paragraph');
    const text = paragraphs.map(({ inlines }) => tag('p', {}, escapeXml(plainText(inlines))));
    return tag('div', {}, tag('head', { n: number }, escapeXml(title)) + text.join('\n'));
  });
  const title = tag('title', { level: 'a', type: 'main' }, escapeXml(spec.title));
  const authors = spec.authors.map(({ name }) => author(name)).join('');
  const doi = spec.doi ? tag('idno', { type: 'DOI' }, escapeXml(spec.doi)) : '';
  const source = tag('biblStruct', {}, tag('analytic', {}, authors + title) + doi);
  const file = tag('fileDesc', {}, tag('titleStmt', {}, title) + tag('sourceDesc', {}, source));
  const abstract = tag('abstract', {}, tag('div', {}, tag('p', {}, escapeXml(spec.abstract ?? ''))));
  const header = tag('teiHeader', { 'xml:lang': paper.language }, file + tag('profileDesc', {}, abstract));
  const references = tag('listBibl', {}, paper.references.map(bibliography).join('\n'));
  const text = tag('text', {}, `${tag('body', {}, body.join('\n'))}\n${tag('back', {}, references)}`);
  const tei = tag('TEI', { xmlns: 'http://www.tei-c.org/ns/1.0' }, `<!-- ${SIMULATED} -->\n${header}\n${text}`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tei}\n`;
}

function author(name: string): string {
  return tag('author', {}, tag('persName', {}, tag('surname', {}, escapeXml(name))));
}

function bibliography(entry: Reference): string {
  const title = tag('title', { level: 'a', type: 'main' }, escapeXml(entry.title));
  const doi = entry.doi ? tag('idno', { type: 'DOI' }, escapeXml(entry.doi)) : '';
  const date = tag('date', { type: 'published', when: entry.year }, String(entry.year));
  const journal = tag('title', { level: 'j' }, escapeXml(entry.journal)) + tag('imprint', {}, date);
  return tag(
    'biblStruct',
    { 'xml:id': `b${String(entry.number - 1)}` },
    tag('analytic', {}, title + entry.authors.map(author).join('') + doi) + tag('monogr', {}, journal),
  );
}
