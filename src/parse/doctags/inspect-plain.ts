import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

import type { PdfGlance } from './inspect.ts';
import { findFirstPage } from './plain/first-page.ts';
import { readPageText } from './plain/page-text.ts';
import type { FileBytes } from './plain/pdf-objects.ts';
import { PdfObjects } from './plain/pdf-objects.ts';

/**
 * Looks at the first page of a PDF that is in order, without an engine and without a process of its own: what it reads is
 * bounded and each byte is read once. Undefined where that is not enough to tell whether it can be read.
 */
export function glancePlainly(path: string): PdfGlance | undefined {
  using file = openBytes(path);
  const objects = new PdfObjects(file);
  const first = findFirstPage(objects);
  const text = first && readPageText(objects, first);
  if (!first || text === undefined) return undefined;
  const title = objects.value(objects.dictionary(objects.trailer?.get('/Info'))?.get('/Title'));
  const titleText = Buffer.isBuffer(title) ? textOf(title) : '';
  return { pages: first.pages, isEncrypted: false, isReadable: true, text: `${titleText}\n${text}`, isQuick: true };
}

function openBytes(path: string): FileBytes & Disposable {
  const descriptor = openSync(path, 'r');
  return {
    size: fstatSync(descriptor).size,
    read: (at, length) => {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, at));
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return Buffer.from(bytes.subarray(2, bytes.length & ~1))
      .swap16()
      .toString('utf16le');
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    ? bytes.toString('utf8', 3)
    : bytes.toString('latin1');
}
