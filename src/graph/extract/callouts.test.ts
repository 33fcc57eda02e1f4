import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Block } from '../../parse/index.ts';
import { findCallouts } from './callouts.ts';
import { listReferences } from './reference-list.ts';

const NUMBERED = [
  '[1] A. Smith, B. Jones, Deep seas, J. Seas 12, 3–9 (2001).',
  '[2] C. Okafor, Shallow seas, J. Seas 14, 11–19 (2002).',
  '[3] D. Novak, E. Silva, F. Lind, Warm seas, J. Seas 15, 1–8 (2003).',
  '[4] G. Haddad, Cold seas, J. Seas 16, 2–7 (2004).',
];

function blocks(texts: readonly string[], references: readonly string[]): Block[] {
  const text = texts.map((each) => ({ kind: 'text' as const, text: each }));
  const list = references.map((each) => ({ kind: 'reference' as const, text: each }));
  return [...text, ...list].map((each, order) => ({ ...each, order, regions: [] }));
}

function shown(texts: readonly string[], references: readonly string[]): string[] {
  const all = blocks(texts, references);
  return findCallouts(all).callouts.map(
    ({ block, start, end, references: to, further }) =>
      `${all[block]?.text.slice(start, end)}→${[...further.map((each) => `(${each})`), ...to].join(',')}`,
  );
}

test('numbers in brackets, with ranges expanded', () => {
  assert.deepEqual(shown(['Seas are deep [1], and others [2–4] say so [1,3].'], NUMBERED), [
    '1→1',
    '2→2',
    '4→(3),4',
    '1→1',
    '3→3',
  ]);
  // A non-breaking hyphen.
  assert.deepEqual(shown(['Seas are deep [1], as others [2‑4] say.'], NUMBERED), ['1→1', '2→2', '4→(3),4']);
});

test('superscript numbers, but not numbers in formulas and figure references', () => {
  assert.deepEqual(
    shown(
      [
        'the seas are deep1 and, as others found,2,3 they take up CO2 in the cold (see Fig. 3 there).',
        'they said it again.4 Indeed.',
      ],
      NUMBERED,
    ),
    ['1→1', '2→2', '3→3', '4→4'],
  );
});

test('authors and years, also in sequence and several of one author', () => {
  const references = [
    'Smith A, Jones B (2001) Deep seas. J Seas 12:3–9',
    'Okafor C (2002a) Shallow seas. J Seas 14:11–19',
    'Okafor C (2002b) Other seas. J Seas 14:21–29',
    'van der Berg D, Silva E, Lind F (2003) Warm seas. J Seas 15:1–8',
    'van der Berg D, Silva E, Lind F (2005) Late seas. J Seas 17:1–8',
  ];
  assert.deepEqual(
    shown(
      ['Smith and Jones (2001) saw it (Okafor, 2002a, b; van der Berg et al., 2003, 2005). In 2001 it rained.'],
      references,
    ),
    ['Smith and Jones (2001)→1', 'Okafor, 2002a→2', 'b→3', 'van der Berg et al., 2003→4', '2005→5'],
  );
});

test('all authors of a long list, acronyms of organisations, and references without a date', () => {
  const references = [
    'Dooley, S. W., Jarvis, W. R., Martone, W. J., & Snider, D. E. (1992). Deep seas. J. Seas, 12, 3–9.',
    'Public Seas Project. (n.d.-a). Sea systems. https://seas.example/a',
    'Public Seas Project. (n.d.-b). Sea history. https://seas.example/b',
    'World Health Organization. (2009). Seas and health. Geneva.',
  ];
  assert.deepEqual(
    shown(
      ['Seas heal (Dooley, Jarvis, Martone, & Snider, 1992; WHO, 2009). PSP (n.d.-b) and PSP (n.d.-a) agree, in 2009.'],
      references,
    ),
    ['Dooley, Jarvis, Martone, & Snider, 1992→1', 'WHO, 2009→4', 'PSP (n.d.-b)→3', 'PSP (n.d.-a)→2'],
  );
});

