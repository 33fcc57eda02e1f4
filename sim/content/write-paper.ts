import { writeFact } from './facts.ts';
import { writeFigure, writeTable } from './floats.ts';
import { parseInlines, stripMarks } from './inline.ts';
import type { BodyBlock, Inline, Paper, PaperSpec, Paragraph, Section } from './paper.ts';
import { planSections } from './plan.ts';
import type { Plan } from './plan.ts';
import { voiceFor } from './prose/index.ts';
import type { Role, Voice } from './prose/index.ts';
import { deck, stream } from './random.ts';
import type { Stream } from './random.ts';
import { writeReferences } from './references.ts';
import { bareNoun, drawSlots, fillSlots } from './slots.ts';
import type { Slots } from './slots.ts';

/** State while writing a paper: voice, sentence decks and counters. */
interface Desk {
  readonly spec: PaperSpec;
  readonly voice: Voice;
  readonly random: Stream;
  readonly sentence: Readonly<Record<Role, () => string>>;
  readonly subheading: () => string;
  readonly numbers: { paragraph: number; table: number; figure: number; formula: number; list: number };
  readonly notes: string[];
  /** Sentences written so far. */
  readonly said: string[];
  /** References not cited yet, so that most are cited at least once. */
  readonly uncited: number[];
}

/** Writes the paper of a specification; deterministic for a seed on every machine. */
export function writePaper(spec: PaperSpec): Paper {
  const voice = voiceFor(spec.language, spec.topic);
  const random = stream('paper', spec.seed, spec.workId);
  const dealer = (role: Role): (() => string) => deck(voice.sentences[role], stream('sentences', spec.seed, role));
  const desk: Desk = {
    spec,
    voice,
    random,
    sentence: {
      introduction: dealer('introduction'),
      background: dealer('background'),
      methods: dealer('methods'),
      results: dealer('results'),
      discussion: dealer('discussion'),
      limitations: dealer('limitations'),
      conclusion: dealer('conclusion'),
    },
    subheading: deck(voice.grammar.subheadings, stream('subheadings', spec.seed)),
    numbers: { paragraph: 0, table: 0, figure: 0, formula: 0, list: 0 },
    notes: [],
    said: [],
    uncited: spec.references.map((_reference, index) => index + 1),
  };
  const sections = planSections(voice, stream('plan', spec.seed, spec.workId)).map((plan) => writeSection(desk, plan));
  const subject = stream('keywords', spec.seed);
  const { lexicon } = voice;
  return {
    spec,
    language: voice.grammar.language,
    labels: voice.grammar.labels,
    keywords: [
      ...subject.shuffle(lexicon.properties).slice(0, 2),
      ...subject.shuffle(lexicon.methods).slice(0, 2),
      ...subject.shuffle(lexicon.materials).slice(0, 1),
    ].map((word) => bareNoun(stripMarks(word))),
    sections: sections.flat(),
    notes: desk.notes,
    references: writeReferences(spec),
    volume: Math.max(1, spec.year - 1978),
    firstPage: stream('pages', spec.seed).integer(1, 900),
  };
}

function writeSection(desk: Desk, plan: Plan): Section[] {
  const blocks: BodyBlock[][] = plan.parts.map((count, part) => {
    const out: BodyBlock[] = [];
    for (let index = 0; index < count; index++) {
      const extra = plan.extras.find((candidate) => candidate.part === part && candidate.paragraph === index);
      writeParagraph(desk, plan.role, extra?.kind, out);
    }
    return out;
  });
  return blocks.map((part, index) => {
    const title = index === 0 ? plan.title : fillSlots(desk.subheading(), drawSlots(desk.voice.lexicon, desk.random));
    const number = index === 0 ? plan.number : `${plan.number}.${String(index)}`;
    return {
      id: `sec${number.replace('.', '-')}`,
      number,
      level: index === 0 ? 1 : 2,
      title: stripMarks(title),
      blocks: part,
    };
  });
}

/** Writes a paragraph, followed by the table, figure, formula or list it announces. */
function writeParagraph(
  desk: Desk,
  role: Role,
  extra: Plan['extras'][number]['kind'] | undefined,
  out: BodyBlock[],
): void {
  const { random, voice, numbers, spec } = desk;
  const slots = drawSlots(voice.lexicon, random);
  const fact = writeFact(spec, voice, numbers.paragraph, random);
  const sentences: Inline[][] = [];
  const length = random.integer(3, 5);
  for (let index = 0; index < length; index++) {
    const said = desk.said.slice(-index);
    const text = freshSentence(desk, role, slots, index === 0 ? [] : said);
    if (text === undefined) break;
    desk.said.push(text);
    sentences.push(writeSentence(desk, text));
  }
  sentences.splice(random.integer(1, sentences.length), 0, [{ kind: 'text', text: fact.sentence }]);
  if (extra && extra !== 'note') sentences.push(announce(desk, extra, slots));
  if (extra === 'note') {
    const note = fillSlots(random.pick(voice.grammar.notes), slots);
    if (!desk.notes.includes(note)) {
      sentences.at(-1)?.push({ kind: 'note', note: desk.notes.length });
      desk.notes.push(stripMarks(note));
    }
  }
  const inlines = sentences.flatMap((sentence, index) =>
    index === 0 ? sentence : [{ kind: 'text' as const, text: ' ' }, ...sentence],
  );
  numbers.paragraph++;
  const paragraph: Paragraph = {
    kind: 'paragraph',
    id: `p${String(numbers.paragraph)}`,
    inlines: merge(inlines),
    fact,
  };
  out.push(paragraph);
  if (extra && extra !== 'note') out.push(writeExtra(desk, extra, slots));
}

