import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import {
  formatArxivId,
  identify,
  keyOf,
  NO_IDS,
  normalizeHalId,
  normalizeOpenAlexId,
  normalizePmcid,
  normalizePmid,
  normalizeZenodoId,
  osfGuidOf,
  parseArxivId,
  parseLicense,
  parseVersion,
  pmcidFromField,
  pmidFromField,
} from './index.ts';

const SHARED = join(import.meta.dirname, './../../../shared/data/hostile/open');

test('a DOI is found in a publisher URL, without what the site appends to it', () => {
  for (const [url, doi] of [
    ['https://www.frontiersin.org/articles/10.3389/fpsyg.2013.00863/full', '10.3389/fpsyg.2013.00863'],
    ['https://onlinelibrary.wiley.com/doi/epdf/10.1111/maec.12345?src=getftr', '10.1111/maec.12345'],
    ['https://link.springer.com/content/pdf/10.1007/s00227-020-3640-1.pdf', '10.1007/s00227-020-3640-1'],
    [' https://link.springer.com/article/10.1007/s00227-020-3640-1#Sec2', '10.1007/s00227-020-3640-1'],
    [
      'https://journals.plos.org/plosone/article/file?id=10.1371/journal.pone.0000217&type=printable',
      '10.1371/journal.pone.0000217',
    ],
    ['https://www.biorxiv.org/content/10.1101/2020.01.01.123456v1.full.pdf', '10.1101/2020.01.01.123456'],
    [
      'https://academic.oup.com/bioinformatics/article/doi/10.1093/bioinformatics/btz682/5556107',
      '10.1093/bioinformatics/btz682',
    ],
    [
      'https://onlinelibrary.wiley.com/doi/10.1002/(SICI)1097-0282(1996)38:1%3C1::AID-BIP1%3E3.0.CO;2-S/abstract',
      '10.1002/(sici)1097-0282(1996)38:1<1::aid-bip1>3.0.co;2-s',
    ],
  ] as const)
    assert.equal(identify(url)?.doi, doi);
});

test(
  'text designed to stall a search does not stall it',
  { skip: existsSync(SHARED) ? false : `${SHARED} is absent` },
  () => {
    const startedAt = process.cpuUsage().user;
    const probes = readFileSync(join(SHARED, 'markup/t01_redos.txt'), 'utf8').split('\n');
    for (const probe of probes) {
      identify(probe);
      parseLicense(probe);
    }
    const seconds = (process.cpuUsage().user - startedAt) / 1e6;
    assert.ok(seconds < 0.25 * probes.length + 1, `${seconds} s for ${probes.length} lines`);
  },
);

test('arXiv ids are parsed in every style, with and without version', () => {
  const read = (text: string): string | undefined => {
    const id = parseArxivId(text);
    return id && formatArxivId(id);
  };
  for (const [text, expected] of [
    ['arXiv:1706.03762v5', '1706.03762v5'],
    ['https://arxiv.org/abs/1706.03762', '1706.03762'],
    ['http://export.arxiv.org/pdf/1706.03762v2.pdf', '1706.03762v2'],
    ['10.48550/arXiv.1706.03762', '1706.03762'],
    ['https://doi.org/10.48550/ARXIV.2101.00001', '2101.00001'],
    ['oai:arXiv.org:0704.0001', '0704.0001'],
    ['pmh:oai:arXiv.org:math/0611800', 'math/0611800'],
    ['math.CA/0611800v3', 'math/0611800v3'],
    ['hep-th/9901001', 'hep-th/9901001'],
    ['https://arxiv.org/html/2401.12345v1', '2401.12345v1'],
    ['1412.9999', '1412.9999'],
    ['1501.00001', '1501.00001'],
    ['1501.0001', undefined],
    ['1412.00001', undefined],
    ['0703.0001', undefined],
    ['1713.00001', undefined],
    ['math/0813001', undefined],
    ['10.1000/182', undefined],
    ['', undefined],
  ] as const) {
    assert.equal(read(text), expected, text);
  }
});

test('PubMed, PMC, OpenAlex, HAL, Zenodo and OSF ids are parsed', () => {
  assert.equal(normalizePmcid('pmc 0013014283.2'), 'PMC13014283');
  assert.equal(normalizePmcid('https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/'), 'PMC123');
  assert.equal(normalizePmcid('123'), undefined);
  assert.equal(pmcidFromField('https://www.ncbi.nlm.nih.gov/pmc/articles/123'), 'PMC123');
  assert.equal(normalizePmid('https://pubmed.ncbi.nlm.nih.gov/40120586'), '40120586');
  assert.equal(normalizePmid('PMID: 1'), '1');
  assert.equal(pmidFromField('17'), '17');
  assert.equal(pmidFromField('x17'), undefined);
  assert.equal(normalizeOpenAlexId('https://openalex.org/w3146366485'), 'W3146366485');
  assert.equal(normalizeOpenAlexId('W0'), undefined);
  assert.equal(normalizeHalId('https://inria.hal.science/hal-04178712v1'), 'hal-04178712');
  assert.equal(normalizeHalId('tel-00011111'), 'tel-00011111');
  assert.equal(normalizeZenodoId('https://doi.org/10.5281/zenodo.10635481'), '10635481');
  assert.equal(normalizeZenodoId('https://zenodo.org/records/10635481?x=1'), '10635481');
  assert.equal(osfGuidOf('10.31219/osf.io/AB3de_v2'), 'ab3de_v2');
  assert.equal(osfGuidOf('https://osf.io/preprints/psyarxiv/ab3de'), 'ab3de');
});

