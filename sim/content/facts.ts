import { stripMarks } from './inline.ts';
import { nonce } from './nonce.ts';
import type { Fact, Paper, PaperSpec, Paragraph } from './paper.ts';
import type { Voice } from './prose/index.ts';
import type { Stream } from './random.ts';

/** Writes the planted fact of the n-th paragraph of a work. */
export function writeFact(spec: PaperSpec, voice: Voice, paragraph: number, random: Stream): Fact {
  const pattern = random.pick(voice.facts);
  const name = nonce(spec.workId, paragraph);
  const sample = random.pick(voice.lexicon.samples);
  const entity = stripMarks(random.pick(pattern.entities ?? voice.lexicon.materials));
  const { least, most, decimals, unit } = pattern.value;
  const value = (least + random.next() * (most - least)).toFixed(decimals) + unit;
  const slots: Readonly<Record<string, string>> = {
    sample,
    nonce: name,
    entity,
    value,
    count: String(random.integer(6, 180)),
  };
  const fill = (template: string): string =>
    template.replaceAll(/\{(\w+)\}/g, (whole, slot: string) => slots[slot] ?? whole);
  return {
    nonce: name,
    subject: `${sample} ${name}`,
    relation: pattern.relation,
    value,
    entities: [{ relation: pattern.entityRelation, name: entity }],
    sentence: fill(pattern.sentence),
    question: fill(pattern.question),
  };
}

export function paragraphs(paper: Paper): Paragraph[] {
  return paper.sections.flatMap((section) => section.blocks.filter((block) => block.kind === 'paragraph'));
}

/** The facts of a paper as knowledge graph edges: values of its samples, and relations to named entities. */
export function facts(paper: Paper): readonly (Fact & { readonly workId: string; readonly paragraph: string })[] {
  return paragraphs(paper).map(({ fact, id }) => ({ ...fact, workId: paper.spec.workId, paragraph: id }));
}

/** Questions with exactly one correct answer: `answer` is the planted sentence, `paragraph` the id of its paragraph. */
export function questions(paper: Paper): readonly {
  readonly question: string;
  readonly answer: string;
  readonly paragraph: string;
  readonly workId: string;
  readonly nonce: string;
  readonly value: string;
}[] {
  return facts(paper).map(({ question, sentence, paragraph, workId, nonce, value }) => ({
    question,
    answer: sentence,
    paragraph,
    workId,
    nonce,
    value,
  }));
}
