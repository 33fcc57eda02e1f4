import type { Cell, Table } from '../../src/parse/index.ts';
import { stripMarks } from './inline.ts';
import type { Figure } from './paper.ts';
import type { Voice } from './prose/index.ts';
import type { Stream } from './random.ts';
import { bareNoun } from './slots.ts';

type Draft = Pick<Cell, 'row' | 'column' | 'text' | 'kind'> & Partial<Pick<Cell, 'rowSpan' | 'columnSpan'>>;

/** A table with known cells: plain, with spanning column heads, or with spanning row heads. */
export function writeTable(voice: Voice, random: Stream): Table {
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
export function writeFigure(axes: readonly [string, string], random: Stream): Pick<Figure, 'plot' | 'axes' | 'series'> {
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
