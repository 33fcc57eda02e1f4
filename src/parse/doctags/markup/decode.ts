import { gunzipSync } from 'node:zlib';
import { AppError } from '../../../base/index.ts';

/** Encodings that are read; anything else a file claims (UTF-7, ISO-2022-JP …) is a way to hide text. */
const READABLE = new Set(
  `utf-8 utf8 us-ascii ascii iso-8859-1 latin1 windows-1252 iso-8859-2 iso-8859-15 windows-1250 windows-1251 shift_jis
   euc-jp euc-kr gb2312 gbk gb18030 big5`.split(/\s+/),
);

const LARGEST_DECODED_BYTES = 200_000_000;
const LARGEST_RATIO = 200;

/** The bytes of a file that may be gzipped; refused when they unpack to more than any reader takes. */
export function unpack(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const limit = Math.min(LARGEST_DECODED_BYTES, Math.max(1_000_000, bytes.length * LARGEST_RATIO));
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge
      ? new AppError('PARSE_TOO_LARGE', `the compressed file unpacks to more than ${limit} bytes`, { cause: error })
      : new AppError('PARSE_BROKEN', 'the compressed file is damaged', { cause: error });
  }
}

/** The text of an XML or HTML file: byte order mark first, then what the file declares, else UTF-8. */
export function decodeMarkup(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0x3c && bytes[1] === 0) return 'utf-16le';
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be';
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096)).toString('latin1');
  // A declaration that could be read as single bytes cannot be UTF-16.
  const declared =
    /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(head)?.[1] ??
    /<meta[^>]{0,200}?charset\s*=[\s"']{0,20}([\w.:-]{1,40})/i.exec(head)?.[1] ??
    '';
  return READABLE.has(declared.toLowerCase()) ? declared : 'utf-8';
}

/** How much of an untrusted file is read before it is refused. */
export type MarkupLimits = Readonly<typeof XML_LIMITS>;

export const XML_LIMITS = {
  maxBytes: 200_000_000,
  maxDepth: 512,
  maxNodes: 20_000_000,
  maxAttributes: 1_000,
};

/** Repairing broken HTML can multiply elements, so their number is bounded too. */
export const HTML_LIMITS: MarkupLimits = { ...XML_LIMITS, maxBytes: 20_000_000, maxNodes: 2_000_000 };

export type FileKind = 'pdf' | 'html' | 'jats' | 'tei' | 'xml' | 'unknown';

const LOOK_BYTES = 64 * 1024;

/** The kind of a file by its first bytes; its name does not matter. */
export function sniff(bytes: Uint8Array): FileKind {
  const start = bytes.subarray(0, LOOK_BYTES);
  // Readers accept a header within the first kilobyte.
  if (Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, 1024)).includes('%PDF-')) return 'pdf';
  const text = decodeMarkup(start).replace(/^\uFEFF/, '');
  const root = firstElement(text);
  if (root === undefined)
    return /^\s*<(?:!doctype html|\?xml)/i.test(text) ? (/^\s*<\?xml/.test(text) ? 'xml' : 'html') : 'unknown';
  const name = root.replace(/^[^:]*:/, '');
  const isXml = /^\s*<\?xml\b/.test(text);
  if (/<!doctype\s+html\b/i.test(text.slice(0, 2_000)) || /^html$/i.test(name)) return 'html';
  if (/^tei$/i.test(name)) return 'tei';
  if (name === 'article' && (isXml || isJatsHead(text))) return 'jats';
  if ((name === 'OAI-PMH' || name === 'pmc-articleset' || name === 'response') && /<(?:\w+:)?article[\s>]/.test(text))
    return 'jats';
  if (isXml || /<!DOCTYPE\s+\w/.test(text.slice(0, 2_000))) return 'xml';
  if (/^(?:head|body|div|p|article|main|section|table|h[1-6]|meta|title|script|a|span|ul|ol|center|font)$/i.test(name))
    return 'html';
  return /^\s*</.test(text) ? 'xml' : 'unknown';
}

/** The name of the first element, behind declarations, comments and processing instructions. */
function firstElement(text: string): string | undefined {
  let at = 0;
  for (;;) {
    at = text.indexOf('<', at);
    if (at === -1) return undefined;
    if (text.startsWith('<!--', at)) at = after(text, '-->', at + 4);
    else if (text.startsWith('<?', at)) at = after(text, '?>', at + 2);
    else if (text.startsWith('<!', at)) at = doctypeEnd(text, at);
    else {
      const name = /^<([A-Za-z_][\w:.-]{0,80})[\s/>]/.exec(text.slice(at, at + 100))?.[1];
      if (name !== undefined)
        return text
          .slice(0, at)
          .replace(/<[^<>]*>/g, '')
          .trim().length > 200
          ? undefined
          : name;
      at += 1;
    }
    if (at === -1) return undefined;
  }
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at === -1 ? -1 : at + end.length;
}

/** A doctype may hold declarations between square brackets. */
function doctypeEnd(text: string, from: number): number {
  const close = text.indexOf('>', from);
  const bracket = text.indexOf('[', from);
  return bracket !== -1 && bracket < close ? after(text, ']>', bracket) : close === -1 ? -1 : close + 1;
}

function isJatsHead(text: string): boolean {
  return (
    /<!DOCTYPE\s+article\b/.test(text) ||
    /<(?:front|journal-meta|article-meta)[\s>]/.test(text) ||
    /\bdtd-version=|\barticle-type=/.test(text)
  );
}
