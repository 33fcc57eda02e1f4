import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Said } from '../../test/support/graph-papers.ts';
import { finding, graphOf, node, paper } from '../../test/support/graph-papers.ts';
import type { Contribution } from '../graph/index.ts';
import { Graph } from '../library/index.ts';
import { GRAPH_QUERIES } from './graph.ts';

const PAPERS = [
  paper('10.5555/a', 2020, {
    'Rituximab cured lymphoma in Brazil.': ['chemical Rituximab', 'disease lymphoma', 'place Brazil'],
    'We used SPSS.': ['software SPSS'],
  }),
  paper('10.5555/b', 2022, {
    'Rituximab did not cure lymphoma.': ['chemical rituximab', 'disease Lymphoma'],
    'Brazil has a registry.': ['place Brazil'],
  }),
];

function ask(
  what: string,
  asked: Readonly<Record<string, string>>,
  papers: readonly Contribution[] = PAPERS,
): readonly string[] {
  const { items } = answer(what, asked, papers);
  return items.map(({ label, edge, count, evidence }) =>
    [label, edge, count, evidence].filter((each) => each !== null).join(' | '),
  );
}

function answer(what: string, asked: Readonly<Record<string, string>>, papers: readonly Contribution[]) {
  using store = graphOf(...papers);
  const given = { node: '', to: '', type: '', kinds: [], least: 1, limit: 20, ...asked };
  const found = GRAPH_QUERIES[what]?.answer(new Graph(store), given);
  assert.ok(found);
  return found;
}

test('entities are listed by type and number of works, and found by words', () => {
  assert.deepEqual(ask('entities', { type: 'place' }), ['Brazil | 2 | ']);
  assert.deepEqual(ask('find', { node: 'rituxi' }), ['Rituximab | 2 | ']);
});

test('an entity is told by its works, newest first, what they found, and what is beside it by type', () => {
  assert.deepEqual(ask('about', { node: 'RITUXIMAB' }), [
    '2022 · Paper 10.5555/b | 10.5555/b: Rituximab did not cure lymphoma.',
    '2020 · Paper 10.5555/a | 10.5555/a: Rituximab cured lymphoma in Brazil.',
    'lymphoma | 2 | 10.5555/a: Rituximab cured lymphoma in Brazil.\n10.5555/b: Rituximab did not cure lymphoma.',
    'Brazil | 1 | 10.5555/a: Rituximab cured lymphoma in Brazil.',
  ]);
  const found = paper('10.5555/c', 2023, {
    'Rituximab reduced relapses.': ['chemical Rituximab', finding('Rituximab · decreases · relapses')],
  });
  assert.deepEqual(ask('about', { node: 'rituximab' }, [found]), [
    '2023 · Paper 10.5555/c | 10.5555/c: Rituximab reduced relapses.',
    'Rituximab · decreases · relapses | 10.5555/c: Rituximab reduced relapses.',
  ]);
});

test('an effect is told by work and direction, and works that exclude each other contradict', () => {
  const papers = [
    paper('10.5555/a', 2020, {
      'Rituximab (RTX) reduced relapse rates.': [
        'chemical Rituximab',
        finding('Rituximab · decreases · relapse rates'),
      ],
    }),
    paper('10.5555/b', 2021, {
      'Relapses were more frequent with prednisone than with rituximab.': [
        'chemical rituximab',
        finding('prednisone · increases · relapses · rituximab'),
      ],
    }),
    paper('10.5555/c', 2022, {
      'Relapse did not differ between rituximab and placebo.': [
        'chemical rituximab',
        finding('rituximab · no difference · relapse · placebo'),
      ],
      'Rituximab increased infections.': ['chemical rituximab', finding('rituximab · increases · infections')],
    }),
  ];
  assert.deepEqual(ask('effect', { node: 'rituximab', to: 'relapse' }, papers), [
    '2022 · Paper 10.5555/c | no difference | 1 | 10.5555/c: Relapse did not differ between rituximab and placebo.',
    '2021 · Paper 10.5555/b | decreases | 1 | 10.5555/b: Relapses were more frequent with prednisone than with rituximab.',
    '2020 · Paper 10.5555/a | decreases | 1 | 10.5555/a: Rituximab (RTX) reduced relapse rates.',
  ]);
  const says = (to: string, ...asked: readonly Contribution[]): string =>
    answer('effect', { node: 'rituximab', to }, asked).says;
  assert.equal(
    says('relapse', ...papers),
    'Effect of rituximab on relapse: no difference in 1 work, decreases in 2 works. They contradict each other.',
  );
  assert.match(says('relapse', ...papers.slice(0, 2)), /decreases in 2 works\. They agree\.$/);
  assert.match(says('mortality', ...papers), /no finding says anything of it\.$/);
  assert.equal(ask('effect', { node: 'rituximab' }, papers).length, 4);
});

test('what is associated is so in both directions', () => {
  const found = paper('10.5555/a', 2020, {
    'Smoking was associated with asthma.': ['disease asthma', finding('smoking · associated · asthma')],
  });
  assert.equal(ask('effect', { node: 'asthma', to: 'smoking' }, [found]).length, 1);
  assert.equal(ask('effect', { node: 'smoking', to: 'asthma' }, [found]).length, 1);
});

