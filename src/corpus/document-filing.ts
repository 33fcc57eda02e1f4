import type { Config } from '../config/index.ts';
import type { Asking, IdentifiedPapers, Runtime } from '../harvest/index.ts';
import {
  askArxivVersions,
  configuredServices,
  enrichWorks,
  identifyPapers,
  keptFromArxiv,
  openAsking,
} from '../harvest/index.ts';
import { Records } from '../store/index.ts';
import type { FlowingStage } from './prepare-stages.ts';

/**
 * Notes documents as they are parsed. At the end of a run it writes records of the user's own papers, and completes the
 * records of downloaded works from their documents.
 */
export class DocumentFiling implements AsyncDisposable {
  readonly #files: ReadonlySet<string>;
  readonly #own: string[] = [];
  readonly #fetched: string[] = [];
  readonly #config: Config;
  readonly #runtime: Runtime;
  #asking: (Asking & AsyncDisposable) | undefined;
  #identified: IdentifiedPapers | null = null;

  constructor(files: readonly string[], config: Config, runtime: Runtime) {
    this.#files = new Set(files);
    this.#config = config;
    this.#runtime = runtime;
  }

  #ask(): Asking | undefined {
    if (asksAboutPapers(this.#config)) this.#asking ??= openAsking(this.#config, this.#runtime);
    return this.#asking;
  }

  /** How papers were identified; null before that, and if there are none. */
  get identified(): IdentifiedPapers | null {
    return this.#identified;
  }

  /** Wraps the DocTags stage, which maps files to document names. */
  seeing(stage: FlowingStage): FlowingStage {
    return {
      ...stage,
      item: (file) => {
        const item = stage.item(file);
        if (item) (this.#files.has(file) ? this.#own : this.#fetched).push(item.itemId);
        return item;
      },
    };
  }

  /** Adds documents that other machines have parsed. */
  note(documents: Iterable<string>): void {
    const known = new Set([...this.#own, ...this.#fetched]);
    for (const document of documents) if (!known.has(document)) this.#fetched.push(document);
  }

  /** Writes the records, into the open download's table if there is one, else into the folder's. */
  async file(opened: Records | undefined, signal: AbortSignal): Promise<void> {
    if (this.#own.length === 0 && this.#fetched.length === 0) return;
    const { out } = this.#config.download;
    using stack = new DisposableStack();
    const records = opened ?? stack.use(Records.open(out));
    const dataRoot = this.#config.parse.data_root;
    const now = (): number => this.#runtime.clock.now();
    const parts = { dataRoot, records, asking: () => this.#ask(), now };
    if (this.#own.length > 0) this.#identified = await identifyPapers(this.#own, parts, signal);
    await this.#noteVersions(records, signal);
    await enrichWorks(this.#fetched, parts, signal);
  }

  /** Records arXiv's version of works just downloaded from there, while that is certainly the downloaded one. */
  async #noteVersions(records: Records, signal: AbortSignal): Promise<void> {
    if (this.#fetched.length === 0 || this.#config.http.contact === '') return;
    const known = records.arxivVersions();
    const kept = worksFromArxiv(records, { services: configuredServices(this.#config) });
    const unknown = kept.filter(([work]) => !known.has(work));
    if (unknown.length === 0) return;
    this.#asking ??= openAsking(this.#config, this.#runtime);
    await noteArxivVersions(unknown, records, this.#asking, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#asking?.[Symbol.asyncDispose]();
  }
}

/** Whether services are queried about the user's own papers: only with a contact address. */
export function asksAboutPapers({ download, http }: Config): boolean {
  return download.identify && http.contact !== '';
}

/** Works downloaded from arXiv, by the ids of their records, with their arXiv ids. */
export function worksFromArxiv(records: Records, services: Pick<Asking, 'services'>): (readonly [string, string])[] {
  const kept = keptFromArxiv(records.lastRows(), services);
  return Array.from(kept, ([work, arxiv]) => [records.get(work)?.id ?? work, arxiv] as const);
}

/** Asks arXiv for the current versions of works and records them. */
export async function noteArxivVersions(
  works: readonly (readonly [work: string, arxiv: string])[],
  records: Records,
  asking: Asking,
  signal: AbortSignal,
): Promise<void> {
  const ids = works.map(([, arxiv]) => arxiv);
  const versions = await askArxivVersions(ids, asking, signal);
  records.noteArxivVersions(
    works.flatMap(([work, arxiv]) => {
      const version = versions.get(arxiv);
      return version === undefined ? [] : [[work, version] as const];
    }),
  );
}
