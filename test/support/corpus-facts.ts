import { askCorpus } from '../../src/ask/index.ts';
import { errorInfo, sha256 } from '../../src/base/index.ts';
import type { Corpus, ExportFormat } from '../../src/corpus/index.ts';
import { EXPORT_FORMATS } from '../../src/corpus/index.ts';
import { graphHash } from './graph.ts';

/** Formats that are one text. */
const TEXTS = EXPORT_FORMATS.filter((format) => !['parquet', 'obsidian', 'ro-crate'].includes(format));

export interface FactsOptions {
  readonly questions: readonly string[];
  /** Hits of each question. */
  readonly top?: number;
}

/** Everything that a corpus answers, wherever it is: two corpora with equal facts cannot be told apart by asking them. */
export async function corpusFacts(corpus: Corpus, { questions, top = 20 }: FactsOptions): Promise<object> {
  const { library } = corpus;
  const works = await library.works({ limit: 1_000 });
  const documents = await Array.fromAsync(
    works.items.filter(({ document }) => document !== null),
    async ({ document }) => [document, sha256(JSON.stringify(await textOf(library, document ?? '')))],
  );
  const exports = await Array.fromAsync(TEXTS, async (format: ExportFormat) => [
    format,
    (await Array.fromAsync(corpus.export({ format }))).join(''),
  ]);
  await using session = await corpus.openSearch();
  const answers: unknown[] = [];
  for (const question of questions) {
    const hits = await session.search(question, { top });
    const answer = await askCorpus(session, question);
    answers.push([question, hits.map(withoutNoise), answer.sentences.map(({ text, quotes }) => [text, quotes])]);
  }
  using graph = corpus.graph.open();
  return {
    account: await library.account(),
    works: works.items,
    documents,
    exports,
    answers,
    graph: graphHash(graph.store),
    notes: corpus.notes(),
    sets: corpus.sets(),
    corrections: [...corpus.corrections()],
    run: await corpus.account(),
  };
}

/** A paper that could not be parsed has no text. */
async function textOf(library: Corpus['library'], document: string): Promise<unknown> {
  try {
    return await library.document(document);
  } catch (error) {
    if (errorInfo(error).code === 'CORPUS_NO_DOCUMENT') return null;
    throw error;
  }
}

/** Sums of floating point numbers depend on their order: the last digits may differ, and change how others are rounded. */
function withoutNoise({ score, fit, ...hit }: { readonly score: number; readonly fit: number }): object {
  return { ...hit, score: score.toFixed(3), fit: fit.toFixed(3) };
}