test('studies are found by whom they studied', () => {
  const studied = paper('10.5555/c', 2020, {
    'We enrolled 122 children with nephrotic syndrome.': [
      { edge: 'studies', node: node('population:name:x', 'population', 'children with nephrotic syndrome') },
    ],
    'It took place in Egypt.': ['place Egypt'],
  });
  assert.deepEqual(ask('studies', { node: 'children, Egypt' }, [studied, ...PAPERS]), [
    '2020 · Paper 10.5555/c | 10.5555/c: We enrolled 122 children with nephrotic syndrome.\n10.5555/c: It took place in Egypt.',
  ]);
});

test('how something was measured is told by work', () => {
  const measured = paper('10.5555/a', 2020, {
    'Anxiety was assessed with the GAD-7.': [
      {
        edge: 'determines',
        node: node('procedure:1', 'procedure', 'anxiety · by · GAD-7', { what: 'Anxiety', how: 'GAD-7' }),
      },
    ],
  });
  assert.deepEqual(ask('measured', { node: 'anxiety' }, [measured]), [
    '2020 · Paper 10.5555/a | Anxiety by GAD-7 | 10.5555/a: Anxiety was assessed with the GAD-7.',
  ]);
  assert.deepEqual(ask('measured', { node: 'anger' }, [measured]), []);
});

test('funders are found by name, by work, and by what their works name', () => {
  const trust: Said = { edge: 'funded_by', node: node('funder:name:wellcometrust', 'funder', 'Wellcome Trust') };
  const papers = [
    paper('10.5555/a', 2020, { 'Funded by the Wellcome Trust.': [trust], 'Malaria kills.': ['disease Malaria'] }),
    paper('10.5555/b', 2021, { 'Malaria spreads.': ['disease Malaria'] }),
  ];
  const row = 'Wellcome Trust | 2020 · Paper 10.5555/a | 10.5555/a: Funded by the Wellcome Trust.';
  assert.deepEqual(ask('funding', { node: 'wellcome' }, papers), [row]);
  assert.deepEqual(ask('funding', { node: '10.5555/a' }, papers), [row]);
  assert.deepEqual(ask('funding', { node: 'malaria' }, papers), [row]);
  assert.deepEqual(ask('funding', { node: '10.5555/b' }, papers), []);
  const both = ['Wellcome Trust | 1 | ', '2020 · Paper 10.5555/a | 1 | '];
  assert.deepEqual(ask('funding', {}, papers), both);
  assert.deepEqual(ask('funding', { limit: '2' }, papers), both, 'funders leave room for works');
});

test('a path goes through a sentence that names both ends, if there is one', () => {
  const apart = paper('10.5555/0', 2019, {
    'Rituximab is old.': ['chemical Rituximab'],
    'So is lymphoma.': ['disease lymphoma'],
  });
  assert.deepEqual(ask('path', { node: 'rituximab', to: 'lymphoma' }, [apart, ...PAPERS]), [
    'Rituximab | ',
    '2020 · Paper 10.5555/a | names | 10.5555/a: Rituximab cured lymphoma in Brazil.',
    'lymphoma | names | 10.5555/a: Rituximab cured lymphoma in Brazil.',
  ]);
});

test('what is beside an entity is in the same sentence, by type', () => {
  assert.deepEqual(ask('beside', { node: 'lymphoma', type: 'chemical' }), [
    'Rituximab | 2 | 10.5555/a: Rituximab cured lymphoma in Brazil.\n10.5555/b: Rituximab did not cure lymphoma.',
  ]);
  assert.deepEqual(
    ask('beside', { node: 'lymphoma' }).map((line) => line.split(' | ')[0]),
    ['Rituximab', 'Brazil'],
  );
});

test('studies are the works that name everything asked for', () => {
  assert.deepEqual(ask('studies', { node: 'Brazil, SPSS' }), [
    '2020 · Paper 10.5555/a | 10.5555/a: Rituximab cured lymphoma in Brazil.\n10.5555/a: We used SPSS.',
  ]);
});

test('each step of a path has a sentence', () => {
  assert.deepEqual(ask('path', { node: 'SPSS', to: '10.5555/b' }), [
    'SPSS | ',
    '2020 · Paper 10.5555/a | uses | 10.5555/a: We used SPSS.',
    'lymphoma | names | 10.5555/a: Rituximab cured lymphoma in Brazil.',
    '2022 · Paper 10.5555/b | names | 10.5555/b: Rituximab did not cure lymphoma.',
  ]);
});

test('an unknown type says which there are', () => {
  assert.throws(() => ask('entities', { type: 'animal' }), { code: 'USAGE_GRAPH' });
});

test('a sentence of the text shows where a study was made before an address does', () => {
  const brazil = node('place:name:brazil', 'place', 'Brazil');
  const address = paper('10.1/address', 2024, {
    'Institute of Oils, Brazil.': [{ edge: 'names', node: brazil }],
    'Plants were collected in Brazil.': [{ edge: 'names', node: brazil }],
  });
  const edges = address.edges.map((edge, at) =>
    at === 0 ? edge : { ...edge, evidence: { ...edge.evidence, score: 0.8, detail: { section: 'Methods' } } },
  );
  const [row] = ask('studies', { node: 'Brazil' }, [{ ...address, edges }]);
  assert.match(JSON.stringify(row), /Plants were collected in Brazil/);
});
