import { hash } from 'node:crypto';
import { stripMarks } from './inline.ts';
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

const ONSETS = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z', 'br', 'dr', 'tr', 'kl'] as const;
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'y'] as const;
const ENDS = ['n', 'l', 'r', 'x', 'th', 'm', 's', 'k', 'd', 'v', 'lt', 'rn'] as const;
const LETTERS = 'ABCDEFGHJKLMNPQRSTUV';

/** 2^37: 31 bits for the work number and 6 for the paragraph. There are 3 × 10^11 possible names. */
const SPACE = 1n << 37n;

/**
 * A made-up name such as `Kavomel-R482` for one paragraph of one work. The mapping is invertible, so no two paragraphs
 * of a world share a name.
 */
function nonce(workId: string, paragraph: number): string {
  const digits = /(\d{1,15})$/.exec(workId)?.[1];
  const work = digits ? BigInt(digits) : hash('sha256', workId, 'buffer').readBigUInt64LE(0);
  let rest = ((work & 0x7fffffffn) << 6n) | BigInt(paragraph & 63);
  // Odd multipliers and xor-shifts are bijective and scatter neighbours.
  for (const factor of [0x9e3779b97n, 0x1b873593fn]) {
    rest = (rest * factor) % SPACE;
    rest ^= rest >> 19n;
  }
  const take = (size: number): number => {
    const digit = Number(rest % BigInt(size));
    rest /= BigInt(size);
    return digit;
  };
  let name = '';
  for (let syllable = 0; syllable < 3; syllable++) {
    name += (ONSETS[take(ONSETS.length)] ?? '') + (VOWELS[take(VOWELS.length)] ?? '');
  }
  name += ENDS[take(ENDS.length)] ?? '';
  const letter = LETTERS[take(LETTERS.length)] ?? 'A';
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}-${letter}${String(100 + take(900))}`;
}
