import type { ParsedDocument } from '../document.ts';
import { readJats } from './xml/jats.ts';
import { parseXml } from './xml/tree.ts';
export function parseMarkup(bytes: Uint8Array): ParsedDocument {
  return readJats(parseXml(bytes));
}
