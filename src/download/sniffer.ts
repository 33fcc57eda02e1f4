import type { Reason } from './reasons.ts';

export type BodyKind = 'pdf' | 'jats' | 'tei' | 'xml' | 'html' | 'gzip' | 'zip' | 'image' | 'text' | 'unknown';

/** What a body turned out to be. */
export interface Sniffed {
  readonly kind: BodyKind;
  readonly bytes: number;
  /** Why it cannot be saved; undefined if its structure is sound. */
  readonly fault: Reason | undefined;
}

/** A PDF's header must start within this many bytes, as in other readers. */
const PDF_HEADER_WITHIN = 1024;
const HEAD_BYTES = 4096;
const TAIL_BYTES = 4096;
const SMALLEST_PDF = 200;
const JATS_ROOTS = new Set(['article', 'pmc-articleset', 'articles', 'sub-article']);
const PAGE_START = /^<(?:!doctype\s+html|html|head|body|script|title|meta)\b/i;
/** What pages without `html` begin with. */
const PAGE_ELEMENTS = new Set(
  'html body div a b br center font form frameset h1 h2 h3 iframe img link main noscript p span style table ul'.split(
    ' ',
  ),
);
/** The boundary and headers of a part, as before a file in a multipart body. */
const PART_START = /(?:^|\n)--[^\s-][^\r\n]{0,69}\r?\n(?:[\w-]{1,40}:[^\r\n]{0,500}\r?\n){0,10}\r?\n$/;
const BODY_TAG = Buffer.from('<body');
const SEAM_BYTES = 16;

/** The first bytes of a body give the type, the last whether it is complete. */
export class Sniffer {
  #head = Buffer.alloc(0);
  readonly #tail = Buffer.allocUnsafeSlow(TAIL_BYTES);
  #tailBytes = 0;
  #bytes = 0;
  #kind: BodyKind | undefined;
  #hasBody = false;
  #overlap = Buffer.alloc(0);

