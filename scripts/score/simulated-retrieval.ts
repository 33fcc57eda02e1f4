import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Paper } from '../../sim/content/index.ts';
import { questions, renderPdf, writePaper } from '../../sim/content/index.ts';
import { affiliationLine, authorLine } from '../../sim/content/pdf/title-block.ts';
import { referenceText } from '../../sim/content/references.ts';
import { paperSpec } from '../../sim/server/paper-spec.ts';
import { World } from '../../sim/index.ts';
import type { DenseEngine, Tokenizer, VectorCache } from '../../src/parse/index.ts';
import { chunkDocument, embeddedText, embedTexts } from '../../src/parse/index.ts';
import { parsePdf } from '../../src/parse/doctags/pdf.ts';
import type { Hit, IndexedPassage, SearchIndex } from '../../src/search/index.ts';
import { buildIndex, openIndex } from '../../src/search/index.ts';
import { sectionOf } from '../../src/search/section.ts';
import { LAYOUTS } from './simulated.ts';

/** Targets on simulated papers. */
export const PLANTED_TARGETS = { hitAt5: 0.98, asides: 0 } as const;

/** Results of searching simulated papers. */
export interface PlantedScore {
  readonly papers: number;
  readonly passages: number;
  readonly planted: number;
  /** Share of planted questions whose sentence is in one of the first five hits. */
  readonly hitAt5: number;
  /** Number of questions about content. */
  readonly asked: number;
  /** Hits among the first three that are reference lists or affiliations. */
  readonly asides: readonly string[];
  readonly missed: readonly string[];
  /** Scores of first hits, for questions with and without an answer in the index. */
  readonly fits: { readonly answered: readonly number[]; readonly unanswered: readonly number[] };
}

const CHUNKS = { maxTokens: 256, minTokens: 64, overlapTokens: 0 } as const;
const MODE = 'hybrid';

/** Indexes half of the simulated papers and asks the questions planted in both halves. */
export async function scorePlanted(
  papers: number,
  parts: { readonly engine: DenseEngine; readonly cache: VectorCache; readonly tokenizer: Tokenizer },
): Promise<PlantedScore> {
  const world = new World({ seed: 1, works: 2_000, hosts: 40, profile: 'realistic' });
  const written = Array.from({ length: papers * 2 }, (_, at) => writePaper(paperSpec(world, (at * 37) % world.size)));
  const [indexed, elsewhere] = [written.slice(0, papers), written.slice(papers)];
  await using folder = await mkdtempDisposable(join(tmpdir(), 'score-planted-'));
  const { engine } = parts;
  const dense = { model: engine.model, dimensions: engine.dimensions, dtype: 'float32' } as const;
  await buildIndex(folder.path, passagesOf(indexed, parts), { dense });
  using index = await openIndex(folder.path, engine);
  const asides: string[] = [];
  const missed: string[] = [];
  const fits = { answered: [] as number[], unanswered: [] as number[] };
  const byId = new Map(indexed.map((paper) => [paper.spec.workId, paper]));
  let [planted, hit, asked] = [0, 0, 0];
  const ask = async (question: string): Promise<Hit[]> => {
    const hits = await index.search(question, { mode: MODE, top: 5 });
    asked += 1;
    for (const { passage, rank } of hits.slice(0, 3)) {
      const paper = byId.get(passage.document);
      const aside = paper && asideIn(paper, passage.text);
      if (aside !== undefined) asides.push(`"${question}", answer ${rank}, ${passage.document}: ${aside}`);
    }
    return hits;
  };
  for (const paper of indexed) {
    for (const { question, answer } of questions(paper)) {
      planted += 1;
      const hits = await ask(question);
      fits.answered.push(hits[0]?.fit ?? 0);
      if (hits.some(({ passage }) => squash(passage.text).includes(squash(answer)))) hit += 1;
      else missed.push(`${paper.spec.workId}: ${question}`);
    }
    // Words that occur both in the content and in reference lists or title pages.
    await ask(paper.spec.title);
    for (const { title } of paper.references.slice(0, 3)) await ask(`What is known about ${title}?`);
  }
  for (const paper of elsewhere)
    for (const { question } of questions(paper).slice(0, 5)) fits.unanswered.push(await bestFit(index, question));
  return { papers, passages: index.manifest.passages, planted, hitAt5: hit / planted, asked, asides, missed, fits };
}

export async function bestFit(index: SearchIndex, question: string): Promise<number> {
  const [first] = await index.search(question, { mode: MODE, top: 1 });
  return first?.fit ?? 0;
}

async function* passagesOf(
  papers: readonly Paper[],
  { engine, cache, tokenizer }: Parameters<typeof scorePlanted>[1],
): AsyncGenerator<IndexedPassage> {
  for (const [at, paper] of papers.entries()) {
    const layout = LAYOUTS[at % LAYOUTS.length] ?? 'L1';
    const chunks = chunkDocument(paper.spec.workId, await parsePdf(await renderPdf(paper, layout)), tokenizer, CHUNKS);
    const { vectors } = await embedTexts(chunks.map(embeddedText), { engine, cache, role: 'passage' });
    process.stderr.write(`\rsimulated: ${at + 1} of ${papers.length} papers embedded `);
    for (const [place, chunk] of chunks.entries()) {
      const { id, document, title, headings, text } = chunk;
      const vector = vectors[place];
      yield {
        id,
        document,
        title,
        headings,
        text,
        page: chunk.regions[0]?.page,
        file: undefined,
        section: sectionOf(chunk),
        searchText: embeddedText(chunk),
        vectors: vector ? [vector] : [],
      };
    }
  }
  process.stderr.write('\n');
}

/** Whether a passage is from the reference list or the affiliations; undefined for text. */
function asideIn(paper: Paper, text: string): string | undefined {
  const flat = squash(text);
  const lines = [...paper.references.map(referenceText), affiliationLine(paper), authorLine(paper)];
  return lines.find((line) => line.length >= 20 && flat.includes(squash(line).slice(0, 60)));
}

function squash(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
