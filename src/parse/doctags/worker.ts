import { writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

import { AppError, systemClock } from '../../base/index.ts';
import type { StageWorker } from '../../stage/index.ts';
import type { Metadata } from '../document.ts';
import type { ParseFileOptions, PdfEngine } from './convert.ts';
import { parseFile, parseFailure } from './convert.ts';
import type { OutputChoice } from './outputs.ts';
import { outputTexts } from './outputs.ts';

/** An engine as plain data, which can be sent to a process. */
type PlainEngine<E> = E extends unknown ? Omit<E, 'clock'> : never;

/** Why a document gave nothing although it is whole: its pages are pictures. */
export const NEEDS_OCR = 'needs-ocr';

export interface DoctagsSettings extends OutputChoice {
  readonly mode: 'auto' | 'pdf' | 'html' | 'xml';
  readonly engine: PlainEngine<PdfEngine>;
  readonly maxPages?: number;
  readonly maxFileBytes?: number;
  readonly ocr?: ParseFileOptions['ocr'];
}

/** Processor seconds that a page adds to the limit of its document: ten times what it usually takes. */
const PAGE_CPU_S = { text: 0.5, ocr: 60 } as const;

/** Turns one file into blocks and DocTags. Runs in a separate process, which the stage can kill. */
const parseItem: StageWorker = async (item, context) => {
  const settings = context.data as DoctagsSettings;
  const path = item.inputs['file'] ?? '';
  try {
    const engine = { ...settings.engine, clock: systemClock } as PdfEngine;
    const { ocr, ...given } = settings;
    const onPage = (how: keyof typeof PAGE_CPU_S): void => context.grantCpu(PAGE_CPU_S[how]);
    const parsed = await parseFile(path, { ...given, engine, onPage, ...(ocr && { ocr }) }, context.signal);
    const { pages, blocks, metadata } = parsed.document;
    const characters = blocks.reduce((sum, block) => sum + block.text.length, 0);
    const manifest = {
      ...parsed.facts,
      kind: parsed.kind,
      pages: metadata.pageCount ?? pages.length,
      blocks: blocks.length,
      language: metadata.language ?? null,
      words_found: metadata.words?.found ?? null,
      words_kept: metadata.words?.kept ?? null,
      words_pictured: metadata.words?.pictured ?? null,
      needs_ocr: metadata.needsOcr.length,
      completeness: isPartial(metadata) ? 'partial' : 'whole',
      characters,
      confidence: metadata.quality.confidence,
    };
    // Nothing was read, so nothing is kept: the next run looks again, perhaps with OCR.
    const isUnread = characters === 0 || metadata.needsOcr.length === pages.length;
    if (isUnread && metadata.needsOcr.length > 0) return { status: 'skip', reason: NEEDS_OCR, manifest };
    const lost = wordsLost(metadata);
    if (lost !== undefined) return { status: 'failure', error: parseFailure(lost), manifest };
    const texts = outputTexts(parsed, { id: item.itemId, path: nameOf(path, context.finalOutputs) });
    for (const [name, output] of Object.entries(item.outputs)) writeFileSync(output, texts[name]?.() ?? '');
    return { status: 'success', manifest };
  } catch (error) {
    return { status: 'failure', error: parseFailure(error) };
  }
};
export default parseItem;

/** The share of its words without which a document counts as read in part. */
const MOST_LOST = 0.05;

function isPartial({ needsOcr, words }: Metadata): boolean {
  return needsOcr.length > 0 || (words !== undefined && words.kept + words.pictured < (1 - MOST_LOST) * words.found);
}

/**
 * An error if words that the file gives are in no block: that is a fault of the parser, and no text is better than a
 * part.
 */
export function wordsLost({ words }: Pick<Metadata, 'words'>): AppError | undefined {
  const lost = words?.short.filter(({ reason }) => reason === 'lost') ?? [];
  const [first] = lost;
  if (!first) return undefined;
  const { page, found, kept } = first;
  const others = lost.length > 1 ? `, and words of ${lost.length - 1} more pages` : '';
  return new AppError('PARSE_WORDS_LOST', `page ${page} has ${found} words, ${kept} of them in its text${others}`, {
    hint: 'parse it with --ocr force, and report the file',
  });
}

/**
 * A paper in the folder of its corpus is named from there: the folder may be moved, and parsed anywhere, with the same
 * bytes.
 */
function nameOf(path: string, outputs: Readonly<Record<string, string>>): string {
  const [output = ''] = Object.values(outputs);
  const inside = relative(join(dirname(output), '..', '..'), path);
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside.split(sep).join('/');
}