  write(chunk: Buffer): BodyKind | undefined {
    this.#bytes += chunk.length;
    for (let rest = chunk; rest.length > 0 && this.#kind === undefined;) {
      const taken = rest.subarray(0, HEAD_BYTES - this.#head.length);
      this.#head = Buffer.concat([this.#head, taken]);
      rest = rest.subarray(taken.length);
      if (this.#head.length < HEAD_BYTES) break;
      // Templates may leave kilobytes of blank lines before a page.
      if (this.#head.every(isBlank)) this.#head = Buffer.alloc(0);
      else this.#kind = kindOf(this.#head);
    }
    // Servers may pad a file with zeros to whole blocks.
    let length = chunk.length;
    while (length > 0 && chunk[length - 1] === 0) length -= 1;
    this.#keepEnd(chunk.subarray(0, length));
    // Searching every byte costs as much as hashing, so only where the word decides.
    if (this.#kind !== 'pdf' && !this.#hasBody) this.#searchBody(chunk);
    return this.#kind;
  }

  /** Called after the last byte. */
  end(): Sniffed {
    const kind = this.#kind ?? kindOf(this.#head);
    return { kind, bytes: this.#bytes, fault: this.#fault(kind) };
  }

  #end(): Buffer {
    return this.#tail.subarray(0, this.#tailBytes);
  }

  #keepEnd(chunk: Buffer): void {
    const taken = Math.min(chunk.length, TAIL_BYTES);
    const kept = Math.min(this.#tailBytes, TAIL_BYTES - taken);
    if (kept > 0) this.#tail.copyWithin(0, this.#tailBytes - kept, this.#tailBytes);
    chunk.copy(this.#tail, kept, chunk.length - taken);
    this.#tailBytes = kept + taken;
  }

  #fault(kind: BodyKind): Reason | undefined {
    if (this.#bytes === 0) return 'empty-body';
    if (kind === 'pdf') return this.#pdfFault();
    if (kind === 'jats') return this.#hasBody ? this.#unclosed() : 'wrong-kind';
    if (kind === 'tei') return this.#unclosed();
    if (kind === 'html') return undefined;
    return 'wrong-kind';
  }

  #pdfFault(): Reason | undefined {
    const tail = this.#end();
    const end = tail.lastIndexOf('%%EOF');
    if (end === -1 || this.#bytes < SMALLEST_PDF) return 'truncated';
    // Objects after the last end are a later revision whose own end is missing; other bytes are what servers append.
    if (/\d obj\b/.test(tail.toString('latin1', end))) return 'truncated';
    return tail.subarray(0, end).lastIndexOf('startxref') === -1 && this.#bytes > TAIL_BYTES ? 'truncated' : undefined;
  }

  /** XML ends with its root's end tag, apart from white space and comments. */
  #unclosed(): Reason | undefined {
    const tail = withoutLastComments(this.#end().toString('latin1').replaceAll('\0', ''));
    return /<\/[A-Za-z_][\w:.-]*\s*>$/.test(tail) ? undefined : 'truncated';
  }

  #searchBody(chunk: Buffer): void {
    // The word may span two chunks; only the seam is joined, so no chunk is copied.
    const seam = Buffer.concat([this.#overlap, chunk.subarray(0, SEAM_BYTES)]);
    this.#hasBody = seam.includes(BODY_TAG) || chunk.includes(BODY_TAG);
    this.#overlap = chunk.length >= SEAM_BYTES ? Buffer.from(chunk.subarray(-SEAM_BYTES)) : seam.subarray(-SEAM_BYTES);
  }
}

export function kindOf(head: Buffer): BodyKind {
  if (isPdf(head)) return 'pdf';
  const [a = 0, b = 0, c = 0, d = 0] = head;
  if (a === 0x1f && b === 0x8b) return 'gzip';
  if (a === 0x50 && b === 0x4b && c === 0x03 && d === 0x04) return 'zip';
  if ((a === 0x89 && b === 0x50) || (a === 0xff && b === 0xd8) || (a === 0x47 && b === 0x49 && c === 0x46))
    return 'image';
  return markupKind(head);
}

/** Junk, even whole comments, may precede a PDF; but what starts as a page is one, and a part is not the whole. */
function isPdf(head: Buffer): boolean {
  const at = head.subarray(0, PDF_HEADER_WITHIN + 5).indexOf('%PDF-');
  if (at <= 0) return at === 0;
  const before = head
    .toString('utf8', 0, at)
    .replace(/^\uFEFF/, '')
    .replace(COMMENTS, '');
  return !before.startsWith('<!--') && !PAGE_START.test(before) && !PART_START.test(before);
}

function markupKind(head: Buffer): BodyKind {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  const written = isUtf16 ? head.toString('latin1').replaceAll('\0', '').slice(2) : head.toString('utf8');
  const text = written.replace(/^\uFEFF/, '');
  if (PAGE_START.test(text.replace(COMMENTS, ''))) return 'html';
  const root = /^<([A-Za-z_][\w:.-]{0,100})/.exec(text.replace(PROLOG, ''))?.[1];
  // A script's warnings may precede its page.
  const isLatePage = /<(?:!doctype\s+html|html)\b/i.test(text);
  if (root === undefined) return head.includes(0) || head.length === 0 ? 'unknown' : isLatePage ? 'html' : 'text';
  const name = root.replace(/^[\w-]+:/, '');
  if (JATS_ROOTS.has(name) || (name === 'OAI-PMH' && /jats|pmc/i.test(text))) return 'jats';
  // Springer Nature's API wraps articles.
  if (name === 'response' && /<records>\s*<article[\s>]/.test(text)) return 'jats';
  if (name === 'TEI') return 'tei';
  return isLatePage || PAGE_ELEMENTS.has(name.toLowerCase()) ? 'html' : 'xml';
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

const COMMENTS = /^(?:\s|<!--[^]*?-->)*/;
/** What may precede the root of a document; a doctype may contain declarations in brackets. */
const PROLOG = /^(?:\s|<\?[^]*?\?>|<!--[^]*?-->|<!(?!--)[^[>]*(?:\[[^\]]*\][^>]*)?>)*/;

function withoutLastComments(text: string): string {
  let rest = text.trimEnd();
  while (rest.endsWith('-->')) {
    const start = rest.lastIndexOf('<!--');
    if (start === -1) break;
    rest = rest.slice(0, start).trimEnd();
  }
  return rest;
}
