import { AppError } from '../../base/index.ts';
import type { PdfSummary } from './inspect.ts';
import type { MarkupElement } from './markup/node.ts';
import { parseXml } from './xml/tree.ts';

/** Enough of a text to find its title and DOI in. */
const TEXT_CHARACTERS = 400_000;

/** Reads an article in XML as the stages will: what they could not read is not worth keeping. */
export function inspectXml(bytes: Uint8Array): PdfSummary {
  try {
    return { pages: null, isEncrypted: false, isReadable: true, text: textOf(parseXml(bytes)), isQuick: false };
  } catch (error) {
    if (!(error instanceof AppError && error.code.startsWith('PARSE_'))) throw error;
    return { pages: null, isEncrypted: false, isReadable: false, text: '', isQuick: false };
  }
}

function textOf(root: MarkupElement): string {
  const texts: string[] = [];
  let characters = 0;
  const walk = (element: MarkupElement): void => {
    for (const child of element.children) {
      if (characters > TEXT_CHARACTERS) return;
      if (typeof child !== 'string') walk(child);
      else {
        texts.push(child);
        characters += child.length;
      }
    }
    texts.push(' ');
  };
  walk(root);
  return texts.join('');
}
