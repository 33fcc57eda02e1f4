import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../parse/index.ts';
import { Reading } from '../extract/reading.ts';
import { findingsPrompt } from './findings-prompt.ts';
import { paperSections, placeIn } from './paper-sections.ts';

const LONG = 'Oil was rich in camphor, and that was so in every plant that we had in the garden in this dry year. ';

function reading(...blocks: readonly (readonly [kind: 'title' | 'heading' | 'text', text: string])[]): Reading {
  const all = blocks.map(([kind, text], order): Block =>
    kind === 'heading' ? { kind, text, order, level: 1, regions: [] } : { kind, text, order, regions: [] },
  );
  const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
  return new Reading('paper', { pages: [], blocks: all, metadata }, null);
}

test('a section is one text with title, heading and abbreviations; introduction and methods are left out', () => {
  const sections = paperSections(
    reading(
      ['title', 'Oils'],
      ['heading', 'Introduction'],
      ['text', `Essential oil (EO) is old. ${LONG}`],
      ['heading', 'Results'],
      ['text', `The EO was weighed. ${LONG}`],
      ['text', 'Thymol was not there.'],
      ['heading', 'Funding'],
      ['text', LONG + LONG],
    ),
  );
  assert.deepEqual(
    sections.map(({ heading, text }) => [heading, text]),
    [['Results', `The EO was weighed. ${LONG.trim()}\n\nThymol was not there.`]],
  );
  const content = sections[0] && findingsPrompt(sections[0]).messages[1]?.content;
  assert.match(content ?? '', /^<paper title="Oils" section="Results" abbreviations="EO = Essential oil">/);
});

test('a place in a section is one in its paragraph; a stretch over two paragraphs is none', () => {
  const [section] = paperSections(reading(['heading', 'Results'], ['text', LONG], ['text', `And thymol. ${LONG}`]));
  assert.ok(section);
  const at = section.text.indexOf('thymol');
  assert.deepEqual(placeIn(section, { start: at, end: at + 6 }), { block: 2, stretch: { start: 4, end: 10 } });
  assert.equal(placeIn(section, { start: 4, end: at }), undefined);
});

test('results under sub-headings are read, authors and addresses before the abstract are not', () => {
  const sections = paperSections(
    reading(
      ['title', 'Oils'],
      ['text', `Ana Berg, Department of Oils. ${LONG}`],
      ['heading', 'Abstract'],
      ['text', LONG + LONG],
      ['heading', 'Methods'],
      ['text', LONG + LONG],
      ['heading', 'Results'],
      ['heading', 'Yield'],
      ['text', LONG + LONG],
    ),
  );
  assert.deepEqual(
    sections.map(({ heading }) => heading),
    ['Abstract', 'Yield'],
  );
});
