import type { Config } from '../../config/index.ts';
import type { Asking } from '../download/open-download.ts';
import type { IdentifiedPapers } from './identify-papers.ts';
import type { Runtime } from '../queue/open-queue.ts';
import { configuredServices } from '../download/open-admission.ts';
import { enrichWorks, identifyPapers } from './identify-papers.ts';
import { keptFromArxiv, noteArxivVersions } from '../list/ask-records.ts';
import { openAsking } from '../download/open-download.ts';
import { Records } from '../../database/index.ts';
import type { FlowingStage } from '../stages/prepare-stages.ts';

/** Notes parsed documents; at the end writes records of own papers, `files`, and completes the others. */
export function openFiling(files: readonly string[], config: Config, runtime: Runtime) {
  const given = new Set(files);
  const [own, fetched] = [new Set<string>(), new Set<string>()];
  const { download, http, parse } = config;
  let opened: ReturnType<typeof openAsking> | undefined;
  let identified: IdentifiedPapers | null = null;
  const open = (): Asking => (opened ??= openAsking(config, runtime));

  /** Records arXiv's version of works just downloaded from there, while that is certainly the downloaded one. */
  const noteVersions = async (records: Records, signal: AbortSignal): Promise<void> => {
    if (fetched.size === 0 || http.contact === '') return;
    const known = records.arxivVersions();
    const unknown = keptFromArxiv(records, configuredServices(config)).filter(([work]) => !known.has(work));
    if (unknown.length > 0) await noteArxivVersions(unknown, records, open(), signal);
  };

  return {
    identified: () => identified,
    /** Wraps the DocTags stage, which maps files to document names. */
    seeing: (stage: FlowingStage): FlowingStage => ({
      ...stage,
      item: (file) => {
        const item = stage.item(file);
        (given.has(file) ? own : fetched).add(item.itemId);
        return item;
      },
    }),
    /** Adds documents that other machines have parsed. */
    note(documents: Iterable<string>): void {
      for (const document of documents) if (!own.has(document)) fetched.add(document);
    },
    /** `known` are the records of an open download. */
    async file(known: Records | undefined, signal: AbortSignal): Promise<void> {
      if (own.size === 0 && fetched.size === 0) return;
      using stack = new DisposableStack();
      const records = known ?? stack.use(Records.open(download.out));
      const now = (): number => runtime.clock.now();
      const asking = (): Asking | undefined => (asksAboutPapers(config) ? open() : undefined);
      const parts = { dataRoot: parse.data_root, records, asking, now };
      if (own.size > 0) identified = await identifyPapers([...own], parts, signal);
      await noteVersions(records, signal);
      await enrichWorks([...fetched], parts, signal);
    },
    [Symbol.asyncDispose]: async () => await opened?.[Symbol.asyncDispose](),
  };
}

/** Whether services are queried about the user's own papers: only with a contact address. */
export function asksAboutPapers({ download, http }: Config): boolean {
  return download.identify && http.contact !== '';
}
