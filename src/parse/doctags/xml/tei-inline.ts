import { superscript } from '../markup/characters.ts';
import type { DocumentBuilder } from '../markup/document-builder.ts';
import { InlineText, type Line } from '../markup/inline-text.ts';
import { bareLatex, inlineMath, type InlineMath } from '../markup/math.ts';
import { child, rawText, type MarkupElement, type MarkupNode } from '../markup/node.ts';

/** Where the walk through a TEI file is. */
export interface TeiWalk {
  readonly builder: DocumentBuilder;
  readonly inlineMath: InlineMath;
  /** Notes set inside the text, to be printed after the paragraph. */
  readonly notes: MarkupElement[];
  readonly level: number;
}

const SPACED = new Set(['p', 'lb', 'head', 'item', 'cell', 'row', 'ab', 'l', 'div', 'figDesc', 'label', 's']);
const SILENT = new Set(['pb', 'cb', 'graphic', 'milestone', 'fw', 'idno']);

/** The text of an element as one line. */
export function teiLine(element: MarkupElement | undefined, walk: TeiWalk): Line {
  const text = new InlineText();
  if (element) for (const node of element.children) addTeiInline(text, node, walk);
  return text.take();
}

/** Adds one inline node to a line. */
export function addTeiInline(text: InlineText, node: MarkupNode, walk: TeiWalk): void {
  if (typeof node === 'string') {
    text.add(node);
    return;
  }
  if (SILENT.has(node.name)) return;
  const inner = (): void => {
    for (const part of node.children) addTeiInline(text, part, walk);
  };
  if (node.name === 'formula') {
    const math = child(node, 'math');
    const source = rawText(node);
    text.add(
      math
        ? inlineMath(math, walk.inlineMath)
        : node.attributes['notation']?.toLowerCase() === 'tex'
          ? bareLatex(source)
          : source,
    );
  } else if (node.name === 'note' && node.attributes['place'] !== undefined && node.attributes['place'] !== 'inline')
    walk.notes.push(node);
  else if (node.name === 'hi' && /super/.test(node.attributes['rend'] ?? '')) {
    const raised = rawText(node).trim();
    text.add((/[\p{L}\p{N})\]]/u.test(text.lastCharacter) ? superscript(raised) : undefined) ?? raised);
  } else if ((node.name === 'ref' || node.name === 'ptr') && /^https?:\/\/\S+$/i.test(node.attributes['target'] ?? ''))
    text.link(node.attributes['target'] ?? '', inner);
  else if (SPACED.has(node.name)) {
    text.space();
    inner();
    text.space();
  } else inner();
}
