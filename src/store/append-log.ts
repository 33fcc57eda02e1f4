import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

const NEWLINE = 0x0a;
const BLOCK = 65_536;

/**
 * Appends whole lines to a log, on the disk before it returns where `isSynced`. A line that a killed process left without its end is cut off first. To be called inside a
 * transaction of the database, which only one process has at a time.
 */
export function appendLine(path: string, text: string, isSynced = false): void {
  const descriptor = openSync(path, 'a+');
  try {
    const { size } = fstatSync(descriptor);
    const end = endOfLines(descriptor, size);
    if (end < size) ftruncateSync(descriptor, end);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    if (isSynced) fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function endOfLines(descriptor: number, size: number): number {
  const block = Buffer.allocUnsafe(BLOCK);
  for (let end = size; end > 0;) {
    const from = Math.max(0, end - BLOCK);
    const read = readSync(descriptor, block, 0, end - from, from);
    const at = block.subarray(0, read).lastIndexOf(NEWLINE);
    if (at !== -1) return from + at + 1;
    end = from;
  }
  return 0;
}
