import { basename } from 'node:path';

import type { Config } from '../../config/index.ts';
import type { PostgresConnection } from '../../queue/kept/index.ts';
import type { FileFormat } from '../../parse/index.ts';
import { chunkOutput, embedOutput } from '../../parse/index.ts';
import type { FoundDocument, IndexEvent } from '../../search/index.ts';
import { PostgresIndex, putDocument, readPostgresManifest, refreshPostgresIndex } from '../../search/index.ts';
import type { RunAccount } from '../run-file.ts';
import { portable } from '../stages/stored-outputs.ts';
import type { CorpusFiles } from '../storage/corpus-files.ts';

/** Said once when the server cannot search by meaning. */
const NO_VECTORS =
  'the PostgreSQL server has no extension "vector" 0.8 or newer: passages are searched by words alone; an ' +
  'administrator adds it with CREATE EXTENSION vector, and docstokg reindex --database … builds the index again';

/** The search index of a fleet, in the database with its logs. */
export class FleetIndex {
  readonly #index: PostgresIndex;
  readonly #connection: PostgresConnection;
  readonly #files: CorpusFiles;
  readonly #config: Config;

  private constructor(
    index: PostgresIndex,
    parts: { readonly connection: PostgresConnection; readonly files: CorpusFiles; readonly config: Config },
  ) {
    this.#index = index;
    this.#connection = parts.connection;
    this.#files = parts.files;
    this.#config = parts.config;
  }

  /** The connection stays the caller's. */
  static async open(parts: {
    readonly connection: PostgresConnection;
    readonly files: CorpusFiles;
    readonly config: Config;
    readonly warn: (message: string) => void;
    /** Whether it is built beside the one that is searched, and replaces it when it is complete. */
    readonly anew?: boolean;
    /** How many documents make a segment of words. */
    readonly joined?: number;
  }): Promise<FleetIndex> {
    const { connection, anew = false, joined } = parts;
    const index = await PostgresIndex.open(connection, { anew, ...(joined !== undefined && { joined }) });
    if (!index.hasVectors) parts.warn(NO_VECTORS);
    return new FleetIndex(index, parts);
  }

  /** Adds a document whose passages and vectors are in the store; nothing happens if it is there already. */
  async put(document: string): Promise<void> {
    const found = this.#found(document, this.#config.parse.format);
    if (found) await putDocument(this.#index, found);
  }

  /** Adds what is missing, removes what is gone, and searches the result. */
  async refresh(
    report: (event: IndexEvent) => void,
    signal: AbortSignal,
  ): Promise<NonNullable<RunAccount['index']> | undefined> {
    const documents = this.#documents();
    if (documents.length === 0) return undefined;
    await refreshPostgresIndex(this.#index, documents, { report, signal });
    const manifest = await readPostgresManifest(this.#connection);
    const { passages = 0, dense = null } = manifest ?? {};
    report({ kind: 'index-ended', passages, documents: documents.length });
    return { passages, searched_by: dense ? 'words and meaning' : 'words' };
  }

  /** All documents with passages in the store. */
  #documents(): FoundDocument[] {
    const { parse } = this.#config;
    const formats: readonly FileFormat[] = [parse.format, parse.format === 'parquet' ? 'jsonl' : 'parquet'];
    const found = new Map<string, FoundDocument>();
    for (const format of formats) {
      const folder = this.#path(chunkOutput(parse.data_root, '', format)).slice(0, -`.${format}`.length);
      for (const { path } of this.#files.below(folder)) {
        const document = basename(path, `.${format}`);
        if (!path.endsWith(`.${format}`) || found.has(document)) continue;
        const each = this.#found(document, format);
        if (each) found.set(document, each);
      }
    }
    return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  #found(id: string, format: FileFormat): FoundDocument | undefined {
    const { data_root: dataRoot } = this.#config.parse;
    const [chunks, vectors] = [chunkOutput(dataRoot, id, format), embedOutput(dataRoot, id, format)];
    const [ofChunks, ofVectors] = [chunks, vectors].map((path) => this.#files.of(this.#path(path)));
    if (!ofChunks) return undefined;
    const paper = ['PDF', 'XML', 'HTML'].map((kind) => `${kind}/${id}.${kind.toLowerCase()}`);
    return {
      id,
      chunks,
      vectors: ofVectors && vectors,
      file: paper.find((path) => this.#files.of(path) !== undefined),
      stamp: [ofChunks, ofVectors].map((object) => object?.sha256 ?? '').join(' '),
      bring: async () => {
        await this.#files.bring(this.#path(chunks));
        if (ofVectors) await this.#files.bring(this.#path(vectors));
      },
    };
  }

  #path(path: string): string {
    return portable(path, this.#files.folder);
  }
}
