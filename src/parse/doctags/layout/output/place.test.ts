import assert from 'node:assert/strict';
import { test } from 'node:test';

import { placeIn } from './place.ts';

test('a line says in which journal, volume and issue a paper is, and on which pages', () => {
  for (const [line, venue, volume, issue, pages] of [
    ['J Rivers Plains. 2014;40(6):652-657', 'J Rivers Plains', '40', '6', '652-657'],
    ['Rivers (2008) 227:453–464', 'Rivers', '227', undefined, '453-464'],
    ['Stone et al. Rivers 2013, 6:18', 'Rivers', '6', undefined, '18'],
    [
      'Stone A, et al. Rivers and Plains 2018;75:446–452. doi:10.1000/river',
      'Rivers and Plains',
      '75',
      undefined,
      '446-452',
    ],
    [
      'Plain Publishing Corporation Sand Letters Volume 2014, Article ID 12',
      'Sand Letters',
      '2014',
      undefined,
      undefined,
    ],
    ['Plain Publishing Group Sand Letters 2014;3:12', 'Sand Letters', '3', undefined, '12'],
    ['Stone and Brook., J. Sand 2014;3:12', 'J. Sand', '3', undefined, '12'],
    ['Cite this: J. Sand 2014;3:12', 'J. Sand', '3', undefined, '12'],
    ['Sand in Brief 17 (2018) 24–46', 'Sand in Brief', '17', undefined, '24-46'],
    ['SAND RESEARCH 17, 11–22, (2010)', 'SAND RESEARCH', '17', undefined, '11-22'],
    ['Sand Research, 2005, Vol. 33, No. 14', 'Sand Research', '33', '14', undefined],
    ['Spreading Floods • www.example.org • Vol. 14, No. 6, June 2008', 'Spreading Floods', '14', '6', undefined],
    ['Sand • Volume 2 • Number 6 • Pages 1359–1372 • November 2009', 'Sand', '2', '6', '1359-1372'],
    ['RIVERS 2020, VOL. 11, NO. 1, 14–22', 'RIVERS', '11', '1', '14-22'],
  ] as const) {
    const { issue: foundIssue, pages: foundPages, ...place } = placeIn(line) ?? { venue: '', volume: '' };
    assert.deepEqual([place.venue, place.volume, foundIssue, foundPages], [venue, volume, issue, pages], line);
  }
});

test('dates, captions, and what is not yet in print say no place', () => {
  for (const line of [
    'Received 3 May 2014; accepted 5 June 2014',
    'Published online 11 May 2009',
    'Rivers 2025;0:1–4. doi:10.1000/river',
    'Table 2 (2014) 12, 13',
    'Plain Town 2010, Australia',
    'Vol. 20, No. 12, December 2014',
    'May 2017 | Volume 8 | Article 764',
    '(2019) 9:814 | DOI:10.1000/river',
  ])
    assert.equal(placeIn(line), undefined, line);
});
