import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

import { AppError, canonicalJson } from '../base/index.ts';
import type { DenseEngine } from '../parse/index.ts';
import { DenseIndex } from './dense.ts';
import type { Fusion, Ranking } from './fusion.ts';
import { bestOf, feedbackDepth, fuseConvex, fuseRanks, withFeedback } from './fusion.ts';
import { LexicalIndex } from './lexical.ts';
import type { IndexManifest } from './manifest.ts';
import { readManifest } from './manifest.ts';
import type { Passage } from './passage.ts';

/** What is searched with: words, meaning, or both. */
export type SearchMode = 'lexical' | 'dense' | 'hybrid';

/** A passage found. Scores are only comparable within one search. */
export interface Hit {
  readonly rank: number;
  readonly score: number;
  readonly passage: Passage;
}

export interface SearchOptions {
  readonly mode: SearchMode;
  readonly top: number;
  /** How a hybrid search joins both scores; `convex` with feedback unless told otherwise. */
  readonly fusion?: Fusion;
  readonly feedback?: boolean;
}

/** An index opened for searching. */
export class SearchIndex implements Disposable {
  readonly manifest: IndexManifest;
  readonly #lexical: LexicalIndex;
  readonly #dense: DenseIndex | undefined;
  readonly #engine: DenseEngine | undefined;
  readonly #offsets: Float64Array;
  readonly #records: number;

  constructor(folder: string, manifest: IndexManifest, engine: DenseEngine | undefined) {
    this.manifest = manifest;
    const path = join(folder, manifest.files.lexical);
    this.#lexical = new LexicalIndex(wholeFile(path), path);
    const { dense, files } = manifest;
    if (engine && dense && canonicalJson(engine.model) !== canonicalJson(dense.model)) {
      throw new AppError(
        'INDEX_MODEL',
        `the index was made with ${dense.model.name} (${dense.model.precision}), not with ${engine.model.name} (${engine.model.precision})`,
        { hint: 'search with the model of the index, or embed everything anew' },
      );
    }
    if (engine && dense && files.dense) this.#dense = new DenseIndex(join(folder, files.dense), dense);
    this.#engine = engine;
    this.#offsets = new Float64Array(wholeFile(join(folder, files.offsets)).buffer);
    this.#records = openSync(join(folder, files.passages), 'r');
  }

  /** The modes that can be asked for: without vectors or a model to embed the query, words alone. */
  get modes(): readonly SearchMode[] {
    return this.#dense ? ['lexical', 'dense', 'hybrid'] : ['lexical'];
  }

  /** The best passages for a question. */
  async search(query: string, options: SearchOptions, signal?: AbortSignal): Promise<Hit[]> {
    const { places, scores } = await this.rank(query, options, signal);
    return Array.from(places, (place, at) => ({ rank: at + 1, score: scores[at] ?? 0, passage: this.#passage(place) }));
  }

  /** The same by places in the index, without reading the passages. */
  async rank(query: string, options: SearchOptions, signal?: AbortSignal): Promise<Ranking> {
    const { mode, top } = options;
    if (mode === 'lexical') return bestOf(this.#lexical.score(query), top, 0);
    const dense = this.#dense;
    const [vector] = (await this.#engine?.embed([query], 'query', signal)) ?? [];
    if (!dense || !vector) {
      throw new AppError('INDEX_NOT_DENSE', 'this index can only be searched by words here', {
        hint: 'search with --lexical, or install the model and embed the passages',
      });
    }
    // From here on nothing waits: the dense scores lie in memory that another search would overwrite.
    const { scores, unrelated } = dense.score(vector);
    if (mode === 'dense') return bestOf(scores, top, -Infinity);
    const lexical = this.#lexical.score(query, dense.lexical);
    if (options.fusion === 'rrf') return fuseRanks(lexical, scores, top);
    if (options.feedback === false) return fuseConvex(dense, scores, unrelated, top);
    return withFeedback(fuseConvex(dense, scores, unrelated, feedbackDepth(top)), vector, dense, top);
  }

  #passage(place: number): Passage {
    const from = this.#offsets[place] ?? 0;
    const bytes = Buffer.allocUnsafe((this.#offsets[place + 1] ?? from) - from);
    readSync(this.#records, bytes, 0, bytes.length, from);
    return JSON.parse(bytes.toString('utf8')) as Passage;
  }

  [Symbol.dispose](): void {
    closeSync(this.#records);
  }
}

/** Opens the index in a folder; with an engine also its vectors. */
export async function openIndex(folder: string, engine?: DenseEngine): Promise<SearchIndex> {
  const manifest = await readManifest(folder);
  try {
    return new SearchIndex(folder, manifest, engine);
  } catch (error) {
    // In between, a new build may have taken the old one's place and removed its files.
    const now = await readManifest(folder);
    if (now.files.lexical === manifest.files.lexical) throw error;
    return new SearchIndex(folder, now, engine);
  }
}

/** A file in memory of its own, so that typed arrays can lie over it. */
function wholeFile(path: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = readFileSync(path);
    return bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength
      ? new Uint8Array(bytes.buffer)
      : Uint8Array.from(bytes);
  } catch (cause) {
    throw new AppError('INDEX_DAMAGED', `${path} cannot be read`, { hint: 'build the index again', cause });
  }
}
