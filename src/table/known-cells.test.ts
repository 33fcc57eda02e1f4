import assert from 'node:assert/strict';
import { test } from 'node:test';

import { citedHit } from '../../test/support/cited-hit.ts';
import type { CitedHit } from '../corpus/index.ts';
import type { EdgeStatement, NodeStatement } from '../graph/index.ts';
import type { Cell } from './cell.ts';
import { parseColumn } from './columns.ts';
import { knownCell, likelyCell } from './known-cells.ts';

function hit(text: string, section: CitedHit['passage']['section'] = 'results', headings: string[] = []): CitedHit {
  return citedHit('d', text, { id: `d#${text.slice(0, 12)}`, section, headings, page: 2 });
}

const valueOf = (cell: Cell | undefined): string | null => (cell?.kind === 'value' ? cell.value : null);

/** What a paper of these passages says for a column without a model. */
function saidFor(name: string, ...passages: CitedHit[]): string | null {
  const paper = { facts: undefined, passages };
  const column = parseColumn(name);
  return valueOf(knownCell(column, paper) ?? likelyCell(column, paper));
}

test('funding comes from the statement, wherever it stands, and not from who had no role', () => {
  const introduction = hit('Grants for reefs were studied by the authors in 2010.', 'introduction');
  const thanks = hit('Acknowledgements\n\nWe thank the team. A grant of the Reef Fund helped us.', 'back', [
    'Acknowledgements',
  ]);
  const statement = hit(
    'Funding\n\nThis work was supported by the Sea Foundation (12345). The funders had no role in the study.',
    'back',
    ['Funding'],
  );
  assert.equal(
    saidFor('funding', introduction, thanks, statement),
    'This work was supported by the Sea Foundation (12345).',
  );
  assert.equal(saidFor('funding', introduction, thanks), 'A grant of the Reef Fund helped us.');
  assert.equal(saidFor('funding', introduction), null);
  const misplaced = hit(
    'Corals recover within a decade. The authors received no specific funding for this work.',
    'conclusion',
  );
  assert.equal(saidFor('funding', misplaced), 'The authors received no specific funding for this work.');
  const labelled = hit('Acknowledgements\n\nWe thank the team.\n\nFinancial support. None.', 'back', [
    'Acknowledgements',
  ]);
  assert.equal(saidFor('funding', labelled), 'Financial support. None.');
  const kind = 'We are grateful to the Ministry of Health and the hospitals of the University for sharing data.';
  assert.equal(saidFor('funding', hit(kind, 'back', ['Acknowledgements'])), null, 'thanks for data');
  const several =
    'The reef was quiet.\n\nAcknowledgements\n\nWe are grateful to the Reef Academy for financial support.';
  assert.equal(
    saidFor('funding', hit(several, 'back', ['Data availability'])),
    'We are grateful to the Reef Academy for financial support.',
    'without a heading inside the passage',
  );
  const views = hit('The findings are not the views of the funding agencies.', 'back', ['Acknowledgements']);
  assert.equal(saidFor('funding', views), null);
});

test('software comes from the graph, else from sentences, with its version', () => {
  const nodes = ['R', 'SPSS'].map((label) => ({ id: `software:${label}`, kind: 'software', label }));
  const edges = nodes.map(({ id, label }) => ({
    kind: 'uses',
    target: id,
    evidence: { place: { kind: 'text', quote: `We used ${label}.`, page: 4 } },
  }));
  const facts = { nodes: nodes as unknown as NodeStatement[], edges: edges as unknown as EdgeStatement[] };
  const software = knownCell(parseColumn('software:list'), { facts, passages: [] });
  assert.deepEqual([valueOf(software), software?.quotes.map(({ page }) => page)], ['R; SPSS', [4, 4]]);
  const methods = hit('Means were compared. All analyses were performed using SPSS version 11.0.1.', 'methods');
  assert.equal(saidFor('statistical software', methods), 'SPSS 11.0.1');
  assert.equal(saidFor('alignment software', methods), null, 'it asks for something particular');
});

test('a country comes from the abstract, else from where the study was done', () => {
  assert.equal(saidFor('country', hit('We asked nurses in Viet Nam about it.', 'abstract')), 'Vietnam');
  assert.equal(saidFor('country', hit('We asked nurses in Peru and Chile.', 'abstract')), null);
  const licence = hit('Air was let through. Available under a CC BY-NC 3.0 Poland License.', 'abstract');
  assert.equal(saidFor('country', licence), null);
  assert.equal(saidFor('country', hit('Hospital of X, Leiden, The Netherlands.', 'front')), 'Netherlands');
  const affiliations = hit('A, London, UK. B, Paris, France.', 'front');
  const maker = 'Cells were counted (Acme Inc., Berlin, Germany).';
  assert.equal(
    saidFor('country', affiliations, hit(`Farms in a region of Peru were seen. ${maker}`, 'methods')),
    'Peru',
  );
  const several = hit('The trial was done in 24 hospitals in Italy, the UK and Switzerland.', 'methods');
  assert.equal(saidFor('country', several), 'Italy; United Kingdom; Switzerland');
});

test('a design is named in the title, the abstract or a sentence about the paper itself', () => {
  const methods = hit('A cohort study of others was read [3]. This case-control study included 20 farms.', 'methods');
  assert.equal(saidFor('study design', methods), 'case-control study');
  const title = hit('Reefs after heat: an international, single-arm, phase 2 trial\n\nA. Author', 'front');
  assert.equal(saidFor('study design', methods, title), 'international, single-arm, phase 2 trial');
  assert.equal(saidFor('study design', hit('The funders had no role in study design.', 'methods')), null);
  assert.equal(saidFor('study design', hit('We will consider randomised trials.', 'methods')), null);
  assert.equal(saidFor('article type', hit('Journal of Reefs\n\nCase Report\n\nA reef', 'front')), 'case report');
});

