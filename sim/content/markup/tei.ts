import { plainText } from '../inline.ts';
import { SIMULATED } from '../paper.ts';
import type { Paper, Reference } from '../paper.ts';
import { lines, markup } from './markup.ts';
import type { Markup } from './markup.ts';

/** The paper as TEI in GROBID's form: flat sections of paragraphs, references as biblStruct. */
export function renderTei(paper: Paper): string {
  const { spec } = paper;
  const sections = paper.sections.map(({ number, title, blocks }) => {
    const paragraphs = blocks.filter((block) => block.kind === 'paragraph');
    const text = paragraphs.map(({ inlines }) => markup`<p>${plainText(inlines)}</p>`);
    return markup`<div><head n="${number}">${title}</head>${lines(text)}</div>`;
  });
  const header = markup`
    <teiHeader xml:lang="${paper.language}">
    <fileDesc><titleStmt>${title(spec.title)}</titleStmt><sourceDesc><biblStruct>
    <analytic>${spec.authors.map(({ name }) => author(name))}${title(spec.title)}</analytic>${idno(spec.doi)}
    </biblStruct></sourceDesc></fileDesc>
    <profileDesc><abstract><div><p>${spec.abstract}</p></div></abstract></profileDesc></teiHeader>`;
  const text = lines([
    markup`<text><body>${lines(sections)}</body>`,
    markup`<back><listBibl>${lines(paper.references.map(bibliography))}</listBibl></back></text>`,
  ]);
  const tei = `<TEI xmlns="http://www.tei-c.org/ns/1.0"><!-- ${SIMULATED} -->\n${header.text}\n${text.text}</TEI>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tei}\n`;
}

const title = (text: string): Markup => markup`<title level="a" type="main">${text}</title>`;
const author = (name: string): Markup => markup`<author><persName><surname>${name}</surname></persName></author>`;
const idno = (doi: string | undefined): Markup | undefined =>
  doi ? markup`<idno type="DOI">${doi}</idno>` : undefined;

function bibliography(entry: Reference): Markup {
  return markup`
    <biblStruct xml:id="b${entry.number - 1}">
    <analytic>${title(entry.title)}${entry.authors.map(author)}${idno(entry.doi)}</analytic>
    <monogr><title level="j">${entry.journal}</title>
    <imprint><date type="published" when="${entry.year}">${entry.year}</date></imprint></monogr></biblStruct>`;
}