test('initials after a family name distinguish authors with the same name', () => {
  const references = [
    'Wang, M., Li, G., Xu, H. (2013). Deep seas. J. Seas 12, 3–9.',
    'Wang, Z., Chen, T., Chen, W. (2013). Warm seas. J. Seas 14, 11–19.',
    'Zhang, J. Q. (2018). Cold seas. J. Seas 15, 1–8.',
  ];
  assert.deepEqual(shown(['Seas are deep (Wang Z. et al., 2013; Wang M. et al., 2013; Zhang J., 2018).'], references), [
    'Wang Z. et al., 2013→2',
    'Wang M. et al., 2013→1',
    'Zhang J., 2018→3',
  ]);
});

/** The text with superscript numbers, written between « and ». */
function raised(marked: readonly string[], references: readonly string[]): string[] {
  const all = blocks(
    marked.map((each) => each.replaceAll(/[«»]/g, '')),
    references,
  ).map((block, at): Block => {
    const spans = [...(marked[at] ?? '').matchAll(/«([^»]*)»/g)].map((match, number) => {
      const start = match.index - number * 2;
      return { start, end: start + (match[1] ?? '').length };
    });
    return spans.length === 0 ? block : { ...block, raised: spans };
  });
  return findCallouts(all).callouts.map(
    ({ block, start, end, references: to, further }) =>
      `${all[block]?.text.slice(start, end)}→${[...further.map((each) => `(${each})`), ...to].join(',')}`,
  );
}

test('superscript numbers after a digit are callouts; powers, isotopes and subscripts are not', () => {
  assert.deepEqual(
    raised(
      [
        'it was seen on day 4.«1» The seas of version 4.0«2, 3» are deep, with R«2» of 0.9 and 10«3» cells per cm«3» of water3.',
        'It has «14»C in it, and COVID-19.«3–4» Indeed.',
      ],
      NUMBERED,
    ),
    ['1→1', '2→2', '3→3', '3→3', '4→4'],
  );
});

test('superscript numbers after a year or a number in a name are callouts; powers are not', () => {
  assert.deepEqual(
    raised(
      [
        'The seas of COVID-19^1 were deep in 2019^2 and by eqs 1−3^3,4 they had 10^3 cells, 1.5 × 10^2 of them, 2^3 ways and type 10^1.5 too,«4» with a 1,850^2 more.',
      ],
      NUMBERED,
    ),
    ['1→1', '2→2', '3→3', '4→4', '4→4'],
  );
});

/** The text with its links to page 9, which has the references; a link is written between « and ». */
function linked(marked: readonly string[], references: readonly string[]): string[] {
  const texts = marked.map((each) => each.replaceAll(/[«»]/g, ''));
  const all = blocks(texts, references).map((block, at): Block => {
    if (block.kind === 'reference')
      return { ...block, regions: [{ page: 9, box: { left: 0, top: 0, right: 1, bottom: 1 } }] };
    const jumps = [...(marked[at] ?? '').matchAll(/«([^»]*)»/g)].map((match, number) => {
      const start = match.index - number * 2;
      return { start, end: start + (match[1] ?? '').length, page: 9 };
    });
    return { ...block, jumps };
  });
  return findCallouts(all).callouts.map(
    ({ block, start, end, references: to, further }) =>
      `${all[block]?.text.slice(start, end)}→${[...to, ...further].join(',')}`,
  );
}

test('links to the references are callouts, and superscript numbers without a link are not', () => {
  assert.deepEqual(
    linked(['Seas«1» of type3 have CO«2»,«3» as in Fig. «2» and lane4.', 'Others«1–4» too.'], NUMBERED),
    ['1→1', '2→2', '3→3', '1→1', '–→2', '–→3', '4→4'],
  );
  assert.deepEqual(
    linked(['Seas.«1 2» Deep seas.«2–4» Warm.«3»'], NUMBERED),
    ['1 2→1,2', '2–4→2,3,4', '3→3'],
    'one link over a list is one callout',
  );
});

test('a range with a link at each end includes the numbers in between', () => {
  assert.deepEqual(
    linked(['Seas are deep [«1»–«4»], warm [«2»] – [«4»] and cold [«1»],[«3»]; see «3»–«3».'], NUMBERED),
    ['1→1', '4→4,2,3', '2→2', '4→4,3', '1→1', '3→3', '3→3', '3→3'],
  );
});

