import { extname, join } from 'node:path';

import { Command } from 'commander';

import { AppError, writeFileAtomic } from '../../base/index.ts';
import { documentFiles, documentId, showPage, writeParts } from '../../parse/index.ts';
import { wholeNumber } from '../options.ts';
import { openSession, shared, stopSignal } from '../session.ts';

export function drawPageCommand(): Command {
  return shared(new Command('draw-page'))
    .description('draw the blocks the parser found on a page, numbered in reading order')
    .argument('<file>', 'PDF, HTML or XML file, or a block file (.jsonl) of a parsed document')
    .option('--page <number>', 'page to show', wholeNumber(1), 1)
    .requiredOption('--out <file>', 'HTML file to write')
    .addHelpText('after', '\nExample:\n  docparse draw-page paper.pdf --page 3 --out page.html\n')
    .action(async (file: string, options: { page: number; out: string }, self: Command) => {
      const session = openSession(self);
      const ending = extname(options.out).toLowerCase();
      if (!['.html', '.htm'].includes(ending))
        throw new AppError('SHOW_FORMAT', `${options.out}: output must be an HTML file`, {
          hint: 'use a file name that ends in .html',
        });
      await writeFileAtomic(options.out, await showPage(file, options.page));
      session.print({ out: options.out, page: options.page }, options.out);
    });
}

export function figuresCommand(): Command {
  return shared(new Command('figures'))
    .description('write figures as PNG, tables as CSV, equations as PNG and listings as text, with their captions')
    .argument('<input>', 'a paper, or a folder of papers')
    .requiredOption('--out <folder>', 'output folder, with one subfolder per paper')
    .addHelpText('after', '\nExample:\n  docparse figures paper.pdf --out figures\n')
    .action(async (input: string, options: { out: string }, self: Command) => {
      const session = openSession(self);
      using stop = stopSignal();
      for (const file of documentFiles(input)) {
        const folder = join(options.out, documentId(file));
        const parts = await writeParts(file, folder, {}, stop.signal);
        session.print({ document: file, folder, parts }, `${folder}: ${parts.length} files`);
      }
    });
}
