import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Work } from '../works/index.ts';
import { NO_IDS } from '../works/index.ts';
import { belongsTo, faultOf } from './identity.ts';

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

test('a title in a script without spaces has words too', () => {
  const title = '基于深度学习的河流泥沙输移预测方法研究';
  assert.equal(asked(title, `基于深度学习的河流泥沙\n输移预测方法研究 ${filling(90)}`), 'yes');
  assert.equal(asked(title, `基于遥感的湖泊水质监测 ${filling(90)}`), 'no');
});

test('tags and entities in a catalogue title are not words', () => {
  const text = `Uptake of CO2 by Acropora millepora ${filling(90)}`;
  assert.equal(asked('Uptake of CO<sub>2</sub> by <i>Acropora millepora</i>', text), 'yes');
  assert.equal(asked('Q&amp;A on R&amp;D', `Q&A on R&D ${filling(90)}`), 'yes');
});

async function faultIn(text: string, pages = 9, title = TITLE): Promise<string | undefined> {
  const facts = { pages, isEncrypted: false, isReadable: true, text, isQuick: false };
  return faultOf({ title, ids: NO_IDS } as Work, () => Promise.resolve(facts));
}

test('supplements, reviews and corrections have the title of the work but are not it', async () => {
  for (const before of [
    'Supplementary Information for',
    'Electronic Supplementary Material (ESI) for Some Journal. This journal is © 2014',
    'S1\nSupporting Information',
    'Peer Review File\nManuscript title:',
    'Journal of Herbs 12, 3\nCorrection to:',
    'Corrigendum',
    'Reply to “',
  ])
    for (const property of ['', `${TITLE}\n`])
      assert.equal(await faultIn(`${property}${before} ${TITLE} ${filling(90)}`), 'identity-mismatch', before);
  for (const before of ['', 'SUPPLEMENT ARTICLE', 'Supplementary material is available online.', 'Comments welcome.'])
    assert.equal(await faultIn(`${before} ${TITLE}. Supporting Information. ${filling(90)}`), undefined, before);
  const supplement = `Supplementary data for: ${TITLE}`;
  assert.equal(await faultIn(`${supplement} ${filling(90)}`, 9, supplement), undefined, 'the work is the supplement');
});

test('a PDF that says that there is no PDF is not the work; a scan without text may be', async () => {
  assert.equal(await faultIn('The full text of this article is currently not available.', 1), 'soft-404');
  assert.equal(await faultIn('Dieses Dokument ist nicht verfügbar.', 1), 'soft-404');
  assert.equal(await faultIn(`${TITLE}\nYou do not have access to this document.`, 1), 'soft-404');
  assert.equal(await faultIn('page 3', 1), undefined);
  assert.equal(await faultIn(`${TITLE}. The data are not available. ${filling(200)}`, 1), undefined);
  const embargo = `${TITLE}. Ana Berg. This thesis is under embargo until 2031. Ask the library for a copy.`;
  assert.equal(await faultIn(embargo, 1), 'soft-404');
});