test('an author-year callout spans its link', () => {
  const references = ['Smith A, Jones B (2001) Deep seas. J Seas 12:3–9', 'Okafor C (2002) Seas. J Seas 14:11–19'];
  assert.deepEqual(linked(['It is so («Smith and Jones,» «2001»; Okafor, «2002»).'], references), ['2001→1', '2002→2']);
  assert.deepEqual(linked(['It is so («Smith and Jones, 2001»).'], references), ['Smith and Jones, 2001→1']);
  assert.deepEqual(
    linked(
      [
        'It is («Smith and Jones,» «2001»; «Okafor,» «2002») so («Smith and Jones, 2001»; Okafor, 2002; Okafor, «2002»).',
      ],
      references,
    ),
    ['2001→1', '2002→2', '2001→1', '2002→2', '2002→2'],
    'if years are linked, callouts with a lost or merged link start at the year too',
  );
});

test('a duplicate link is one callout, and superscript numbers that lost their link count too', () => {
  const all = blocks(['Seas are deep.1 They are warm.2 Others are cold,3 as is known.4'], NUMBERED).map(
    (block): Block => {
      if (block.kind === 'reference')
        return { ...block, regions: [{ page: 9, box: { left: 0, top: 0, right: 1, bottom: 1 } }] };
      const places = [...block.text.matchAll(/\d/g)].map(({ index }) => ({ start: index, end: index + 1 }));
      const jumps = places.slice(0, 3).flatMap((place) => [place, place].map((each) => ({ ...each, page: 9 })));
      return { ...block, raised: places, jumps };
    },
  );
  assert.deepEqual(
    findCallouts(all).callouts.map(({ references }) => references[0]),
    [1, 2, 3, 4],
  );
});

test('superscript numbers may end with a bracket, and an alphabetical list is cited in any order', () => {
  const texts = ['the seas are deep.1),2) They are warm.3)–4) Indeed.'];
  assert.deepEqual(shown(texts, NUMBERED), ['1→1', '2→2', '3→3', '4→4']);
  const names = ['Abe', 'Brown', 'Clark', 'Diaz', 'Evans', 'Fox', 'Gray', 'Hall', 'Ivanov', 'Jones', 'Klein', 'Lee'];
  const sorted = names.map((name, at) => `${at + 1}. ${name} A. Seas and oceans. J Seas. 2001;12:3–9.`);
  assert.deepEqual(
    raised(['the seas are deep«12» and warm«11» and cold«3» and «salty».'], sorted).map((each) => each.split('→')[0]),
    ['12', '11', '3'],
  );
});

test('a reference cut in two is joined with its DOI, and table rows are not references', () => {
  const list = listReferences(
    [
      'Bishop SD, Francis MP: Age and growth of a shark in the waters of New',
      'zealand. Mar Freshwater Res. 2006; 57(2): 143–154.',
      'Publisher Full Text',
      'Carlson JK: Age and growth of another shark. Copeia. 1999; 3: 684–691.',
      'Age, years 58.9±7.3 56.7±8.0 0.275',
      'White 15 619 (96.2) 221 292 (94.2) 0.021',
      'Obesity 3934 (24.2) 54 321 (23.1) 0.007',
    ].map((text, order): Block => ({
      kind: 'reference',
      text,
      order,
      regions: [],
      ...(text.startsWith('Publisher') && { doi: '10.1071/mf05077' }),
    })),
  );
  assert.deepEqual(
    list.map(({ surnames, parsed, doi }) => [surnames[0], parsed.year, doi]),
    [
      ['bishop', 2006, '10.1071/mf05077'],
      ['carlson', 1999, null],
    ],
  );
});

test('a year after a DOI is not part of it, and encoded brackets are decoded', () => {
  const dois = ['10.1002/ps.695(2003', '10.1002/ps.695(2003)', '10.1016/0022-1910(95)00068-r', '10.1890/0012%5b1%5d'];
  const list = listReferences(
    dois.map((doi, order): Block => ({
      kind: 'reference',
      text: `Novak D: Warm seas. J Seas. 200${order}; 15: 1–8.`,
      order,
      regions: [],
      doi,
    })),
  );
  assert.deepEqual(
    list.map(({ doi }) => doi),
    ['10.1002/ps.695', '10.1002/ps.695', '10.1016/0022-1910(95)00068-r', '10.1890/0012[1]'],
  );
});
