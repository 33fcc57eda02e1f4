import { SaxesParser } from 'saxes';
import { AppError } from '../../../base/index.ts';
import type { MarkupLimits } from '../markup/decode.ts';
import { decodeMarkup, XML_LIMITS } from '../markup/decode.ts';
import type { MarkupElement, MarkupNode } from '../markup/node.ts';
import { parseFragment } from 'parse5';

interface Growing extends MarkupElement {
  readonly children: MarkupNode[];
}

/** Parses XML into a small tree: no DTD, no entities but named characters, bounded depth and size. */
export function parseXml(bytes: Uint8Array, limits: MarkupLimits = XML_LIMITS): MarkupElement {
  if (bytes.length > limits.maxBytes)
    throw new AppError('PARSE_TOO_LARGE', `the XML has ${bytes.length} bytes, more than ${limits.maxBytes}`, {
      hint: 'raise parse.max_file_mb to accept it',
    });
  const top: Growing = { name: '', attributes: {}, children: [] };
  const open: Growing[] = [top];
  let nodes = 0;
  const parser = new SaxesParser({ xmlns: false, position: true });
  parser.ENTITIES = ENTITIES;
  parser.on('error', (error) => {
    // An entity that only the DTD defines stays in the text as it is written.
    if (/undefined entity/.test(error.message)) return;
    throw new AppError('PARSE_BROKEN', `the XML is not well-formed: ${error.message}`, {
      hint: 'download the file again, or repair it',
    });
  });
  parser.on('opentag', (tag) => {
    if (open.length > limits.maxDepth)
      throw new AppError('PARSE_TOO_DEEP', `the XML is nested deeper than ${limits.maxDepth} elements`);
    nodes += 1;
    if (nodes > limits.maxNodes)
      throw new AppError('PARSE_TOO_LARGE', `the XML has more than ${limits.maxNodes} elements`);
    const element: Growing = {
      name: localName(tag.name),
      attributes: plainAttributes(tag.attributes, limits.maxAttributes),
      children: [],
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', (text) => void open.at(-1)?.children.push(text));
  parser.on('cdata', (text) => void open.at(-1)?.children.push(text));
  parser.write(decodeMarkup(bytes).replace(/^\uFEFF/, '')).close();
  const root = top.children.find((node) => typeof node !== 'string');
  if (!root) throw new AppError('PARSE_BROKEN', 'the XML has no element');
  return root;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

function plainAttributes(attributes: Readonly<Record<string, string>>, most: number): Record<string, string> {
  const plain = Object.create(null) as Record<string, string>;
  let count = 0;
  for (const name in attributes) {
    count += 1;
    if (count > most) throw new AppError('PARSE_TOO_LARGE', `an XML element has more than ${most} attributes`);
    const local = localName(name);
    const value = attributes[name];
    if (value !== undefined && (local === name || !(local in plain))) plain[local] = value;
  }
  return plain;
}

const NAME = /^[A-Za-z][A-Za-z0-9]{0,31}$/;

/** HTML's fixed table has the ISO sets of JATS. No DTD is read, so nothing can be expanded or fetched. */
function entityText(name: string): string | undefined {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const text = lookUp(name);
  // Names come from a closed list, so the memory is bounded.
  if (text !== undefined) cache.set(name, text);
  return text;
}

const cache = new Map<string, string>();

function lookUp(name: string): string | undefined {
  if (!NAME.test(name)) return undefined;
  const [node] = parseFragment(`&${name};`).childNodes;
  const text = node && 'value' in node ? node.value : undefined;
  return text === undefined || text === `&${name};` ? undefined : text;
}

/** The table in the form the parser asks: a property per name. */
const ENTITIES: Record<string, string> = new Proxy(Object.create(null) as Record<string, string>, {
  get: (_target, name) => (typeof name === 'string' ? entityText(name) : undefined),
  has: () => true,
});
