import type { Line } from '../markup/inline-text.ts';
import { InlineText } from '../markup/inline-text.ts';
import { child, children, type MarkupElement } from '../markup/node.ts';
import { isBlock, writeFlow, type Walk } from './jats-walk.ts';
import { addInline, inlineLine } from './jats-inline.ts';

/** Writes a list, or a list of definitions, with everything nested in its items. */
export function writeList(walk: Walk, list: MarkupElement, depth: number, parent?: number): void {
  const title = child(list, 'title');
  if (title) walk.builder.text(inlineLine(title, walk.inline));
  if (list.name === 'def-list') {
    writeDefinitions(walk, list, depth, parent);
    return;
  }
  const type = list.attributes['list-type'] ?? 'bullet';
  const ordered = !/^(?:bullet|simple|unordered|none)$/i.test(type);
  children(list, 'list-item').forEach((item, index) => {
    const label = inlineLine(child(item, 'label'), walk.inline).text;
    const marker = label === '' && ordered ? `${index + 1}.` : label;
    writeItem(walk, item, {
      ordered: ordered || /\w/.test(label),
      depth,
      marker,
      ...(parent !== undefined && { parent }),
    });
  });
}

interface Item {
  readonly ordered: boolean;
  readonly depth: number;
  readonly marker: string;
  readonly parent?: number;
}

/** The paragraphs of an item up to its first nested block are its text; what follows belongs to it. */
function writeItem(walk: Walk, item: MarkupElement, description: Item): void {
  const text = new InlineText();
  let order: number | undefined;
  const emit = (line: Line): void => {
    if (line.text === '') return;
    if (order === undefined) order = walk.builder.listItem(line, description);
    else walk.builder.text(line, { parent: order });
  };
  const visit = (element: MarkupElement): void => {
    for (const node of element.children) {
      if (typeof node === 'string' || !isBlock(node)) {
        if (typeof node === 'string' || (node.name !== 'label' && node.name !== 'title'))
          addInline(text, node, walk.inline);
        continue;
      }
      if (node.name === 'p') {
        text.space();
        visit(node);
        text.space();
        continue;
      }
      emit(text.take());
      if (node.name === 'list' || node.name === 'def-list') writeList(walk, node, description.depth + 1, order);
      else walk.block(walk, node);
    }
  };
  visit(item);
  emit(text.take());
}

function writeDefinitions(walk: Walk, list: MarkupElement, depth: number, parent: number | undefined): void {
  for (const item of children(list, 'def-item')) {
    const term = inlineLine(child(item, 'term'), walk.inline).text;
    let lead = term === '' || /[:.;,]$/.test(term) ? term : `${term}:`;
    let order: number | undefined;
    for (const definition of children(item, 'def'))
      writeFlow(walk, { ...definition, children: joinParagraphs(definition) }, (line) => {
        if (order === undefined) {
          const combined = lead === '' ? line : { text: `${lead} ${line.text}`, links: shift(line, lead.length + 1) };
          order = walk.builder.listItem(combined, { ordered: false, depth, ...(parent !== undefined && { parent }) });
          lead = '';
        } else walk.builder.text(line, { parent: order });
      });
    if (lead !== '') walk.builder.listItem({ text: term, links: [] }, { ordered: false, depth });
  }
  for (const nested of children(list, 'def-list')) writeDefinitions(walk, nested, depth + 1, parent);
}

function joinParagraphs(element: MarkupElement): MarkupElement['children'] {
  return element.children.flatMap((node) =>
    typeof node !== 'string' && node.name === 'p' ? [' ', ...node.children, ' '] : [node],
  );
}

function shift(line: Line, by: number): Line['links'] {
  return line.links.map((link) => ({ ...link, start: link.start + by, end: link.end + by }));
}
