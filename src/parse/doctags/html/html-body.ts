import { rawCode } from '../markup/code-text.ts';
import { InlineText } from '../markup/inline-text.ts';
import { bareLatex, latexOf } from '../markup/math.ts';
import { findAll, rawText, type MarkupElement, type MarkupNode } from '../markup/node.ts';
import { classMatches, hasClass } from './classes.ts';
import { isFurniture, linkShare } from './content.ts';
import { isFloat, writeFloat, writePicture, writeTable } from './html-floats.ts';
import { addInline, inlineLine, isNote } from './html-inline.ts';
import { writeList } from './html-list.ts';
import { isReferenceHeading, isReferenceList, writeReferences } from './html-references.ts';
import { isDisplayMath, writeFlow, writeNotes, type Walk } from './html-walk.ts';

/** Writes one block-level element. */
export function writeBlock(walk: Walk, element: MarkupElement): void {
  const { name } = element;
  if (/^h[1-6]$/.test(name)) writeHeading(walk, element, Number(name[1]));
  else if (isFormula(element)) writeFormula(walk, element);
  else if (isReferenceList(element, walk.state.inReferences)) writeReferences(walk, element);
  else if (isNoteBlock(element)) writeNoteBlock(walk, element);
  else if (name === 'pre' || hasClass(element, 'ltx_listing')) writeCode(walk, element);
  else if (isFloat(element)) writeFloat(walk, element);
  else if (name === 'img') writePicture(walk, element);
  else if (name === 'table') writeTable(walk, element);
  else if (name === 'ul' || name === 'ol' || name === 'dl') {
    if (walk.state.started || linkShare(element) < 0.7) writeList(walk, element, 0);
  } else if (name === 'p' && walk.boldHeadings && isBold(element)) writeHeading(walk, element, walk.baseLevel);
  else if (name === 'hr') return;
  else if (hasClass(element, 'ltx_authors')) writeAuthors(walk, element);
  else writeFlow(walk, element.children);
}

const OWN_LEVEL = /^ltx_title_(?:abstract|acknowledgements|bibliography|index|glossary)$/;
const RUN_IN = /^(?:ltx_runin|ltx_title_(?:theorem|proof|keywords|classification))$/;

function writeHeading(walk: Walk, element: MarkupElement, level: number): void {
  const line = inlineLine(element, walk.inline);
  if (classMatches(element, RUN_IN)) walk.state.lead = line.text;
  else if (line.text !== '') {
    walk.state.inReferences = isReferenceHeading(line.text);
    // Pages repeat the title for small screens.
    if (!walk.title || line.text !== walk.titleText)
      walk.builder.heading(line, classMatches(element, OWN_LEVEL) ? 1 : level - walk.baseLevel + 1);
  }
  writeNotes(walk);
}

/** A paragraph that is one short line in bold. */
function isBold(paragraph: MarkupElement): boolean {
  const shown = rawText(paragraph).trim();
  if (shown === '' || shown.length > 100 || /[.,;:]$/.test(shown)) return false;
  const bold = findAll(paragraph, (inner) => inner.name === 'b' || inner.name === 'strong');
  return (
    bold
      .map((inner) => rawText(inner))
      .join('')
      .replace(/\s/g, '') === shown.replace(/\s/g, '')
  );
}

function isFormula(element: MarkupElement): boolean {
  return isDisplayMath(element) || classMatches(element, /^ltx_(?:equation|equationgroup|eqn_table|eqn_div)$/);
}

