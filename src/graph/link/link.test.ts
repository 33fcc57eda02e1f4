import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CitedWork } from './parse-reference.ts';
import { linkReference, readPrintedReference, referenceKeys, workKeys } from './link.ts';
import { parseReference } from './parse-reference.ts';

const WORK: CitedWork = {
  title: 'Two dynamically distinct inhibitory networks in layer 4 of the neocortex',
  authors: ['Beierlein M', 'Gibson JR', 'Connors BW'],
  year: 2003,
  source: 'Journal of Neurophysiology',
  volume: '90',
  pages: '2987-3000',
};

function links(text: string, work: CitedWork = WORK): boolean {
  const reference = readPrintedReference(text);
  const keys = workKeys(work);
  const meet = [...referenceKeys(reference)].some((key) => keys.has(key));
  return meet && linkReference(reference, [['work', work] as const])?.work === 'work';
}

test('a reference is matched despite broken words, missing spaces and other styles', () => {
  assert.ok(
    links(
      'Beierlein M, Gibson JR, Connors BW. Two dynamically distinct inh-\nibitory networks in layer4 of the neocortex. Journal of Neurophys-\niology. 2003;90:2987-3000.',
    ),
  );
  assert.ok(
    links(
      '[12] M. Beierlein et al., “Two dynamically distinct inhibitory networks in layer 4 of the neocortex,” J. Neurophysiol., vol. 90, pp. 2987–3000, 2003.',
    ),
  );
  assert.ok(links('M. Beierlein, J. R. Gibson, B. W. Connors, J. Neurophysiol. 90, 2987 (2003).'));
});

test('a title with another spelling is matched if the work has no volume', () => {
  const talk = { ...WORK, source: 'Neural Circuits Conference', volume: null, pages: null };
  assert.ok(
    links(
      'Beierlein M, Gibson JR, Connors BW. Two dynamicaly distinct inhibitory networks in layer IV of the neocortex. Neural Circuits Conference, 2003.',
      talk,
    ),
  );
});

test('another work of the same authors is not matched', () => {
  assert.ok(
    !links(
      'Beierlein M, Gibson JR, Connors BW. A network of electrically coupled interneurons drives synchronized inhibition in neocortex. Nature Neuroscience. 2000;3:904-910.',
    ),
  );
  assert.ok(!links('M. Beierlein, J. R. Gibson, B. W. Connors, J. Neurophysiol. 90, 1433 (2002).'));
});

test('equal words are not enough with a longer title, a short one, other authors, or only journal and team', () => {
  const bare = { ...WORK, volume: null, pages: null };
  const people = 'Beierlein M, Gibson JR, Connors BW.';
  const longer = { ...bare, title: 'Distinct inhibitory networks of the neocortex' };
  assert.ok(links(`${people} ${longer.title}. J Neurophysiol. 2003.`, longer));
  assert.ok(!links(`${people} ${longer.title} of young rats. J Neurophysiol. 2003.`, longer));
  const short = { ...WORK, title: 'A reply to critics' };
  assert.ok(links(`${people} ${short.title}. J Neurophysiol. 2003;90:2987.`, short));
  assert.ok(!links(`${people} ${short.title}. J Neurophysiol. 2003.`, { ...short, volume: null, pages: null }));
  assert.ok(!links(`Smith A, Jones B. ${WORK.title}. Proceedings of Memory. 2003;1:5.`));
  const unpaged = { ...WORK, pages: null };
  assert.ok(links(`${people} J Neurophysiol. 2003;90.`, unpaged));
  assert.ok(!links(`${people} Electrically coupled interneurons drive inhibition. J Neurophysiol. 2003;90.`, unpaged));
});

test('the second part of a series does not match the first', () => {
  const first = { ...WORK, title: 'Neurons of the larval nervous system: I. Central nervous system', pages: '316-334' };
  assert.ok(
    !links(
      'Beierlein M. Neurons of the larval nervous system: II. Central nervous system. J Neurophysiol. 2003;90:335-352.',
      first,
    ),
  );
});

test('authors, year, title and source are parsed from a reference', () => {
  const { authors, year, title, source, volume, pages, label } = parseReference(
    '[3] van der Berg D, Silva EM, et al. Warm seas and their life. Journal of Seas. 2003;15(2):101-8.',
  );
  assert.deepEqual(
    { authors, year, title, source, volume, pages, label },
    {
      authors: ['van der Berg D', 'Silva EM'],
      year: 2003,
      title: 'Warm seas and their life',
      source: 'Journal of Seas',
      volume: '15',
      pages: '101-8',
      label: '3',
    },
  );
});

