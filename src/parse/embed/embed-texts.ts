import { canonicalJson } from '../../base/index.ts';
import type { VectorCache } from './cache.ts';
import { cacheKey } from './cache.ts';
import type { DenseEngine, Role } from './engine.ts';

/** Writing every vector of a fast engine by itself would cost more than making it. */
const KEPT_TOGETHER = 64;

/** The result of embedding some texts. */
export interface Embedded {
  /** One per text, in the order of the texts. */
  readonly vectors: readonly Float32Array[];
  /** How many different texts were really embedded; the others were known. */
  readonly embedded: number;
}

interface EmbedOptions {
  readonly engine: DenseEngine;
  readonly cache: VectorCache | undefined;
  readonly role: Role;
  readonly signal?: AbortSignal;
}

interface Work {
  readonly key: Uint8Array;
  readonly text: string;
  readonly places: number[];
}

/**
 * Embeds what the cache does not know, in batches of similar length so that little is padded. Each batch is kept as
 * soon as it is there: when the engine fails for good, the next run continues from that point.
 */
export async function embedTexts(texts: readonly string[], options: EmbedOptions): Promise<Embedded> {
  const { engine, cache, role } = options;
  const model = canonicalJson({ ...engine.model, dimensions: engine.dimensions, role });
  const vectors: Float32Array[] = Array.from({ length: texts.length });
  const wanted = new Map<string, Work>();
  for (const [place, text] of texts.entries()) {
    const same = wanted.get(text);
    if (same) same.places.push(place);
    else wanted.set(text, { key: cacheKey(model, text), text, places: [place] });
  }
  const works = [...wanted.values()];
  const known = cache?.getAll(works.map(({ key }) => key)) ?? [];
  const missing = works.filter(({ places }, at) => {
    const vector = known[at];
    if (vector?.length !== engine.dimensions) return true;
    for (const place of places) vectors[place] = vector;
    return false;
  });
  await embedMissing(missing, vectors, options);
  return { vectors, embedded: missing.length };
}

async function embedMissing(missing: Work[], vectors: Float32Array[], options: EmbedOptions): Promise<void> {
  const { engine, cache, role, signal } = options;
  missing.sort((a, b) => b.text.length - a.text.length);
  const stop = new AbortController();
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  let unkept: [Uint8Array, Float32Array][] = [];
  const keep = (): void => {
    if (unkept.length > 0) cache?.putAll(unkept);
    unkept = [];
  };
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < missing.length) {
      const batch = missing.slice(next, next + engine.batchSize);
      next += batch.length;
      const made = await engine.embed(
        batch.map(({ text }) => text),
        role,
        either,
      );
      for (const [at, { key, places }] of batch.entries()) {
        const vector = made[at];
        if (!vector) continue;
        for (const place of places) vectors[place] = vector;
        unkept.push([key, vector]);
      }
      if (unkept.length >= KEPT_TOGETHER) keep();
    }
  };
  const workers = Array.from({ length: Math.min(engine.concurrency, missing.length) }, async () => {
    try {
      await work();
    } catch (error) {
      // The first failure stops the others; they must have ended before what was done is written.
      stop.abort(error);
      throw error;
    }
  });
  const ended = await Promise.allSettled(workers);
  keep();
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed) throw stop.signal.aborted ? stop.signal.reason : failed.reason;
}