/** The lines of a display are joined as rows; words between them (\intertext) interrupt it. */
function writeFormula(walk: Walk, element: MarkupElement): void {
  const rows = element.name === 'table' ? findAll(element, (inner) => inner.name === 'tr') : [];
  let lines: string[] = [];
  const flush = (): void => {
    if (lines.length > 0) walk.builder.formula(lines.join(' \\\\ '));
    lines = [];
  };
  for (const row of rows.length > 0 ? rows : [element]) {
    const latex = mathOf(row);
    if (latex !== '') lines.push(latex);
    else {
      const words = inlineLine(
        { ...row, children: row.children.filter((node) => !isEquationNumber(node)) },
        walk.inline,
      );
      if (words.text === '') continue;
      flush();
      walk.builder.text(words);
    }
  }
  flush();
  for (const note of findAll(element, isNote)) if (!walk.inline.notes.includes(note)) walk.inline.notes.push(note);
  writeNotes(walk);
}

function isEquationNumber(node: MarkupNode): boolean {
  return (
    typeof node !== 'string' &&
    classMatches(node, /^ltx_(?:eqn_eqno|tag_equation|eqn_center_padleft|eqn_center_padright)$/)
  );
}

function mathOf(element: MarkupElement): string {
  if (element.name === 'math') return latexOf(element);
  if (element.name === 'script') return bareLatex(rawText(element));
  return findAll(element, (inner) => inner.name === 'math' || inner.name === 'script')
    .map((inner) => (inner.name === 'math' ? latexOf(inner) : bareLatex(rawText(inner))))
    .filter((latex) => latex !== '')
    .join(' ');
}

function isNoteBlock(element: MarkupElement): boolean {
  const role = element.attributes['role'];
  if (role === 'doc-footnote' || role === 'doc-endnotes') return true;
  return classMatches(element, /^(?:footnotes?|endnotes?|fn|fn-group|foot-?notes?-list)$/i);
}

/** Notes at the end of a page: each item or paragraph is one. */
function writeNoteBlock(walk: Walk, element: MarkupElement): void {
  const items = findAll(
    element,
    (inner) => inner.name === 'li' || /^(?:fn|footnote)$/.test(inner.attributes['class'] ?? ''),
  );
  const notes = items.length > 0 ? items : [element];
  for (const heading of findAll(element, (inner) => /^h[1-6]$/.test(inner.name)))
    walk.builder.text(inlineLine(heading, walk.inline));
  for (const note of notes) {
    const text = new InlineText();
    for (const node of note.children)
      if (typeof node === 'string' || !/^h[1-6]$/.test(node.name)) addInline(text, node, walk.inline);
    const line = text.take();
    walk.builder.footnote({
      text: line.text.replace(/[↩↵⏎]\uFE0E?$/u, '').trimEnd(),
      links: line.links.filter((link) => link.end <= line.text.length - 2),
    });
  }
}

function writeCode(walk: Walk, element: MarkupElement): void {
  const lines = findAll(element, (inner) => hasClass(inner, 'ltx_listingline'));
  const text =
    lines.length > 0 ? lines.map((line) => codeText(line).replace(/\n/g, '').trimEnd()).join('\n') : codeText(element);
  walk.builder.code(rawCode(text), languageOf(element));
}

function codeText(node: MarkupNode): string {
  if (typeof node === 'string') return node;
  if (node.name === 'br') return '\n';
  if (isFurniture(node)) return '';
  return node.children.map(codeText).join('');
}

function languageOf(element: MarkupElement): string | undefined {
  const marked = [element, ...findAll(element, (inner) => inner.name === 'code')];
  for (const candidate of marked) {
    const found = /(?:^|\s)(?:language|lang|brush:|highlight|ltx_lst_language)[-_: ]+([\w+#]{1,20})/i.exec(
      candidate.attributes['class'] ?? '',
    );
    if (found?.[1]) return found[1];
    if (candidate.attributes['data-lang']) return candidate.attributes['data-lang'];
  }
  return undefined;
}

/** Authors as the page prints them, one block each. */
function writeAuthors(walk: Walk, element: MarkupElement): void {
  const authors = findAll(element, (inner) => hasClass(inner, 'ltx_creator'));
  const quiet = { ...walk.inline, notes: [] };
  for (const author of authors.length > 0 ? authors : [element]) walk.builder.text(inlineLine(author, quiet));
}
