import { Command, Option } from 'commander';

import { ZOTERO_PARTS } from '../../corpus/index.ts';
import { webOptions } from '../options.ts';
import { corpusOf, runArgument } from '../run-argument.ts';
import { openSession, shared, stopSignal } from '../session.ts';
import { simulatedLayer } from '../../run/index.ts';
import { counted, plain } from '../terminal.ts';

/** `docstokg zotero`: writes notes, labels and papers of a run beneath the items of a Zotero library. */
export function zoteroCommand() {
  return webOptions(runArgument(shared(new Command('zotero'))))
    .description('write notes, screening labels and links to papers beneath the items of a Zotero library')
    .requiredOption('--to <library>', 'zotero:users/ID or zotero:groups/ID, or one of its collections (required)')
    .addOption(new Option('--only <part>', 'write only this; default: everything').choices(ZOTERO_PARTS))
    .option('--dry-run', 'read the library, and only say what would be written')
    .addHelpText(
      'after',
      `
The key in DOCSTOKG_KEYS__ZOTERO must be allowed to write (zotero.org/settings/keys). Run it again at any time: nothing is
written twice, and what was edited or deleted in Zotero stays so until it changes here.

Examples:
  docstokg zotero runs/library --to zotero:users/475425 --mailto you@university.example --dry-run
  docstokg zotero runs/library --to zotero:groups/4711/collections/ABCD2345 --mailto you@university.example
`,
    )
    .action(async (named, flags, self) => {
      const session = openSession(self);
      using stop = stopSignal();
      await using corpus = await corpusOf(session, named, await simulatedLayer(flags));
      const { to, only, dryRun = false } = flags;
      const request = { parts: only && [only], isTrial: dryRun, tell: session.tell };
      const made = await corpus.writeZotero(to, request, stop.signal);
      for (const { item, problem } of made.problems) session.warn(`item ${item} was not written: ${plain(problem)}`);
      const { works, found, tagged, added, changed, removed } = made;
      const counts = `${counted(added, 'note or link', 'notes and links')} added, ${changed} changed, ${removed} removed; tags of ${counted(tagged, 'item')}`;
      session.print(
        made,
        `${found} of ${counted(works, 'work')} are in ${to}${dryRun ? '; would write' : ''}: ${counts}`,
      );
      if (made.problems.length > 0) process.exitCode = 1;
    });
}
