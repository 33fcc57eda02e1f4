import { join } from 'node:path';

import type { Command } from 'commander';

import type { Config, Layer } from '../../../config/index.ts';
import type { RunAsked } from '../../../corpus/index.ts';
import type { WantedWorks } from '../../../harvest/index.ts';
import { fleetLayer, queueLayer, simulatedLayer } from '../../../harvest/index.ts';
import type { Session } from '../../session.ts';
import { webOptions, wholeNumber } from '../../options.ts';
import { settingOptions } from '../../session.ts';

export interface DownloadOptions extends WantedWorks {
  readonly out?: string;
  readonly mailto?: string;
  readonly sim?: string;
  readonly estimate?: boolean;
  readonly dryRun?: boolean;
  readonly listOnly?: boolean;
  readonly queue?: string;
  readonly fleet?: string;
}

/** Adds the options that select works, resolvers and the output folder. */
export function downloadOptions(command: Command, input: string): Command {
  const asking = command
    .argument('[ids...]', 'DOIs, arXiv ids, PMIDs, PMCIDs, OpenAlex ids or URLs')
    .option('--topic <text>', 'search OpenAlex for works about this topic')
    .option('-i, --input <file...>', input)
    .option('--max <n>', 'maximum number of works', wholeNumber(1))
    .option('--year-start <year>', 'published in this year or later', wholeNumber(1000))
    .option('--year-end <year>', 'published in this year or earlier', wholeNumber(1000))
    .option('--oa-only', 'only works that OpenAlex lists as open access')
    .option('--type <type>', 'only works of this type, such as article')
    .option('--language <code>', 'only works in this language, such as en')
    .option('--filter <conditions>', 'OpenAlex filter expression; the URL of an OpenAlex list also works as an id')
    .option('--orcid <id...>', 'works by these authors')
    .option('--ror <id...>', 'works from these institutions (ROR ids)')
    .option('--cites <work...>', 'works that cite these (DOIs or OpenAlex ids)')
    .option('--cited-by <work...>', 'same as --cites')
    .option('--references <work...>', 'works cited by these')
    .option('--depth <n>', 'number of citation steps to follow', wholeNumber(1))
    .option('--queue <path|url>', 'SQLite file or postgres:// URL of the queue; default: in the run folder');
  return settingOptions(webOptions(asking), ['download']);
}

/** The works that the options select. */
export function askedFor(ids: readonly string[], options: DownloadOptions): RunAsked {
  const { topic, input, max, yearStart, yearEnd, oaOnly, type, language, mailto } = options;
  const { filter, orcid, ror, cites, citedBy, references, depth } = options;
  const around = { filter, orcid, ror, cites, citedBy, references, depth };
  return { topic, ids, input, max, yearStart, yearEnd, oaOnly, type, language, ...around, mailto };
}

/** Settings that are derived from options rather than bound to one. */
export async function downloadFlags(options: DownloadOptions): Promise<Layer> {
  return [...(await simulatedLayer(options)), ...queueLayer(options.queue), ...fleetLayer(options.fleet)];
}

/** The settings of a run. The queue is stored in the run folder unless `--queue` names another. */
export function loadRun(session: Session, flags: Layer): Config {
  const { config, origins } = session.load(flags);
  const named = origins.get('queue.path');
  const isNamed = named === 'option --queue' || (named !== undefined && origins.get('download.out') !== 'option --out');
  if (config.queue.backend !== 'sqlite' || isNamed) return config;
  const path = join(config.download.out, 'state', 'workqueue.sqlite');
  return session.load([...flags, { path: ['queue', 'path'], value: path, origin: 'the run folder' }]).config;
}

export function keyHints({ keys }: Config): string[] {
  return [
    ...(keys.openalex === ''
      ? ['an OpenAlex key (DOCSTOKG_KEYS__OPENALEX) raises the daily budget; a contact address alone no longer does']
      : []),
    ...(keys.core === '' ? ['a CORE key (DOCSTOKG_KEYS__CORE) enables one more source'] : []),
  ];
}

export function nothingFound({ topic, input = [], yearStart, yearEnd, oaOnly, type, language }: RunAsked): string {
  const filters = Object.entries({
    '--year-start': yearStart,
    '--year-end': yearEnd,
    '--oa-only': oaOnly,
    '--type': type,
    '--language': language,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  const tries = [
    ...(filters.length > 0 ? [`leave out ${filters.join(', ')}`] : []),
    ...(topic === undefined ? [] : ['use fewer or more common words, or an OpenAlex topic id such as T10017']),
    ...(input.length > 0 ? [`check ${input.join(', ')}: no works or readable papers were found in it`] : []),
  ];
  return `no works found${topic === undefined ? '' : ` on "${topic}"`}; ${tries.join('; or ') || 'try another query'}`;
}
