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
export interface MarkupLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxNodes: number;
  readonly maxAttributes: number;
}

/** XML: 200 MB, 512 levels. */
export const XML_LIMITS: MarkupLimits = {
  maxBytes: 200_000_000,
  maxDepth: 512,
  maxNodes: 20_000_000,
  maxAttributes: 1_000,
};

/** HTML: 20 MB, 512 levels; repairing broken markup can multiply elements, so their number is bounded too. */
export const HTML_LIMITS: MarkupLimits = {
  maxBytes: 20_000_000,
  maxDepth: 512,
  maxNodes: 2_000_000,
  maxAttributes: 1_000,
};
