import { rawCode } from '../markup/code-text.ts';
import { InlineText } from '../markup/inline-text.ts';
import { bareLatex, latexOf } from '../markup/math.ts';
import { children, rawText, type MarkupElement } from '../markup/node.ts';
import { writeFigure, writeSupplement, writeTableWrap } from './jats-floats.ts';
import { addInline, formulaParts, formulaText, inlineLine } from './jats-inline.ts';
import { writeList } from './jats-list.ts';
import { writeReferenceList } from './jats-references.ts';
import { headingLine, writeFlow, writeNote, type Walk } from './jats-walk.ts';

/** Writes one block-level element. */
export function writeBlock(walk: Walk, element: MarkupElement): void {
  switch (element.name) {
    case 'p':
      writeFlow(walk, element);
      return;
    case 'sec':
    case 'app':
    case 'glossary':
    case 'notes':
    case 'bio':
    case 'boxed-text':
    case 'question':
    case 'answer':
    case 'explanation':
      writeSection(walk, element);
      return;
    case 'ack':
      writeSection(walk, element, 'Acknowledgments');
      return;
    case 'list':
    case 'def-list':
      writeList(walk, element, 0);
      return;
    case 'disp-formula':
      walk.builder.formula(displayLatex(element, walk));
      return;
    case 'fig':
    case 'fig-group':
    case 'chem-struct-wrap':
    case 'chem-struct-wrapper':
    case 'graphic':
      writeFigure(walk, element);
      return;
    case 'table-wrap':
    case 'table-wrap-group':
    case 'table':
    case 'array':
      writeTableWrap(walk, element);
      return;
    case 'supplementary-material':
    case 'media':
      writeSupplement(walk, element);
      return;
    case 'code':
    case 'preformat':
      walk.builder.code(rawCode(rawText(element)), element.attributes['language']);
      return;
    case 'statement':
    case 'speech':
      writeLabelled(walk, element);
      return;
    case 'fn-group':
    case 'table-wrap-foot':
      writeNoteGroup(walk, element);
      return;
    case 'ref-list':
      writeReferenceList(walk, element);
      return;
    case 'verse-group':
      for (const line of children(element)) walk.builder.text(inlineLine(line, walk.inline));
      return;
    default:
      writeFlow(walk, element);
  }
}

/** A section: its heading one level below where the walk is, then its content. */
export function writeSection(walk: Walk, section: MarkupElement, untitled?: string): void {
  const heading = headingLine(walk, section) ?? (untitled === undefined ? undefined : { text: untitled, links: [] });
  if (heading) walk.builder.heading(heading, walk.level);
  const inner = heading ? { ...walk, level: walk.level + 1 } : walk;
  writeFlow(inner, {
    ...section,
    children: section.children.filter((node) => typeof node === 'string' || !HEADING_PARTS.has(node.name)),
  });
}

const HEADING_PARTS = new Set([
  'title',
  'label',
  'sec-meta',
  'caption',
  'object-id',
  'attrib',
  'permissions',
  'subtitle',
]);

/** A theorem or a speech: label, title or speaker open the first paragraph. */
function writeLabelled(walk: Walk, element: MarkupElement): void {
  const lead = new InlineText();
  for (const part of children(element, 'label', 'title', 'speaker')) {
    lead.space();
    for (const node of part.children) addInline(lead, node, walk.inline);
  }
  let prefix = lead.take().text;
  const rest = element.children.filter(
    (node) => typeof node === 'string' || !['label', 'title', 'speaker', 'object-id'].includes(node.name),
  );
  for (const node of rest) {
    if (typeof node === 'string') continue;
    if (node.name !== 'p' || prefix === '') {
      writeBlock(walk, node);
      continue;
    }
    const separated = /[.:]$/.test(prefix) ? `${prefix} ` : `${prefix}. `;
    writeFlow(walk, { ...node, children: [separated, ...node.children] });
    prefix = '';
  }
  if (prefix !== '') walk.builder.text({ text: prefix, links: [] });
}

function writeNoteGroup(walk: Walk, group: MarkupElement): void {
  // The title of a group of notes names the notes; it opens no section of the text.
  const heading = headingLine(walk, group);
  if (heading) walk.builder.text(heading);
  for (const part of children(group)) {
    if (part.name === 'fn') writeNote(walk, part);
    else if (part.name === 'fn-group') writeNoteGroup(walk, part);
    else if (part.name !== 'title' && part.name !== 'label') writeBlock(walk, part);
  }
}

/** LaTeX of a display formula, as its author wrote it where the file has that. */
function displayLatex(element: MarkupElement, walk: Walk): string {
  const { math, tex } = formulaParts(element);
  if (tex) return bareLatex(rawText(tex));
  if (math) return latexOf(math);
  return formulaText(element, walk.inline);
}
