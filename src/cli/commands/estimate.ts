import { Command } from 'commander';

import { AppError } from '../../base/index.ts';
import type { Estimate } from '../../corpus/index.ts';
import { openCorpus } from '../../corpus/index.ts';
import { asksOpenAlex } from '../../harvest/index.ts';
import { count } from '../progress.ts';
import { openSession, shared } from '../session.ts';
import { stopSignal } from '../stop-signal.ts';
import { plain } from '../terminal.ts';
import type { DownloadOptions } from './download/options.ts';
import { askedFor, downloadFlags, downloadOptions, loadRun } from './download/options.ts';

const EXAMPLES = `
Examples:
  docstokg estimate --topic "coral bleaching" --mailto you@university.example
  docstokg estimate --input library.bib --mailto you@university.example --json

Requests two pages from OpenAlex and downloads nothing else. The settings estimate.* hold its assumptions.
`;

export function estimateCommand(): Command {
  return downloadOptions(
    shared(new Command('estimate')),
    'JSONL, CSV, BibTeX or RIS file, list of ids, or folder of papers',
  )
    .description('estimate works, open-access share, API credits, time and disk space before downloading')
    .addHelpText('after', EXAMPLES)
    .action(async (ids: string[], options: DownloadOptions, self: Command) => {
      const session = openSession(self);
      if (!asksOpenAlex(options) && options.input === undefined && ids.length === 0 && options.out === undefined)
        throw new AppError('USAGE_NOTHING_TO_ESTIMATE', 'no works given', {
          hint: 'give --topic, --input or ids, or the --out of an earlier run',
        });
      using stop = stopSignal();
      const config = loadRun(session, await downloadFlags(options));
      await using corpus = await openCorpus(config.download.out, { config, clock: session.clock });
      const tell = (message: string): void => session.log('info', message);
      const estimate = await corpus.estimate(askedFor(ids, options), { tell, signal: stop.signal });
      session.print(estimate, () => textOf(estimate));
    });
}

function textOf(estimate: Estimate): string {
  const { works, papers, likely_open: open, sampled, credits, hours, hosts, gigabytes } = estimate;
  const [slowest] = hosts;
  const budget = credits.left_usd === null ? '' : `; ${credits.left_usd} USD left today`;
  return [
    `works        ${estimate.at_least ? 'at least ' : ''}${count(works)}${papers > 0 ? `, and ${count(papers)} local papers` : ''}`,
    `likely open  ${count(open)}${works === 0 ? '' : ` (${((100 * open) / works).toFixed(0)} %, from a sample of ${count(sampled)})`}`,
    `credits      ${count(credits.listing)} for the list (${credits.usd} USD${budget})`,
    `hours        ${hours}${slowest ? `, slowest host ${plain(slowest.host)}: ${count(slowest.works)} works at ${slowest.per_second} requests per second` : ''}`,
    `gigabytes    ${gigabytes}`,
  ].join('\n');
}
