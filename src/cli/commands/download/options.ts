import { join } from 'node:path';

import type { Command } from 'commander';

import type { Config, Layer } from '../../../config/index.ts';
import type { RunAsked } from '../../../corpus/index.ts';
import type { WantedWorks } from '../../../harvest/index.ts';
import { queueLayer, simulatedLayer } from '../../../harvest/index.ts';
import type { Session } from '../../session.ts';
import { settingOptions } from '../../setting-options.ts';
import { simOption } from '../../sim-option.ts';
import { wholeNumber } from '../../whole-number.ts';

/** What a download takes on the command line. */
export interface DownloadOptions extends WantedWorks {
  readonly out?: string;
  readonly mailto?: string;
  readonly sim?: string;
  readonly dryRun?: boolean;
  readonly listOnly?: boolean;
  readonly queue?: string;
}

/** Adds what says which works are wanted, how they are found and where they go. */
export function downloadOptions(command: Command, input: string): Command {
  const asking = command
    .argument('[ids...]', 'DOIs, arXiv ids, PMIDs, PMCIDs, OpenAlex ids or URLs')
    .option('--topic <text>', 'what the works are about')
    .option('-i, --input <file...>', input)
    .option('--max <n>', 'at most this many works', wholeNumber(1))
    .option('--mailto <address>', 'your e-mail address, sent to the services that are asked (http.contact)')
    .option('--year-start <year>', 'published in this year or later', wholeNumber(1000))
    .option('--year-end <year>', 'published in this year or earlier', wholeNumber(1000))
    .option('--oa-only', 'only works that OpenAlex says are open')
    .option('--type <type>', 'only works of this type, such as article')
    .option('--language <code>', 'only works in this language, such as en')
    .option(
      '--filter <conditions>',
      "conditions in OpenAlex's own words; a pasted address of a list of works is an id as well",
    )
    .option('--orcid <id...>', 'works of these people')
    .option('--ror <id...>', 'works from these institutions')
    .option('--cites <work...>', 'works that cite these (DOIs or OpenAlex ids)')
    .option('--cited-by <work...>', 'the same: works that cite these, as in docstokg graph cited-by')
    .option('--references <work...>', 'works that these cite')
    .option('--depth <n>', 'how many steps of citations to follow', wholeNumber(1))
    .option('--queue <path|url>', 'a queue elsewhere than in the run folder')
    .addOption(simOption());
  return settingOptions(asking, ['download']);
}

/** Which works those options ask for. */
export function askedFor(ids: readonly string[], options: DownloadOptions): RunAsked {
  const { topic, input, max, yearStart, yearEnd, oaOnly, type, language, mailto } = options;
  const { filter, orcid, ror, cites, citedBy, references, depth } = options;
  const around = { filter, orcid, ror, cites, citedBy, references, depth };
  return { topic, ids, input, max, yearStart, yearEnd, oaOnly, type, language, ...around, mailto };
}

/** The settings that those options make beside those that stand for settings. */
export async function downloadFlags(options: DownloadOptions): Promise<Layer> {
  return [...(await simulatedLayer(options)), ...queueLayer(options.queue)];
}

/** The settings of a run. It keeps its queue with its files, so that a folder is all there is to it, unless a queue was named. */
export function loadRun(session: Session, flags: Layer): Config {
  const { config, origins } = session.load(flags);
  const named = origins.get('queue.path');
  const isNamed = named === 'option --queue' || (named !== undefined && origins.get('download.out') !== 'option --out');
  if (config.queue.backend !== 'sqlite' || isNamed) return config;
  const path = join(config.download.out, 'state', 'workqueue.sqlite');
  return session.load([...flags, { path: ['queue', 'path'], value: path, origin: 'the run folder' }]).config;
}
