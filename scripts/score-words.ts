import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { openPdf } from '../src/parse/doctags/engines/pdfium.ts';
import { textInFileOrder } from '../src/parse/doctags/inspect.ts';
import { parsePdf } from '../src/parse/doctags/pdf.ts';
import type { Block } from '../src/parse/document.ts';
import { checkOptions } from '../test/support/options.ts';
import { nothingMeasured, OPEN_PAPERS } from './score/data.ts';
import { textOfBlock } from './score/words.ts';

// npm run score:words [-- --data DIR] [--only REGEXP] [--show]
// How many of the words that pdftotext (poppler) finds on each page are in our text and tables, how many only on our
// pictures, and which pages with fewer than 98 % do not say so in their account of words. Without pdftotext the PDF engine's
// own text is compared, which says less: both read the same glyphs.
const options = checkOptions({ data: '', only: '', show: false });
const ENOUGH = 0.98;
const hasPoppler = spawnSync('pdftotext', ['-v']).error === undefined;
if (!hasPoppler) console.error('pdftotext is not installed: compared with the text of the PDF engine itself');
const sets = ['pmc', 'publishers', 'classes', 'pdf'].map((name) => join(OPEN_PAPERS, name));
const folders = options.data === '' ? sets : options.data.split(',');
let measured = 0;
for (const folder of folders) {
  const sum = {
    documents: 0,
    pages: 0,
    found: 0,
    kept: 0,
    pictured: 0,
    shortDocuments: 0,
    shortPages: 0,
    unsaidPages: 0,
  };
  for (const name of globSync('*.pdf', { cwd: folder }).sort()) {
    if (!new RegExp(options.only).test(name)) continue;
    const path = join(folder, name);
    const bytes = readFileSync(path);
    const { blocks, metadata } = await parsePdf(bytes);
    const text = textOfKinds(blocks, (kind) => kind !== 'picture');
    const labels = countOf(textOfKinds(blocks, (kind) => kind === 'picture'));
    const have = countOf(text);
    const all = [...have.keys()].join(' ');
    const pieces = new Set(
      text
        .normalize('NFKC')
        .toLowerCase()
        .match(/\p{L}+|\p{N}/gu) ?? [],
    );
    const said = new Set(metadata.words?.short.map(({ page }) => page));
    let [found, kept, pictured] = [0, 0, 0];
    for (const [at, page] of (await pagesOf(path, bytes)).entries()) {
      const missing = wordsOf(page).filter((word) => {
        // A word that the other program cuts differently is there inside another one.
        return !takeFrom(have, word) && !all.includes(word) && !isGlued(word, pieces);
      });
      const words = wordsOf(page).length;
      found += words;
      kept += words - missing.length;
      pictured += missing.filter((word) => takeFrom(labels, word)).length;
      sum.pages += 1;
      if (missing.length <= Math.max(2, (1 - ENOUGH) * words)) continue;
      sum.shortPages += 1;
      if (!said.has(at + 1)) sum.unsaidPages += 1;
      if (options.show)
        console.log(`${name} page ${at + 1}: ${missing.length} of ${words} missing: ${missing.slice(0, 12).join(' ')}`);
    }
    sum.documents += 1;
    sum.found += found;
    sum.kept += kept;
    sum.pictured += pictured;
    if (kept + pictured < ENOUGH * found) sum.shortDocuments += 1;
  }
  if (sum.documents === 0) continue;
  measured += sum.documents;
  console.log(
    folder.slice(dirname(folder).length + 1).padEnd(12),
    `kept ${(sum.kept / sum.found).toFixed(4)} pictured ${(sum.pictured / sum.found).toFixed(4)}`,
    JSON.stringify(sum),
  );
}
if (measured === 0) nothingMeasured(`no PDF in ${folders.join(', ')}`);

function textOfKinds(blocks: readonly Block[], isWanted: (kind: Block['kind']) => boolean): string {
  return blocks
    .filter(({ kind }) => isWanted(kind))
    .map(textOfBlock)
    .join('\n');
}

/** Counts a word off; false when there is none left. */
function takeFrom(counts: Map<string, number>, word: string): boolean {
  const left = counts.get(word) ?? 0;
  counts.set(word, left - 1);
  return left > 0;
}

async function pagesOf(path: string, bytes: Uint8Array): Promise<string[]> {
  if (!hasPoppler) {
    using file = await openPdf(bytes);
    return Array.from({ length: file.pageCount }, (_, at) => file.readPage(at + 1)).map((page) =>
      page ? textInFileOrder(page) : '',
    );
  }
  const text = execFileSync('pdftotext', [path, '-'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // Some publishers' formula fonts have brackets and roots where others have these letters.
  return text
    .replaceAll(/[ðþÐÞ]|(?:ffi|\ufb03){2,}/g, ' ')
    .split('\f')
    .slice(0, -1);
}

function countOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/**
 * Whether the other program has put words of ours together: scripts with their letters ("x_sim" is "xsim", "mask^b" is
 * "maskb"), the halves of two hyphenated words, or text that is drawn twice. At most four pieces, two of one letter.
 */
function isGlued(word: string, pieces: ReadonlySet<string>): boolean {
  const fits = (rest: string, parts: number, singles: number): boolean => {
    if (rest === '') return true;
    if (parts === 0) return false;
    for (let length = rest.length; length > 0; length -= 1) {
      const isSingle = length === 1 && /\p{L}/u.test(rest[0] ?? '');
      const piece = rest.slice(0, length);
      const isKnown = pieces.has(piece) || /^\p{N}+$/u.test(piece);
      if (isKnown && (!isSingle || singles > 0) && fits(rest.slice(length), parts - 1, singles - (isSingle ? 1 : 0)))
        return true;
    }
    return false;
  };
  return fits(word, 4, 2);
}

/** Words of three letters or digits and more: shorter ones are mostly formulas. */
function wordsOf(text: string): string[] {
  const whole = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[-‐\u00ad]\s*\n\s*/g, '');
  return (whole.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 2);
}
