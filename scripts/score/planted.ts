import type { Inline, Layout, Paper } from '../../sim/content/index.ts';
import { facts, renderPdf, truth, writePaper } from '../../sim/content/index.ts';
import { paperSpec } from '../../sim/server/paper-spec.ts';
import { World } from '../../sim/world/world.ts';
import { extractDocument } from '../../src/graph/extract/extract-document.ts';
import { findCallouts } from '../../src/graph/extract/callouts.ts';
import { Vocabulary } from '../../src/graph/extract/vocabulary.ts';
import type { Contribution } from '../../src/graph/index.ts';
import type { ParsedDocument } from '../../src/parse/index.ts';
import { parsePdf } from '../../src/parse/doctags/pdf.ts';

/** True positives, all found, all planted. */
interface Planted {
  right: number;
  found: number;
  planted: number;
}

export type PlantedScores = Readonly<Record<'citations' | 'terms' | 'quantities', Planted>>;

const LAYOUTS: readonly Layout[] = ['L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L8'];

/** Extracts citations, entities and values from simulated papers and compares them with what was planted. */
export async function scorePlanted(papers: number): Promise<PlantedScores> {
  const scores = {
    citations: { right: 0, found: 0, planted: 0 },
    terms: { right: 0, found: 0, planted: 0 },
    quantities: { right: 0, found: 0, planted: 0 },
  };
  const world = new World({ seed: 5, works: 400, hosts: 40, profile: 'calm' });
  const all = Array.from({ length: papers }, (_, work) => writePaper(paperSpec(world, work)));
  const names = [
    ...new Set(all.flatMap((paper) => facts(paper).flatMap(({ entities }) => entities.map((each) => each.name)))),
  ];
  const vocabulary = new Vocabulary(names.map((name) => ({ id: `planted:${name}`, name, synonyms: [] })));
  for (const [at, paper] of all.entries()) {
    const layout = LAYOUTS[at % LAYOUTS.length] ?? 'L1';
    const document = await parsePdf(await renderPdf(paper, layout));
    const said = extractDocument(`paper-${at}`, document, { vocabulary });
    addCitations(scores.citations, paper, document);
    addTerms(scores.terms, paper, said, names, layout);
    addQuantities(scores.quantities, paper, said);
  }
  return scores;
}

/** Number of citations of each reference. */
function addCitations(score: Planted, paper: Paper, document: ParsedDocument): void {
  const inlines: Inline[] = paper.sections.flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.kind === 'paragraph' ? block.inlines : block.kind === 'list' ? block.items.flat() : [],
    ),
  );
  const planted = tally(inlines.flatMap((inline) => (inline.kind === 'cite' ? inline.references : [])));
  const { callouts } = findCallouts(document.blocks);
  compare(score, planted, tally(callouts.flatMap(({ references, further }) => [...references, ...further])));
}

function addTerms(score: Planted, paper: Paper, said: Contribution, names: readonly string[], layout: Layout): void {
  const texts = truth(paper, layout)
    .blocks.filter(({ kind }) => kind === 'text' || kind === 'list_item' || kind === 'caption' || kind === 'footnote')
    .map(({ text }) => text.replace(/\s+/g, ' '));
  const planted = names.filter((name) => texts.some((text) => hasWord(text, name)));
  const labels = new Map(said.nodes.map(({ id, label }) => [id, label]));
  const found = said.edges.flatMap(({ kind, target, evidence }) =>
    kind === 'about' && evidence.method === 'vocabulary' ? [labels.get(target) ?? ''] : [],
  );
  compare(score, tally(new Set(planted)), tally(new Set(found)));
}

/** The values in each planted sentence; its count is not an error. The unit must match the value. */
function addQuantities(score: Planted, paper: Paper, said: Contribution): void {
  const byNonce = new Map(facts(paper).map((fact) => [fact.nonce, fact]));
  const planted = [...byNonce].map(([nonce, { value }]) => `${nonce} ${bare(value)}`);
  const found = said.edges.flatMap(({ kind, evidence }) => {
    if (kind !== 'measures' || evidence.method !== 'quantity') return [];
    const printed = bare(String(evidence.detail['printed']));
    return plantedIn(paper, evidence.place).flatMap((nonce) => {
      const { value = '', sentence = '' } = byNonce.get(nonce) ?? {};
      // A number without a known unit is accepted: "1.52 points".
      if (bare(value).startsWith(printed) && numberOf(printed) === numberOf(bare(value)))
        return [`${nonce} ${bare(value)}`];
      const counts = sentence.replaceAll(nonce, ' ').replace(value, ' ').match(NUMBER) ?? [];
      return counts.some((count) => count === numberOf(printed)) ? [] : [`${nonce} ${printed}`];
    });
  });
  compare(score, tally(new Set(planted)), tally(new Set(found)));
}

const NUMBER = /\d+(?:\.\d+)?/g;

function numberOf(text: string): string {
  return text.match(NUMBER)?.[0] ?? '';
}

/** The planted names in a quote. */
function plantedIn(paper: Paper, place: Contribution['edges'][number]['evidence']['place']): string[] {
  if (place.kind !== 'text') return [];
  return facts(paper)
    .map(({ nonce }) => nonce)
    .filter((nonce) => place.quote.includes(nonce));
}

function bare(text: string): string {
  return text.replace(/\s+/g, '').toLowerCase();
}

function hasWord(text: string, word: string): boolean {
  const at = text.toLowerCase().indexOf(word.toLowerCase());
  return at >= 0 && !/[\p{L}\d]/u.test(text[at - 1] ?? ' ') && !/[\p{L}\d]/u.test(text[at + word.length] ?? ' ');
}

function tally(values: Iterable<string | number>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  return counts;
}

function compare(score: Planted, planted: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>): void {
  for (const [key, count] of planted) {
    score.planted += count;
    score.right += Math.min(count, found.get(key) ?? 0);
  }
  for (const count of found.values()) score.found += count;
}
