import { decodeMarkup } from './markup/decode.ts';

/** What a file is, by its content. */
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
