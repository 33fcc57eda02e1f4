import { join } from 'node:path';

import { Command } from 'commander';

import { documentFiles, documentId, writeParts } from '../../parse/index.ts';
import { openSession, shared, stopSignal } from '../session.ts';
import { counted } from '../terminal.ts';

export function figuresCommand() {
  return shared(new Command('figures'))
    .description('write figures as PNG, tables as CSV, equations as PNG and listings as text, with their captions')
    .argument('<input>', 'a paper, or a folder of papers')
    .requiredOption('--out <folder>', 'output folder, with one subfolder per paper')
    .addHelpText('after', '\nExample:\n  docparse figures paper.pdf --out figures\n')
    .action(async (input, options, self) => {
      const session = openSession(self);
      using stop = stopSignal();
      for (const file of documentFiles(input)) {
        const folder = join(options.out, documentId(file));
        const parts = await writeParts(file, folder, {}, stop.signal);
        session.print({ document: file, folder, parts }, `${folder}: ${counted(parts.length, 'file')}`);
      }
    });
}
