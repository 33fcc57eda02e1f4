import { AppError } from '../../../base/index.ts';
import type { Work } from '../../../works/index.ts';
import { iterateOpenAlex, readWorks, workFromText } from '../../../works/index.ts';
import type { DownloadAssembly } from '../../assemble-download.ts';
import type { DownloadOptions } from './options.ts';

/** What finding works needs. */
interface ProviderParts {
  readonly send: DownloadAssembly['send'];
  readonly services: DownloadAssembly['services'];
  readonly contact: string;
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
}

/** Works from the command line, then from files, then on the topic; at most as many as were asked for. */
export function wantedWorks(
  ids: readonly string[],
  options: DownloadOptions,
  parts: ProviderParts,
): AsyncGenerator<Work> {
  return limited(works(ids, options, parts), options.max);
}

async function* works(ids: readonly string[], options: DownloadOptions, parts: ProviderParts): AsyncGenerator<Work> {
  for (const id of ids) {
    const listed = workFromText(id);
    if (listed.kind === 'work') yield listed.work;
    else
      throw new AppError('USAGE_ID', `"${id.slice(0, 100)}" is no id that we know: ${listed.reason}`, {
        hint: 'a DOI, arXiv id, PMCID, OpenAlex id or URL',
      });
  }
  for (const file of options.input ?? []) {
    for await (const listed of readWorks(file)) {
      if (listed.kind === 'work') yield listed.work;
      else parts.tell(`${file}, line ${listed.line}: ${listed.reason}`);
    }
  }
  if (options.topic === undefined) return;
  const { topic, yearStart, yearEnd, oaOnly, type, language } = options;
  const { send, services, contact, signal, tell } = parts;
  const listing = iterateOpenAlex(
    { topic, yearStart, yearEnd, oaOnly, type, language },
    {
      send,
      baseUrl: services.base('openalex'),
      credentials: services.credentials('openalex'),
      mailto: contact,
      signal,
      ...(options.max !== undefined && { maxResults: options.max }),
    },
  );
  for await (const event of listing) {
    if (event.kind === 'work') yield event.work;
    if (event.kind !== 'end') continue;
    const { end } = event;
    if (end.kind === 'budget-spent' || end.kind === 'held')
      tell(
        `the listing stops here: OpenAlex answers again at ${new Date(end.resumesAt).toISOString()}; run the same command then`,
      );
    if (end.kind === 'failed') throw new AppError(end.code, end.message, end.hint === null ? {} : { hint: end.hint });
  }
}

async function* limited(source: AsyncIterable<Work>, max: number | undefined): AsyncGenerator<Work> {
  let yielded = 0;
  for await (const work of source) {
    if (max !== undefined && yielded >= max) return;
    yielded += 1;
    yield work;
  }
}
