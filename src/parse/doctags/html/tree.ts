import { defaultTreeAdapter, parse, type DefaultTreeAdapterMap } from 'parse5';

import { AppError } from '../../../base/index.ts';
import { decodeMarkup, HTML_LIMITS, type MarkupLimits } from '../markup/decode.ts';
import type { MarkupElement, MarkupNode } from '../markup/node.ts';

type ChildNode = DefaultTreeAdapterMap['childNode'];

/** Parses HTML as a browser does, bounded in size, depth and the number of elements that repair can make of it. */
export function parseHtml(bytes: Uint8Array, limits: MarkupLimits = HTML_LIMITS): MarkupElement {
  if (bytes.length > limits.maxBytes)
    throw new AppError('PARSE_TOO_LARGE', `the HTML has ${bytes.length} bytes, more than ${limits.maxBytes}`, {
      hint: 'raise parse.max_file_mb to accept it',
    });
  let depth = 0;
  let nodes = 0;
  const document = parse(decodeMarkup(bytes), {
    sourceCodeLocationInfo: false,
    scriptingEnabled: false,
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement: (name, namespace, attributes) => {
        nodes += 1;
        if (nodes > limits.maxNodes)
          throw new AppError('PARSE_TOO_LARGE', `the HTML has more than ${limits.maxNodes} elements`);
        if (attributes.length > limits.maxAttributes) attributes.length = limits.maxAttributes;
        return defaultTreeAdapter.createElement(name, namespace, attributes);
      },
      // Looking for an open element walks the stack, so an endless nest would take quadratic time.
      onItemPush: () => {
        depth += 1;
        if (depth > limits.maxDepth)
          throw new AppError('PARSE_TOO_DEEP', `the HTML is nested deeper than ${limits.maxDepth} elements`);
      },
      onItemPop: () => {
        depth -= 1;
      },
    },
  });
  return { name: '', attributes: {}, children: convert(document.childNodes, limits.maxDepth * 2) };
}

const DROPPED = new Set('style noscript iframe object embed canvas audio video svg template'.split(' '));

function convert(nodes: readonly ChildNode[], depthLeft: number): MarkupNode[] {
  if (depthLeft === 0) throw new AppError('PARSE_TOO_DEEP', 'the HTML is nested too deeply after repair');
  const converted: MarkupNode[] = [];
  for (const node of nodes) {
    if ('value' in node) converted.push(node.value);
    else if ('tagName' in node && !DROPPED.has(node.tagName)) {
      const attributes = Object.create(null) as Record<string, string>;
      for (const { name, value } of node.attrs) attributes[name] = value;
      // Scripts are kept only where they hold TeX.
      if (node.tagName === 'script' && !attributes['type']?.startsWith('math/tex')) continue;
      converted.push({ name: node.tagName, attributes, children: convert(node.childNodes, depthLeft - 1) });
    }
  }
  return converted;
}
