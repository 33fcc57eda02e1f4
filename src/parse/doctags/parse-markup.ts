import { AppError } from '../../base/index.ts';
import type { ParsedDocument } from '../document.ts';
import { readHtml } from './html/html.ts';
import { parseHtml } from './html/tree.ts';
import { unpack } from './markup/decode.ts';
import { HTML_LIMITS, XML_LIMITS } from './markup/limits.ts';
import type { InlineMath } from './markup/math.ts';
import { sniff, type FileKind } from './sniff.ts';
import { readJats } from './xml/jats.ts';
import { readTei } from './xml/tei.ts';
import { parseXml } from './xml/tree.ts';

export interface MarkupOptions {
  /** What the file is; found from its bytes when not given. */
  readonly kind?: FileKind;
  readonly inlineMath?: InlineMath;
  readonly maxXmlBytes?: number;
  readonly maxHtmlBytes?: number;
  readonly figureSupplements?: boolean;
  readonly subArticles?: boolean;
}

/** Reads an HTML, JATS or TEI file, gzipped or not. */
export function parseMarkup(file: Uint8Array, options: MarkupOptions = {}): ParsedDocument {
  const bytes = unpack(file);
  const kind = options.kind ?? sniff(bytes);
  const document = readAs(kind, bytes, options);
  if (!document.blocks.some((block) => block.text !== ''))
    throw new AppError('PARSE_EMPTY', 'the file contains no text', {
      hint: 'check the file: it may be an empty page or one built by scripts',
    });
  return document;
}

function readAs(kind: FileKind, bytes: Uint8Array, options: MarkupOptions): ParsedDocument {
  switch (kind) {
    case 'html':
      return readHtml(
        parseHtml(bytes, {
          ...HTML_LIMITS,
          ...(options.maxHtmlBytes !== undefined && { maxBytes: options.maxHtmlBytes }),
        }),
        options,
      );
    case 'jats':
    case 'tei':
    case 'xml': {
      const root = parseXml(bytes, {
        ...XML_LIMITS,
        ...(options.maxXmlBytes !== undefined && { maxBytes: options.maxXmlBytes }),
      });
      return root.name.toLowerCase() === 'tei' || kind === 'tei' ? readTei(root, options) : readJats(root, options);
    }
    case 'pdf':
    case 'unknown':
    default:
      throw new AppError(
        'PARSE_UNSUPPORTED',
        kind === 'pdf' ? 'the file is a PDF, not markup' : 'the file is neither HTML nor XML',
        {
          hint: 'set the format with --mode if the file is HTML or XML',
        },
      );
  }
}
