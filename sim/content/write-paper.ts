import { writeFact } from './facts.ts';
import { parseInlines, stripMarks } from './inline.ts';
import type { BodyBlock, Inline, Paper, PaperSpec, Paragraph, Section, Figure } from './paper.ts';
import { voiceFor } from './prose/index.ts';
import type { Role, Voice } from './prose/index.ts';
import { deck, stream } from './random.ts';
import type { Stream } from './random.ts';
import { writeReferences } from './references.ts';
import type { Cell, Table } from '../../src/parse/index.ts';

/** State while writing a paper: voice, sentence decks and counters. */
interface WritingState {
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
  const decks = Object.entries(voice.sentences).map(
    ([role, sentences]) => [role, deck(sentences, stream('sentences', spec.seed, role))] as const,
  );
  const desk: WritingState = {
    spec,
    voice,
    random,
    sentence: Object.fromEntries(decks) as WritingState['sentence'],
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

function writeSection(desk: WritingState, plan: Plan): Section[] {
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
function writeParagraph(desk: WritingState, role: Role, extra: Extra['kind'] | undefined, out: BodyBlock[]): void {
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
function freshSentence(desk: WritingState, role: Role, slots: Slots, paragraph: readonly string[]): string | undefined {
  const templates = desk.voice.sentences[role].length;
  for (const avoided of [new Set(desk.said), new Set(paragraph)]) {
    for (let deal = 0; deal < templates; deal++) {
      const text = fillSlots(desk.sentence[role](), slots);
      if (!avoided.has(text)) return text;
    }
  }
  return undefined;
}

function writeSentence(desk: WritingState, text: string): Inline[] {
  const [before = '', after] = text.split(/\s*\{cite\}/);
  if (after === undefined) return parseInlines(before);
  const references = cite(desk);
  if (references.length === 0) return parseInlines(before + after);
  return [...parseInlines(before), { kind: 'cite', references }, ...parseInlines(after)];
}

function cite({ random, uncited, spec }: WritingState): number[] {
  const count = Math.min(random.integer(1, 3), spec.references.length);
  const chosen = new Set<number>();
  while (chosen.size < count) {
    const fresh = uncited.shift();
    chosen.add(fresh ?? random.integer(1, spec.references.length));
  }
  return [...chosen].sort((a, b) => a - b);
}

function announce(desk: WritingState, extra: Exclude<Extra['kind'], 'note'>, slots: Slots): Inline[] {
  const { voice, random, numbers } = desk;
  const text = fillSlots(random.pick(voice.grammar.pointers[extra]), slots);
  if (extra === 'list') return parseInlines(text);
  const number = numbers[extra] + 1;
  const label = extra === 'formula' ? `(${String(number)})` : `${voice.grammar.labels[extra]} ${String(number)}`;
  const [before = '', after = ''] = text.split('{pointer}');
  return [...parseInlines(before), { kind: 'pointer', to: extra, number, text: label }, ...parseInlines(after)];
}

function writeExtra(desk: WritingState, extra: Exclude<Extra['kind'], 'note'>, slots: Slots): BodyBlock {
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
      const filled = items.map((item) => inSlots(item, slots));
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

/** Slot values; one set per paragraph, so that its sentences are about the same things. */
type Slots = Readonly<Record<string, string>>;

/** Draws slot values: `{material}` and `{material2}` always differ. */
function drawSlots(lexicon: Voice['lexicon'], random: Stream): Slots {
  const two = (items: readonly string[]): [string, string] => {
    const [first = '', second = first] = random.shuffle(items);
    return [first, second];
  };
  const [material, material2] = two(lexicon.materials);
  const [factor, factor2] = two(lexicon.factors);
  const [property, property2] = two(lexicon.properties);
  const [method, method2] = two(lexicon.methods);
  return {
    systems: random.pick(lexicon.systems),
    material,
    material2,
    factor,
    factor2,
    property,
    property2,
    method,
    method2,
    problem: random.pick(lexicon.problems),
    mechanism: random.pick(lexicon.mechanisms),
  };
}

/** Fills a template; slots without a value are kept. */
function fillSlots(template: string, slots: Slots): string {
  return capitalise(inSlots(template, slots));
}

function inSlots(template: string, slots: Slots): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => slots[name] ?? whole);
}

/** Names such as `dCas9` keep their lower-case letter. */
function capitalise(text: string): string {
  return /^\p{Ll}[\p{Ll}’-]*(?=[\s,;:.!?]|$)/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** A noun without its article, for table heads and keywords. */
function bareNoun(noun: string): string {
  return capitalise(noun.replace(/^(?:(?:the|an?|die|der|das|le|la|les|el|los|las|un|une|una)\s|l’)/i, ''));
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

/** The outline of a section. */
interface Plan {
  readonly role: Role;
  readonly number: string;
  readonly title: string;
  /** Paragraphs of the section itself, then of each subsection. */
  readonly parts: readonly number[];
  /** What follows each paragraph. */
  readonly extras: readonly Extra[];
}

interface Extra {
  readonly part: number;
  readonly paragraph: number;
  readonly kind: 'table' | 'figure' | 'formula' | 'list' | 'note';
}

// In paper order; the number is the minimum number of sections at which each one is included.
const OUTLINE: readonly (readonly [Role, number])[] = [
  ['introduction', 4],
  ['background', 6],
  ['methods', 4],
  ['methods', 9],
  ['results', 4],
  ['results', 8],
  ['discussion', 5],
  ['limitations', 7],
  ['conclusion', 4],
];

const HOMES: Readonly<Record<Extra['kind'], readonly Role[]>> = {
  table: ['results', 'methods', 'discussion'],
  figure: ['results', 'discussion', 'methods'],
  formula: ['methods', 'background', 'results'],
  list: ['methods', 'introduction', 'background'],
  note: ['methods', 'introduction', 'results'],
};

/** Plans 4 to 9 sections of 2 to 6 paragraphs, at most about thirty paragraphs, and the floats between them. */
function planSections(voice: Voice, random: Stream): Plan[] {
  const size = random.pick([4, 5, 5, 6, 6, 7, 7, 8, 9]);
  const roles = OUTLINE.filter(([, from]) => size >= from).map(([role]) => role);
  const plans = roles.map((role, index) => {
    const paragraphs = random.integer(2, size >= 7 ? 4 : 6);
    const title = sectionTitle(voice, role, roles.indexOf(role) < index, random);
    const parts =
      paragraphs >= 4 && role !== 'introduction' && random.chance(0.8) ? split(paragraphs, random) : [paragraphs];
    return { role, number: String(index + 1), title, parts, extras: [] as Extra[] };
  });
  const counts = {
    table: random.pick([0, 1, 1, 1, 1, 2, 2, 2, 3, 3]),
    figure: random.pick([0, 1, 1, 2]),
    formula: random.pick([0, 0, 1, 2]),
    list: random.pick([0, 1, 1, 2]),
    note: random.pick([0, 1, 2]),
  };
  for (const kind of Object.keys(counts) as (keyof typeof counts)[]) {
    for (let index = 0; index < counts[kind]; index++) place(plans, kind, random);
  }
  return plans;
}

/** The last section name of a kind is reserved for its second section. */
function sectionTitle(voice: Voice, role: Role, isSecond: boolean, random: Stream): string {
  const titles = voice.grammar.headings[role];
  if (isSecond) return titles.at(-1) ?? role;
  return random.pick(role === 'methods' || role === 'results' ? titles.slice(0, -1) : titles);
}

function split(paragraphs: number, random: Stream): number[] {
  const own = random.integer(1, paragraphs - 3);
  const rest = paragraphs - own;
  const first = Math.ceil(rest / 2);
  return [own, first, rest - first];
}

/** Places a float after a free paragraph in the best matching section. */
function place(plans: readonly (Plan & { extras: Extra[] })[], kind: Extra['kind'], random: Stream): void {
  for (const role of HOMES[kind]) {
    const free = plans
      .filter((plan) => plan.role === role)
      .flatMap((plan) =>
        plan.parts.flatMap((count, part) =>
          Array.from({ length: count }, (_unused, paragraph) => ({ plan, part, paragraph })).filter(
            (spot) => !plan.extras.some((extra) => extra.part === part && extra.paragraph === spot.paragraph),
          ),
        ),
      );
    if (free.length === 0) continue;
    const { plan, part, paragraph } = random.pick(free);
    plan.extras.push({ part, paragraph, kind });
    return;
  }
}

type Draft = Pick<Cell, 'row' | 'column' | 'text' | 'kind'> & Partial<Pick<Cell, 'rowSpan' | 'columnSpan'>>;

/** A table with known cells: plain, with spanning column heads, or with spanning row heads. */
function writeTable(voice: Voice, random: Stream): Table {
  const { lexicon, grammar } = voice;
  const shape = random.pick(['plain', 'spanning-heads', 'spanning-heads', 'grouped-rows'] as const);
  const properties = random.shuffle(lexicon.properties).map(bareNoun);
  const names = random.shuffle(lexicon.materials).map((name) => bareNoun(stripMarks(name)));
  const groups = random.integer(3, Math.min(6, names.length + 2));
  const name = (index: number): string => {
    const base = names[index % names.length] ?? '';
    return index < names.length ? base : `${base} (${String(Math.floor(index / names.length) + 1)})`;
  };
  const number = (): string => (random.next() * 10 ** random.integer(1, 2) + 0.5).toFixed(random.integer(1, 2));
  const cells: Draft[] = [];

  if (shape === 'spanning-heads') {
    const heads = properties.slice(0, 2);
    cells.push({ row: 0, column: 0, rowSpan: 2, text: grammar.words.sample, kind: 'column-header' });
    heads.forEach((text, index) => {
      const column = 1 + index * 2;
      cells.push({ row: 0, column, columnSpan: 2, text, kind: 'column-header' });
      cells.push({ row: 1, column, text: grammar.words.mean, kind: 'column-header' });
      cells.push({ row: 1, column: column + 1, text: grammar.words.count, kind: 'column-header' });
    });
    for (let group = 0; group < groups; group++) {
      const row = 2 + group;
      cells.push({ row, column: 0, text: name(group), kind: 'row-header' });
      for (let column = 1; column < 1 + heads.length * 2; column++) {
        const text = column % 2 === 1 ? number() : String(random.integer(4, 96));
        cells.push({ row, column, text, kind: 'data' });
      }
    }
  } else {
    const grouped = shape === 'grouped-rows';
    const first = grouped ? 2 : 1;
    const heads = properties.slice(0, random.integer(2, 3));
    cells.push({ row: 0, column: 0, text: grammar.words.sample, kind: 'column-header' });
    if (grouped) cells.push({ row: 0, column: 1, text: grammar.words.group, kind: 'column-header' });
    heads.forEach((text, index) => cells.push({ row: 0, column: first + index, text, kind: 'column-header' }));
    let row = 1;
    for (let group = 0; group < groups; group++) {
      const lines = grouped ? 2 : 1;
      cells.push({ row, column: 0, rowSpan: lines, text: name(group), kind: 'row-header' });
      for (let line = 0; line < lines; line++, row++) {
        if (grouped) cells.push({ row, column: 1, text: line === 0 ? 'A' : 'B', kind: 'row-header' });
        heads.forEach((_head, index) => cells.push({ row, column: first + index, text: number(), kind: 'data' }));
      }
    }
  }
  const whole = cells
    .map((cell): Cell => ({ rowSpan: 1, columnSpan: 1, ...cell }))
    .sort((a, b) => a.row - b.row || a.column - b.column);
  return {
    rows: Math.max(...whole.map((cell) => cell.row + cell.rowSpan)),
    columns: Math.max(...whole.map((cell) => cell.column + cell.columnSpan)),
    cells: whole,
  };
}

/** The data of a figure, without number and caption. */
function writeFigure(axes: readonly [string, string], random: Stream): Pick<Figure, 'plot' | 'axes' | 'series'> {
  const plot = random.pick(['lines', 'lines', 'bars', 'picture'] as const);
  const count = plot === 'lines' ? random.integer(2, 3) : 1;
  const points = plot === 'lines' ? random.integer(7, 12) : random.integer(5, 8);
  const series = Array.from({ length: count }, (_unused, which) => {
    const ceiling = 0.9 - which * 0.22;
    const speed = 1.5 + random.next() * 3;
    return Array.from({ length: points }, (_point, index) => {
      const course = 0.08 + ceiling * (1 - Math.exp((-speed * index) / points));
      return Math.min(0.98, course + (random.next() - 0.5) * (plot === 'bars' ? 0.3 : 0.05));
    });
  });
  return { plot, axes: [bareNoun(axes[0]), bareNoun(axes[1])], series };
}
