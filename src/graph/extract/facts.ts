import { lettersOf, foldCase } from '../link/letters.ts';
import { ABBREVIATION_VERSION, findAbbreviations } from './abbreviations.ts';
import { findDatasets } from './datasets.ts';
import { measuredBy } from './measured.ts';
import type { Quantity } from './quantities.ts';
import { findQuantities, QUANTITY_VERSION } from './quantities.ts';
import type { Reading } from './reading.ts';
import { findSoftware, SOFTWARE_VERSION } from './software.ts';
import type { Stretch } from './sentences.ts';
import type { Statements } from './statements.ts';
import { THIS_WORK } from './statements.ts';

const ABBREVIATION = { name: 'abbreviation', version: ABBREVIATION_VERSION };
const QUANTITY = { name: 'quantity', version: QUANTITY_VERSION };
const SOFTWARE = { name: 'software', version: SOFTWARE_VERSION };
const DATASET = { name: 'dataset', version: 1 };

/** Abbreviations that the text explains. */
export function extractAbbreviations(reading: Reading, say: Statements): void {
  for (const { block } of reading.prose)
    for (const { short, long, score } of findAbbreviations(block.text)) {
      const term = say.node('term', `text:${termId(long.text)}`, long.text, { data: { abbreviation: short.text } });
      const stretch = { start: Math.min(short.start, long.start), end: Math.max(short.end, long.end) };
      say.edge({ source: THIS_WORK, kind: 'defines', target: term }, { block: block.order, stretch }, ABBREVIATION, {
        score: Math.min(1, score),
        detail: { short: short.text, long: long.text },
      });
    }
}

/** Quantities that sentences state. */
export function extractQuantities(reading: Reading, say: Statements): void {
  for (const { block, section } of reading.prose)
    for (const quantity of findQuantities(block.text)) {
      const sentence = reading.sentenceAt(block.order, quantity.start);
      if (!sentence || quantity.end > sentence.stretch.end) continue;
      const { stretch } = sentence;
      const text = block.text.slice(stretch.start, stretch.end);
      const place = { start: quantity.start - stretch.start, end: quantity.end - stretch.start };
      const measured = measuredBy(text, place, quantity.unit === undefined || quantity.unit.text.includes('%'));
      const words = (at: Stretch | null): string | null => at && text.slice(at.start, at.end);
      const printed = block.text.slice(quantity.start, quantity.end);
      const property = words(measured.property);
      const entity = quantity.counted ?? words(measured.entity);
      const target = say.node(
        'quantity',
        quantityId(quantity, property, entity),
        quantityLabel(printed, property, entity),
        {
          data: {
            values: quantity.values,
            unit: quantity.unit?.text ?? null,
            normal: quantity.normal,
            base: quantity.unit?.base ?? null,
            ...(quantity.uncertainty !== undefined && { uncertainty: quantity.uncertainty }),
            property,
            entity,
          },
        },
      );
      say.edge({ source: THIS_WORK, kind: 'measures', target }, { block: block.order, stretch }, QUANTITY, {
        detail: { at: quantity.start, printed, shape: quantity.shape, modifier: quantity.modifier, section },
      });
    }
}

/** Programs and data sets that the text names. */
export function extractResources(reading: Reading, say: Statements): void {
  const paragraphs = reading.prose.map(({ block }) => block.text);
  for (const { paragraph, start, name, program, version, reason } of findSoftware(paragraphs)) {
    const read = reading.prose[paragraph];
    const sentence = read && reading.sentenceAt(read.block.order, start);
    if (!read || !sentence) continue;
    const target = say.node('software', `name:${lettersOf(program)}`, program);
    say.edge(
      { source: THIS_WORK, kind: 'uses', target },
      { block: read.block.order, stretch: sentence.stretch },
      SOFTWARE,
      {
        detail: { at: start, printed: name, version: version ?? null, reason, section: read.section },
      },
    );
  }
  for (const { block, section } of reading.prose)
    for (const { start, id, label, kind } of findDatasets(block.text)) {
      const sentence = reading.sentenceAt(block.order, start);
      if (!sentence) continue;
      const target = say.node(kind, id, label);
      say.edge(
        { source: THIS_WORK, kind: 'uses', target },
        { block: block.order, stretch: sentence.stretch },
        DATASET,
        {
          detail: { at: start, printed: label, section },
        },
      );
    }
}

/** A notion's words in lower case without accents, the last one in the singular: one id for every print of it. */
export function termId(text: string): string {
  return foldCase(text)
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .trim()
    .replace(/(?<=[a-z]{2}[^s\W])s$/, (plural) => (/(?:us|is|ss|ous)$/.test(foldCase(text)) ? plural : ''));
}

function quantityId(quantity: Quantity, property: string | null, entity: string | null): string {
  const uncertainty = quantity.uncertainty === undefined ? '' : `±${quantity.uncertainty.join('..')}`;
  const value = quantity.normal.join('..') + uncertainty;
  return `${value} ${quantity.unit?.base ?? ''}|${termId(property ?? '')}|${termId(entity ?? '')}`;
}

function quantityLabel(printed: string, property: string | null, entity: string | null): string {
  return [property, printed, entity].filter((part) => part !== null && part !== '').join(' · ');
}
