import { AppError } from '../../base/index.ts';
import type { ParsedDocument } from '../document.ts';
import { readHtml, parseHtml } from './html/html.ts';
import type { FileKind } from './markup/decode.ts';
import { unpack, sniff } from './markup/decode.ts';
import { readJats } from './xml/jats.ts';
import { readTei } from './xml/tei.ts';
import { parseXml } from './xml/tree.ts';

/** Reads an HTML, JATS or TEI file, gzipped or not; its kind is found from its bytes when not given. */
export function parseMarkup(file: Uint8Array, { kind }: { readonly kind?: FileKind } = {}): ParsedDocument {
  const bytes = unpack(file);
  const document = readAs(kind ?? sniff(bytes), bytes);
  if (!document.blocks.some((block) => block.text !== ''))
    throw new AppError('PARSE_EMPTY', 'the file contains no text', {
      hint: 'check the file: it may be an empty page or one built by scripts',
    });
  return document;
}

function readAs(kind: FileKind, bytes: Uint8Array): ParsedDocument {
  switch (kind) {
    case 'html':
      return readHtml(parseHtml(bytes));
    case 'jats':
    case 'tei':
    case 'xml': {
      const root = parseXml(bytes);
      return root.name.toLowerCase() === 'tei' || kind === 'tei' ? readTei(root) : readJats(root);
    }
    case 'pdf':
    case 'unknown':
    default:
      throw new AppError(
        'PARSE_UNSUPPORTED',
        kind === 'pdf' ? 'the file is a PDF, not markup' : 'the file is neither HTML nor XML',
        {
          hint: 'PDF, HTML, JATS and TEI are supported; docparse doctags --mode html or xml reads a file as such',
        },
      );
  }
}