test('the kind of an id is detected, and a work is keyed by its best id', () => {
  const key = (text: string): string | undefined => {
    const ids = identify(text);
    return ids && keyOf(ids);
  };
  assert.equal(key('W123'), 'W123');
  assert.equal(key('10.1000/182'), 'doi:10.1000/182');
  assert.equal(key('arXiv:2101.00001'), 'arxiv:2101.00001');
  assert.equal(key('PMC12'), 'pmcid:PMC12');
  assert.equal(key('pmid:12'), 'pmid:12');
  assert.equal(key('hal-01234567'), 'hal:hal-01234567');
  assert.equal(key('https://journal.example/article/10.1000/182/full'), 'doi:10.1000/182');
  assert.equal(key('hello'), undefined);
  assert.equal(identify('10.48550/arxiv.2101.00001')?.arxiv?.id, '2101.00001');
});

test('licences are recognised in the spellings of all services', () => {
  for (const [text, slug] of [
    ['cc-by', 'cc-by'],
    ['CC BY', 'cc-by'],
    ['CCBYNCND', 'cc-by-nc-nd'],
    ['cc_by_nc', 'cc-by-nc'],
    ['cc-by-4.0', 'cc-by'],
    ['CC BY 4.0', 'cc-by'],
    ['http://creativecommons.org/licenses/by-nc-sa/4.0/', 'cc-by-nc-sa'],
    ['http://creativecommons.org/licenses/by/', 'cc-by'],
    ['https://creativecommons.org/publicdomain/zero/1.0/', 'cc0'],
    ['https://openalex.org/licenses/cc-by', 'cc-by'],
    ['CC0', 'cc0'],
    ['cc0-1.0', 'cc0'],
    ['implied-oa', 'other-oa'],
    ['publisher-specific-oa', 'publisher-specific'],
    ['http://arxiv.org/licenses/nonexclusive-distrib/1.0/', 'arxiv-nonexclusive'],
    ['cc_no', null],
    ['constructor', null],
  ] as const) {
    const license = parseLicense(text);
    assert.equal(license?.slug, slug, text);
    assert.equal(license?.raw, text);
  }
  assert.equal(parseLicense(null), null);
  assert.equal(parseLicense(' '), null);
  assert.deepEqual(['vor', 'am', 'submittedVersion', 'tdm', '__proto__', null].map(parseVersion), [
    'publishedVersion',
    'acceptedVersion',
    'submittedVersion',
    null,
    null,
    null,
  ]);
});

test('ids are read from the URLs of PubMed, PubMed Central and Europe PMC, also of their files', () => {
  const key = (text: string): string | undefined => keyOf(identify(text) ?? NO_IDS);
  for (const url of [
    'https://europepmc.org/article/MED/31000005',
    'https://europepmc.org/abstract/MED/31000005',
    'http://www.europepmc.org/article/med/31000005?singleResult=true#impact',
    'https://pubmed.ncbi.nlm.nih.gov/31000005/?dopt=Abstract',
    'https://www.ncbi.nlm.nih.gov/pubmed/31000005',
  ])
    assert.equal(key(url), 'pmid:31000005', url);
  for (const url of [
    'https://europepmc.org/article/PMC/PMC4914563',
    'https://europepmc.org/articles/PMC4914563?pdf=render',
    'https://europepmc.org/articles/PMC4914563/bin/supplement.pdf',
    'https://europepmc.org/backend/ptpmcrender.fcgi?accid=PMC4914563&blobtype=pdf',
    'https://www.ncbi.nlm.nih.gov/pmc/articles/PMC4914563/pdf/ncomms11901.pdf',
    'https://pmc.ncbi.nlm.nih.gov/articles/PMC4914563/pdf/main.pdf',
    'https://pmc.ncbi.nlm.nih.gov/articles/PMC4914563.2/',
  ])
    assert.equal(key(url), 'pmcid:PMC4914563', url);
  for (const url of ['https://example.org/PMC4914563x/list', 'https://europepmc.org/search?query=reefs'])
    assert.equal(key(url), undefined, url);
});