test('a sample size is the count of what was studied, with its noun', () => {
  const whole = 'One hundred and fifty-three of 193 (79.3%) staff consented to participate.';
  const part = 'Infection was detected in 4 individuals.';
  assert.equal(saidFor('sample size', hit(`${part} ${whole}`, 'abstract')), '153 staff');
  assert.equal(saidFor('sample size:number', hit(`${part} ${whole}`, 'abstract')), '153');
  const found = hit('Infection was detected in 4 individuals who were included.', 'abstract');
  assert.equal(saidFor('sample size', found), null, 'those who had it are a part');
  const rate = hit('Survival was 58% for all and 100% (100–100) for the patients who were enrolled.', 'abstract');
  assert.equal(saidFor('sample size', rate), null, 'a share is no count');
  const aimed = hit('The required sample size was 384 patients. We enrolled 153 patients.', 'methods');
  assert.equal(saidFor('sample size', aimed), '153 patients');
  assert.equal(saidFor('sample size', hit('In two hospitals 48 patients were enrolled.', 'methods')), '48 patients');
  assert.equal(saidFor('sample size', hit('Others enrolled 900 patients [12].', 'introduction')), null);
});

test('the main result is a finding of the abstract, not its aim, methods or sample', () => {
  const abstract = hit(
    `We aimed to compare masks. A total of 80 nurses were enrolled. Masks were measured daily. Resistance was
     significantly lower for thin masks (p < 0.01). Further studies are needed.`.replaceAll(/\s+/g, ' '),
    'abstract',
  );
  assert.equal(saidFor('main result', abstract), 'Resistance was significantly lower for thin masks (p < 0.01).');
  assert.equal(saidFor('main outcome', abstract), null);
  const outcome = 'The primary outcome was comfort after a day.';
  assert.equal(saidFor('main outcome', abstract, hit(outcome, 'methods')), outcome);
  assert.equal(saidFor('main result', hit('We aimed to compare masks of two makers.', 'abstract')), null);
});

test('a sentence that only announces limitations is not one; those behind it are', () => {
  const discussion = hit('This study has some limitations. First, nurses of one ward took part.', 'discussion');
  assert.equal(saidFor('limitations', discussion), 'First, nurses of one ward took part.');
});

test('statistical methods are named, and software is none of them', () => {
  const methods = hit('SPSS 19 was used. Groups were compared by two-way ANOVA with Tukey tests.', 'methods');
  assert.equal(saidFor('statistical methods', methods), 'Groups were compared by two-way ANOVA with Tukey tests.');
});

test('text without a heading before the introduction is the abstract', () => {
  const opening = hit('Thin masks were significantly better than thick ones (p < 0.01).', 'body');
  const introduction = hit('Masks are worn by many.', 'introduction', ['Introduction']);
  assert.equal(saidFor('main result', opening, introduction), opening.passage.text);
  assert.equal(saidFor('main result', introduction, opening), null);
});

test('a country is where a study was done, not where its authors work or what others report', () => {
  const address =
    'Smoke in operating rooms and the gynecologists Yi Liu, Ana Berg 1Department of Obstetrics, Hospital of Wenzhou, Wenzhou, China • Corresponding author: Ana Berg, Department of Obstetrics, Wenzhou, China';
  assert.equal(saidFor('country', hit(address, 'abstract')), null);
  const behind = 'Author affiliations 1 Institute for Evidence, University of Freiburg, Freiburg, Germany 2 Center for Surgery, Freiburg, Germany'; // prettier-ignore
  assert.equal(saidFor('country', hit(behind, 'conclusion')), null);
  const title =
    'Infections of staff in Hanoi, Vietnam Mary Reynolds1 1National Centers, Department of Health, Atlanta, USA';
  assert.equal(saidFor('country', hit(title, 'front')), 'Vietnam');
  const done = 'The study was conducted in the Department of Surgery of a hospital in Kenya with 40 patients.';
  assert.equal(saidFor('country', hit(done, 'methods')), 'Kenya');
});

test('a review has no sample of its own but the studies that it included', () => {
  const label = hit('Journal of Smoke 12, 2019\nReview\nSmoke in operating rooms of many hospitals', 'front');
  const cited = hit('A total of 81 patients were enrolled and followed for five years.', 'methods');
  assert.equal(saidFor('sample size:number', cited), '81');
  assert.equal(saidFor('sample size:number', label, cited), null);
  const included = hit('A total of 24 studies were included in the analysis.', 'methods');
  assert.equal(saidFor('sample size:number', label, cited, included), '24');
});

test('a main result is not the background of an abstract, nor what many have found', () => {
  const known = 'Oesophagectomy is often associated with higher morbidity and increased mortality in 12 % of patients.';
  const aim = 'We will review trials of surgery on demand.';
  assert.equal(saidFor('main result', hit(`${known} ${aim}`, 'abstract', ['Abstract'])), null);
  const others = 'Many guidelines indicate that consistent use of masks significantly reduced the smoke.';
  assert.equal(saidFor('main result', hit(`${aim} ${others}`, 'abstract', ['Abstract'])), null);
  const found = 'We measured the smoke in 20 rooms. Masks significantly reduced the smoke by 45 %.';
  assert.equal(saidFor('main result', hit(`${known} ${found}`, 'abstract', ['Abstract'])), 'Masks significantly reduced the smoke by 45 %.'); // prettier-ignore
});
