import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Work } from '../works/index.ts';
import { NO_IDS } from '../works/index.ts';
import { belongsTo } from './identity.ts';

const TITLE = 'Sage of the southern coast: chemical composition and antimicrobial activity';

function asked(title: string | null, text: string, doi: string | null = null): 'yes' | 'no' | 'unknown' {
  return belongsTo({ title, ids: { ...NO_IDS, doi } } as Work, text);
}

const filling = (words: number): string => 'Some other words that a paper is made of. '.repeat(words / 9);

test('a title matches a text despite line breaks, numbers and accents', () => {
  const broken = `7 Sage of the southern\n8 coast: chemical composition\n9 and anti\u00ADmicrobial activity ${filling(90)}`;
  assert.equal(asked(TITLE, `${filling(900)} ${broken}`), 'yes');
  assert.equal(asked('Über die Sände der Flüsse', `UBER DIE SANDE DER FLUSSE ${filling(90)}`), 'yes');
});

test('a paper on the same subject contains scattered words of the title, and does not match', () => {
  const [a, b] = ['The antimicrobial activity of thyme', 'Chemical composition and antimicrobial effects of oils'];
  const text = `${a} ${filling(900)} sage of the northern coast ${filling(900)} of a southern coast ${filling(900)} ${b}`;
  assert.equal(asked(TITLE, text), 'no');
});

test('a catalogue title with a footnote matches two places of a page', () => {
  const note = 'Electronic supplementary information available: methods, syntheses and crystallographic data';
  const text = `${TITLE} † ${filling(900)} † ${note} ${filling(90)}`;
  assert.equal(asked(`${TITLE} ${note}`, text), 'yes');
});

test('a DOI is enough; a short title or almost no text proves nothing', () => {
  assert.equal(asked(TITLE, `doi: 10.1234/ab.5 ${filling(90)}`, '10.1234/ab.5'), 'yes');
  assert.equal(asked(null, filling(90), '10.1234/ab.5'), 'no');
  assert.equal(asked(null, filling(90)), 'unknown');
  assert.equal(asked('Two words', filling(90)), 'unknown');
  assert.equal(asked(TITLE, 'page 3'), 'unknown');
});