/** A sentence that is new to the paper, or at least to the paragraph; undefined if none is left. */
function freshSentence(desk: Desk, role: Role, slots: Slots, paragraph: readonly string[]): string | undefined {
  const templates = desk.voice.sentences[role].length;
  for (const avoided of [new Set(desk.said), new Set(paragraph)]) {
    for (let deal = 0; deal < templates; deal++) {
      const text = fillSlots(desk.sentence[role](), slots);
      if (!avoided.has(text)) return text;
    }
  }
  return undefined;
}

function writeSentence(desk: Desk, text: string): Inline[] {
  const [before = '', after] = text.split(/\s*\{cite\}/);
  if (after === undefined) return parseInlines(before);
  const references = cite(desk);
  if (references.length === 0) return parseInlines(before + after);
  return [...parseInlines(before), { kind: 'cite', references }, ...parseInlines(after)];
}

function cite({ random, uncited, spec }: Desk): number[] {
  const count = Math.min(random.integer(1, 3), spec.references.length);
  const chosen = new Set<number>();
  while (chosen.size < count) {
    const fresh = uncited.shift();
    chosen.add(fresh ?? random.integer(1, spec.references.length));
  }
  return [...chosen].sort((a, b) => a - b);
}

function announce(desk: Desk, extra: 'table' | 'figure' | 'formula' | 'list', slots: Slots): Inline[] {
  const { voice, random, numbers } = desk;
  const text = fillSlots(random.pick(voice.grammar.pointers[extra]), slots);
  if (extra === 'list') return parseInlines(text);
  const number = numbers[extra] + 1;
  const label = extra === 'formula' ? `(${String(number)})` : `${voice.grammar.labels[extra]} ${String(number)}`;
  const [before = '', after = ''] = text.split('{pointer}');
  return [...parseInlines(before), { kind: 'pointer', to: extra, number, text: label }, ...parseInlines(after)];
}

function writeExtra(desk: Desk, extra: 'table' | 'figure' | 'formula' | 'list', slots: Slots): BodyBlock {
  const { voice, random, numbers } = desk;
  const number = ++numbers[extra];
  const id = `${extra}${String(number)}`;
  switch (extra) {
    case 'table': {
      const caption = stripMarks(fillSlots(random.pick(voice.grammar.tableCaptions), slots));
      return { kind: 'table', id, number, caption, table: writeTable(voice, random) };
    }
    case 'figure': {
      const figure = writeFigure([slots['factor'] ?? '', slots['property'] ?? ''], random);
      // The last caption describes a recording, which matches a picture.
      const captions = voice.grammar.figureCaptions;
      const caption = figure.plot === 'picture' ? captions.at(-1) : random.pick(captions.slice(0, -1));
      return { kind: 'figure', id, number, caption: stripMarks(fillSlots(caption ?? '', slots)), ...figure };
    }
    case 'formula': {
      const formula = voice.formulas[(number - 1) % voice.formulas.length];
      if (!formula) throw new RangeError('a theme without formulas cannot show one');
      return { kind: 'formula', id, number, ...formula };
    }
    case 'list': {
      const items = random.shuffle(voice.grammar.listItems).slice(0, random.integer(3, 4));
      const filled = items.map((item) => item.replaceAll(/\{(\w+)\}/g, (whole, name: string) => slots[name] ?? whole));
      const last = filled.length - 1;
      const ordered = random.chance(0.5);
      return {
        kind: 'list',
        id,
        ordered,
        items: filled.map((item, index) => parseInlines(index === last ? item.replace(/\s?;$/, '.') : item)),
      };
    }
  }
}

/** Joins adjacent plain pieces, which simplifies rendering and line breaking. */
function merge(inlines: readonly Inline[]): Inline[] {
  const out: Inline[] = [];
  for (const inline of inlines) {
    const last = out.at(-1);
    if (inline.kind === 'text' && last?.kind === 'text')
      out[out.length - 1] = { kind: 'text', text: last.text + inline.text };
    else out.push(inline);
  }
  return out;
}
