import { userInfo } from 'node:os';

import { Command } from 'commander';

import { AppError } from '../../base/index.ts';
import type { Corpus } from '../../corpus/index.ts';
import { wholeNumber } from '../options.ts';
import { corpusOf, runArgument } from '../run-argument.ts';
import { openSession, shared, databaseOptions } from '../session.ts';
import { plain } from '../terminal.ts';

type Listed = ReturnType<Corpus['notes']>[number];

/** `docstokg notes`: lists, writes, removes and restores notes beside papers. */
export function notesCommand() {
  return runArgument(databaseOptions(shared(new Command('notes'))))
    .description('list, write, remove or restore notes beside papers')
    .option('--work <work>', 'the work: an id, a DOI or the name of its document')
    .option('--add <text>', 'write a note about the work')
    .option('--quote <words>', 'with --add: the words of the paper that the note is about')
    .option('--page <number>', 'with --quote: the page on which they are', wholeNumber(1))
    .option('--by <name>', 'who writes it; default: the user of this computer; in a list: only of this person')
    .option('--remove <note>', 'remove a note by its id; it can be restored')
    .option('--restore <note>', 'restore a removed note')
    .option('--removed', 'list those that were removed too')
    .addHelpText(
      'after',
      `
Notes are written in the page of docstokg serve too: select a sentence of a paper. docstokg export --format notes writes
them as Markdown, by paper; --format obsidian has them in its notes.

Examples:
  docstokg notes runs/corals
  docstokg notes runs/corals --work 10.1038/nature21707 --add 'Compare with table 2.'
  docstokg notes runs/corals --remove 3f0a1c22-8d5e-4a42-9a65-0f3f6a1b7c11
`,
    )
    .action(async (run, flags, self) => {
      const session = openSession(self);
      const { add, remove, restore, work, quote, page } = flags;
      const acts = [add, remove, restore].filter((each) => each !== undefined);
      if (acts.length > 1 || (add !== undefined && work === undefined))
        throw new AppError('USAGE_NOTE', 'expected one of --add TEXT --work WORK, --remove and --restore', {
          hint: 'see --help',
        });
      await using corpus = await corpusOf(session, run);
      const by = flags.by ?? userInfo().username;
      const id = remove ?? restore;
      if (id !== undefined) {
        const note = await corpus.saveNote({ id, by, removed: remove !== undefined });
        const undo = remove === undefined ? '' : `; docstokg notes ${corpus.folder} --restore ${note.id} undoes it`;
        return session.print(note, `${remove === undefined ? 'restored' : 'removed'} ${note.id}${undo}`);
      }
      if (add !== undefined) {
        const note = await corpus.saveNote({ by, work, quote, page, text: add });
        return session.print(note, `kept as ${note.id}`);
      }
      const notes = corpus.notes({ work, by: flags.by, removed: flags.removed });
      session.print(notes, notes.length === 0 ? 'no notes; --add writes one' : notes.map(noteText).join('\n\n'));
    });
}

function noteText({ id, title, work, page, quote, text, by, at, removed }: Listed): string {
  const lines = [
    `${title ?? work}${page === null ? '' : `, page ${page}`}`,
    ...(quote === null ? [] : [`  “${quote}”`]),
    ...(text === '' ? [] : [`  ${text}`]),
    `  ${by}, ${at.slice(0, 10)}${removed ? ', removed' : ''}  ${id}`,
  ];
  return lines.map(plain).join('\n');
}
