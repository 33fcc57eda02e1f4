import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../parse/index.ts';
import { Reading, sentencesOf } from './reading.ts';

function shown(text: string): string[] {
  return sentencesOf(text).map(({ start, end }) => text.slice(start, end));
}

test('sentences end at full stops and superscript numbers after them, but not inside numbers and names', () => {
  assert.deepEqual(
    shown('It set in at 4.75 V, as seen. Others agree.12,13 We do (see Fig. 2). J. Smith et al. Did not.'),
    ['It set in at 4.75 V, as seen.', 'Others agree.12,13', 'We do (see Fig. 2).', 'J. Smith et al. Did not.'],
  );
});

test('sentences end at the full stops of other languages', () => {
  for (const sentences of [
    ['Murieron catorce el primer año.', 'Los demás volvieron.', '¿Cuántos eran?', '¿Quién lo sabe?'],
    ['Le réchauffement dura une année.', 'Les coraux ont blanchi.'],
    ['توفي 14 مريضا.', 'عاد بقية المرضى؟', 'نعم.'],
    ['После операции умерло 14.', 'Остальные выписаны.'],
  ])
    assert.deepEqual(shown(sentences.join(' ')), sentences);
  assert.deepEqual(shown('珊瑚白化。水温上升！'), ['珊瑚白化。', '水温上升！']);
});

/** The parts of the paragraphs of a paper with these headings; "··" before a heading is its level. */
function partsOf(...lines: readonly string[]): readonly (string | undefined)[] {
  const blocks = lines.map((line, order): Block => {
    const [, dots = '', heading] = /^(·+)(.*)$/u.exec(line) ?? [];
    return heading === undefined
      ? { kind: 'text', text: line, order, regions: [] }
      : { kind: 'heading', text: heading, level: dots.length, order, regions: [] };
  });
  const metadata = { authors: [], needsOcr: [], quality: { unmappedGlyphs: 0, columns: 1, confidence: 1 } };
  return new Reading('paper', { pages: [], blocks, metadata }, null).prose.map(({ part }) => part);
}

test('a paragraph is in the part that the nearest heading with a known name begins, even if another heading follows', () => {
  assert.deepEqual(
    partsOf(
      '·Introduction',
      'One.',
      '·Theory',
      'Two.',
      '·Methods',
      '··Plants',
      'Three.',
      '·Results',
      '··Yield',
      'Four.',
    ),
    ['introduction', 'introduction', 'methods', 'results'],
  );
});

test('in a paper without results the next heading ends the introduction', () => {
  assert.deepEqual(partsOf('·Introduction', 'One.', '··Aim', 'Two.', '·Viruses in smoke', 'Three.'), [
    'introduction',
    'introduction',
    undefined,
  ]);
});