test('a title may have a subtitle, follow the name of an organisation, or end at a comma', () => {
  const title = (text: string): string | null => parseReference(text).title;
  assert.equal(
    title('3. Von Hoff D, et al. Toxicity in children and adults. A review of 110 cases. Am J Med 1977;62:200–8.'),
    'Toxicity in children and adults. A review of 110 cases',
  );
  assert.equal(
    title('Gifford RD (2017) Why do we not act? Psychological barriers to choices. Clim. Change 140, 165–178.'),
    'Why do we not act? Psychological barriers to choices',
  );
  assert.equal(
    title('Piazza G, et al. Complications in patients with COVID-19. J Am Coll Cardiol 2020;76:2060–72.'),
    'Complications in patients with COVID-19',
  );
  assert.equal(title('World Health Organization. Global report on falls. Geneva, 2008.'), 'Global report on falls');
  assert.equal(
    title('[14] H. Gomez and A. Helset, Scattering equations of amplitudes, arXiv:1902.02633.'),
    'Scattering equations of amplitudes',
  );
  assert.equal(
    title('11. Uyeki TM. 2009 H1N1 virus and outbreaks. N Engl J Med. 2010;362(23):2221-3.'),
    '2009 H1N1 virus and outbreaks',
  );
});

test('page numbers, years in titles and access dates are not the year', () => {
  const year = (text: string): number | null => parseReference(text).year;
  assert.equal(year('[13] X. Liu, L. Stork, Chem. Eur. J. 2009, 15, 1558 – 1561.'), 2009);
  assert.equal(year('Sung, H., Bray, F., 2021. Global Cancer Statistics 2020: Estimates. CA 71, 209-249.'), 2021);
  assert.equal(year('5. World Health Organization. Update 90. 2009 [cited 2010 Mar 6]. http://www.who.int/'), 2009);
  assert.equal(year('Lee SY. Doctors News; 2014. Available from: http://a.b. Accessed April 7, 2018.'), 2014);
});

test('authors with full given names are people; organisations and title words are not', () => {
  const authors = (text: string): readonly string[] => parseReference(text).authors;
  // "et al." joined to initials, as a program for references does it.
  assert.deepEqual(authors('94. Peiris Jea. Progression and viral load in an outbreak. The Lancet. 2003;361:1767–72.'), ['Peiris J']); // prettier-ignore
  assert.deepEqual(authors('57. Xu X-Kea. Reconstruction of transmission pairs. Clin Infect Dis. 2020;71:3163–7.'), ['Xu XK']); // prettier-ignore
  assert.deepEqual(
    authors(
      '[2] Quentin Wójcik, Greta Xu, and Keiko B. Pereira. Rapid measurement of shells. Annals 48, 551–563 (2016).',
    ),
    ['Wójcik Q', 'Xu G', 'Pereira KB'],
  );
  assert.deepEqual(authors('Hiro Gupta. Monitoring of catalysts across five sites. Letters 88, 1455–1474 (2015).'), [
    'Gupta H',
  ]);
  assert.deepEqual(authors('Ian Goodfellow and Yoshua Bengio. 2016. Deep Learning. MIT Press.'), [
    'Goodfellow I',
    'Bengio Y',
  ]);
  assert.deepEqual(authors('Ashish Vaswani, Noam Shazeer, et al. Attention is all you need. In NeurIPS, 2017.'), [
    'Vaswani A',
    'Shazeer N',
  ]);
  for (const text of [
    'World Health Organization. Global report on falls. Geneva, 2008.',
    'Deep Learning. MIT Press, Cambridge 2016.',
    'Coral Reefs, Climate Change and Ocean Acidification. Nature 2010;3:1-9',
  ])
    assert.deepEqual(authors(text), [], text);
});

test('a reference that matches two works equally well is linked to neither', () => {
  const reference = readPrintedReference(
    'Beierlein M, Gibson JR, Connors BW. Two dynamically distinct inhibitory networks in layer 4 of the neocortex. J Neurophysiol. 2003;90:2987-3000.',
  );
  const twin = { ...WORK };
  const worse = { ...WORK, volume: '12', pages: '1-9' };
  assert.equal(
    linkReference(reference, [
      ['a', WORK],
      ['b', twin],
    ] as const),
    undefined,
  );
  assert.equal(
    linkReference(reference, [
      ['a', WORK],
      ['b', worse],
    ] as const)?.work,
    'a',
  );
  assert.equal(
    linkReference(reference, [
      ['b', worse],
      ['a', WORK],
    ] as const)?.work,
    'a',
  );
  assert.equal(
    linkReference(reference, [
      ['b', worse],
      ['c', worse],
      ['a', WORK],
    ] as const)?.work,
    'a',
    'a tie of worse matches does not matter',
  );
});

test('a work of another year is not matched, even if all else agrees', () => {
  const reference = (year: number): string =>
    `Beierlein M, Gibson JR, Connors BW. Two dynamically distinct inhibitory networks in layer 4 of the neocortex. J Neurophysiol. ${year};90:2987-3000.`;
  assert.ok(links(reference(2003)));
  assert.ok(links(reference(2004)), 'published online in one year, in print in the next');
  assert.ok(!links(reference(2006)));
  assert.ok(!links(reference(1998)));
});
