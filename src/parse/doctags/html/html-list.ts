import { InlineText, type Line } from '../markup/inline-text.ts';
import { children, rawText, type MarkupElement } from '../markup/node.ts';
import { oneLine } from '../markup/characters.ts';
import { hasClass } from './classes.ts';
import { isFurniture } from './content.ts';
import { isBlock, writeNotes, type Walk } from './html-walk.ts';
import { addInline } from './html-inline.ts';

/** Writes a list with everything nested in its items. */
export function writeList(walk: Walk, list: MarkupElement, depth: number, parent?: number): void {
  if (list.name === 'dl') {
    writeDefinitions(walk, list, depth, parent);
    return;
  }
  const ordered = list.name === 'ol';
  let number = Number.parseInt(list.attributes['start'] ?? '1', 10) || 1;
  let last = parent;
  for (const part of children(list)) {
    if (part.name !== 'li') {
      // A list directly inside a list is how many pages nest them.
      if (part.name === 'ul' || part.name === 'ol') writeList(walk, part, depth + 1, last);
      continue;
    }
    if (isFurniture(part)) continue;
    const tag = children(part).find((inner) => hasClass(inner, 'ltx_tag'));
    const marker = tag ? oneLine(rawText(tag)) : ordered ? `${number}.` : undefined;
    number += 1;
    last =
      writeItem(walk, part, {
        ordered: ordered || (marker !== undefined && /[\p{L}\p{N}]/u.test(marker)),
        depth,
        ...(marker !== undefined && { marker }),
        ...(parent !== undefined && { parent }),
      }) ?? parent;
  }
}

interface Item {
  readonly ordered: boolean;
  readonly depth: number;
  readonly marker?: string;
  readonly parent?: number;
}

/** The paragraphs of an item up to its first nested block are its text; what follows belongs to it. */
function writeItem(walk: Walk, item: MarkupElement, description: Item, lead = ''): number | undefined {
  const text = new InlineText();
  text.add(lead);
  let order: number | undefined;
  const emit = (line: Line): void => {
    if (line.text === '') return;
    if (order === undefined) order = walk.builder.listItem(line, description);
    else walk.builder.text(line, { parent: order });
  };
  const visit = (element: MarkupElement): void => {
    for (const node of element.children) {
      if (typeof node === 'string') text.add(node);
      else if (isFurniture(node) || hasClass(node, 'ltx_tag_item')) continue;
      else if (!isBlock(node)) addInline(text, node, walk.inline);
      else if (node.name === 'p' || node.name === 'div' || node.name === 'section' || node.name === 'header') {
        text.space();
        visit(node);
        text.space();
      } else {
        emit(text.take());
        if (node.name === 'ul' || node.name === 'ol' || node.name === 'dl')
          writeList(walk, node, description.depth + 1, order);
        else walk.block(walk, node);
      }
    }
  };
  visit(item);
  emit(text.take());
  writeNotes(walk);
  return order;
}

/** Terms open the definition that follows them; pages may wrap the pairs. */
function writeDefinitions(walk: Walk, list: MarkupElement, depth: number, parent: number | undefined): void {
  let term = '';
  const item: Item = { ordered: false, depth, ...(parent !== undefined && { parent }) };
  const flush = (): void => {
    if (term !== '') walk.builder.listItem({ text: term, links: [] }, item);
    term = '';
  };
  const visit = (element: MarkupElement): void => {
    for (const part of children(element)) {
      if (part.name === 'dt') {
        flush();
        const text = new InlineText();
        for (const node of part.children) addInline(text, node, walk.inline);
        term = text.take().text;
      } else if (part.name === 'dd') {
        const lead = term === '' || /[:.;,?!]$/.test(term) ? term : `${term}:`;
        term = '';
        writeItem(walk, part, item, lead === '' ? '' : `${lead} `);
      } else visit(part);
    }
  };
  visit(list);
  flush();
}
