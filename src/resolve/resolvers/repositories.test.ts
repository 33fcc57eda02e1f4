import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AUTHORS, TITLE, known } from '../../../test/support/known-work.ts';
import { ask, sent, shown, work } from '../../../test/support/ask-resolver.ts';

const inHal = (...docs: object[]): Record<string, string> => ({
  'api.archives-ouvertes.fr/search/': JSON.stringify({ response: { numFound: docs.length, start: 0, docs } }),
});

test('hal: the main file of the deposit with that DOI in any case, queried in quotes', async () => {
  const deposit = {
    halId_s: 'hal-04178712',
    doiId_s: '10.5555/X',
    title_s: [TITLE],
    fileMain_s: 'https://inria.hal.science/hal-04178712/document',
  };
  const result = await ask(
    'hal',
    work('10.5555/x'),
    inHal({ ...deposit, licence_s: 'http://creativecommons.org/licenses/by/' }),
  );
  assert.deepEqual(shown(result), ['pdf https://inria.hal.science/hal-04178712/document']);
  assert.equal(result.plans[0]?.license?.slug, 'cc-by');
  assert.match(sent(result)[0] ?? '', /q=doiId_s:"10\.5555\/x"\+OR\+doiId_id:"10\.5555\/x"/);
  assert.match(sent(await ask('hal', work('hal-04637647'), {}))[0] ?? '', /q=halId_s:"hal-04637647"/);
  assert.deepEqual((await ask('hal', work('10.5555/other'), inHal(deposit))).plans, []);
  assert.deepEqual((await ask('hal', work('10.5555/other'), inHal({ ...deposit, doiId_s: undefined }))).plans, []);
  const version = await ask('hal', work('10.5555/other', known), inHal({ ...deposit, authFullName_s: AUTHORS }));
  assert.equal(version.plans[0]?.sameAs?.doi, '10.5555/x');
});

test('hal: a deposit without a file leads to the open copy it names', async () => {
  const linked = (id: string, address: string): object => ({
    doiId_s: '10.5555/x',
    linkExtId_s: id,
    linkExtUrl_s: address,
  });
  const from = async (id: string, address: string): Promise<string[]> =>
    shown(await ask('hal', work('10.5555/x'), inHal(linked(id, address))));
  assert.deepEqual(await from('arxiv', 'http://arxiv.org/pdf/1706.03762'), [
    'pdf https://export.arxiv.org/pdf/1706.03762',
  ]);
  assert.deepEqual(await from('openaccess', 'https://p.example/a'), ['any https://p.example/a']);
  assert.deepEqual(await from('istex', 'https://api.istex.fr/ark:/1/fulltext.pdf'), []);
});

const deposit = {
  id: 10,
  doi: '10.5281/zenodo.10',
  conceptdoi: '10.5281/zenodo.9',
  metadata: { title: TITLE, access_right: 'open', license: { id: 'cc-by-4.0' }, creators: [{ name: 'Lovelace, Ada' }] },
  files: [
    { key: 'data.csv', checksum: 'md5:1', links: { self: 'https://zenodo.org/api/records/10/files/data.csv/content' } },
    {
      key: 'a b.pdf',
      checksum: `md5:${'c'.repeat(32)}`,
      links: { self: 'https://zenodo.org/api/records/10/files/a b.pdf/content' },
    },
  ],
};

const ZENODO_FILE = 'pdf https://zenodo.org/api/records/10/files/a%20b.pdf/content';

test('zenodo: open PDFs with their checksums, by record', async () => {
  const own = (record: object): ReturnType<typeof ask> =>
    ask(
      'zenodo',
      work('10.5281/zenodo.10'),
      { 'zenodo.org/api/records/10': JSON.stringify(record) },
      { thorough: false },
    );
  const result = await own(deposit);
  assert.deepEqual(shown(result), [ZENODO_FILE]);
  assert.deepEqual(result.plans[0]?.checksum, { algorithm: 'md5', hex: 'c'.repeat(32) });
  assert.equal(result.plans[0]?.license?.slug, 'cc-by');
  const [, file] = deposit.files;
  assert.deepEqual(
    shown(
      await own({
        ...deposit,
        files: { enabled: true, entries: { 'a b.pdf': { ...file, links: { content: file?.links.self } } } },
      }),
    ),
    [ZENODO_FILE],
  );
  const older = {
    filename: 'a b.pdf',
    checksum: 'c'.repeat(32),
    links: { self: 'https://zenodo.org/x', download: file?.links.self },
  };
  const legacy = await own({ ...deposit, files: [older] });
  assert.deepEqual([shown(legacy), legacy.plans[0]?.checksum?.hex], [[ZENODO_FILE], 'c'.repeat(32)]);
  assert.deepEqual((await own({ ...deposit, metadata: { access_right: 'restricted' } })).plans, []);
});

test('zenodo: a search hit counts only if the record has the DOI or states that it is the work', async () => {
  const search = (doi: string, ...hits: object[]): ReturnType<typeof ask> =>
    ask('zenodo', work(doi, known), {
      'zenodo.org/api/records': JSON.stringify({ hits: { hits, total: hits.length } }),
    });
  const related = (relation: string): object => ({
    ...deposit,
    metadata: { ...deposit.metadata, related_identifiers: [{ identifier: '10.5555/x', relation, scheme: 'doi' }] },
  });
  assert.deepEqual((await search('10.5555/x', deposit)).plans, []);
  assert.deepEqual((await search('10.5555/x', related('isSupplementTo'))).plans, []);
  const same = await search('10.5555/x', related('isIdenticalTo'));
  assert.deepEqual([shown(same), same.plans[0]?.sameAs?.doi], [[ZENODO_FILE], '10.5281/zenodo.10']);
  assert.deepEqual(shown(await search('10.5555/x', { ...deposit, doi: '10.5555/X' })), [ZENODO_FILE]);
  assert.deepEqual((await ask('zenodo', work('10.1000/x'), {}, { thorough: false })).asked, []);
});

test('figshare: search, then the deposit with its files; data of an article is not the article', async () => {
  const files = [
    { name: 'a.csv', download_url: 'https://ndownloader.figshare.com/files/1' },
    {
      name: 'paper.pdf',
      download_url: 'https://ndownloader.figshare.com/files/2',
      computed_md5: 'f'.repeat(32),
      is_link_only: false,
    },
  ];
  const stored = {
    id: 5,
    doi: '10.6084/m9.figshare.5.v2',
    title: TITLE,
    authors: [{ full_name: 'Ada Lovelace' }],
    files,
    license: { value: 1, name: 'CC BY 4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  };
  const routes = (article: object): Record<string, string> => ({
    'api.figshare.com/v2/articles/search': '[{"id":5,"title":"light"}]',
    'api.figshare.com/v2/articles/5': JSON.stringify(article),
  });
  const own = await ask('figshare', work('10.6084/m9.figshare.5.v2'), routes(stored), { thorough: false });
  assert.deepEqual(shown(own), ['pdf https://ndownloader.figshare.com/files/2']);
  assert.equal(own.asked[0]?.body, '{"doi":"10.6084/m9.figshare.5"}');
  assert.deepEqual([own.plans[0]?.license?.slug, own.plans[0]?.checksum?.hex], ['cc-by', 'f'.repeat(32)]);
  const linked = { ...stored, resource_doi: '10.5555/X' };
  const version = await ask('figshare', work('10.5555/x', known), routes(linked));
  assert.equal(version.asked[0]?.body, '{"resource_doi":"10.5555/x"}');
  assert.deepEqual([shown(version).length, version.plans[0]?.sameAs?.doi], [1, '10.6084/m9.figshare.5.v2']);
  const data = { ...linked, title: 'Counts of polyps per square metre, 2010 to 2020' };
  assert.deepEqual((await ask('figshare', work('10.5555/x', known), routes(data))).plans, []);
  assert.deepEqual((await ask('figshare', work('10.6084/m9.figshare.6'), routes(stored))).plans, []);
});

test('osf: two requests lead from the GUID in the DOI to the file, with the licence from its own record', async () => {
  const file = {
    attributes: { name: 'a.pdf', extra: { hashes: { sha256: 'e'.repeat(64) } } },
    links: { download: 'https://osf.io/download/bexrz/' },
  };
  const license = { data: { attributes: { name: 'CC-By Attribution-NonCommercial 4.0 International', url: null } } };
  const preprint = (more: object = {}, attributes: object = {}): string =>
    JSON.stringify({
      data: {
        attributes: {
          title: TITLE,
          is_published: true,
          date_withdrawn: null,
          license_record: { copyright_holders: [''], year: '2024' },
          ...attributes,
        },
        relationships: {
          primary_file: { links: { related: { href: 'https://evil.example/v2/files/5d4ef38e4e90e100146f7f41/' } } },
          license: { links: { related: { href: 'https://evil.example/v2/licenses/563c1cf88c5e4a3877f9e96a/' } } },
        },
        links: { preprint_doi: 'https://doi.org/10.31219/osf.io/ab3de' },
        ...more,
      },
    });
  const routes = (body: string): Record<string, string> => ({
    'api.osf.io/v2/preprints/ab3de/': body,
    'api.osf.io/v2/files/5d4ef38e4e90e100146f7f41/': JSON.stringify({ data: file }),
    'api.osf.io/v2/licenses/563c1cf88c5e4a3877f9e96a/': JSON.stringify(license),
  });
  const about = work('10.31219/osf.io/ab3de');
  for (const [body, requests] of [
    [preprint({ embeds: { license } }), 2],
    [preprint(), 3],
  ] as const) {
    const result = await ask('osf', about, routes(body));
    assert.deepEqual(shown(result), ['pdf https://osf.io/download/bexrz/']);
    assert.deepEqual([result.plans[0]?.license?.slug, result.plans[0]?.checksum?.algorithm], ['cc-by-nc', 'sha256']);
    assert.equal(result.asked.length, requests);
    assert.ok(
      result.asked.every(
        ({ host, headers }) => host === 'api.osf.io.sim.test' && headers.authorization === 'Bearer key-osf',
      ),
    );
  }
  assert.deepEqual((await ask('osf', about, routes(preprint({}, { date_withdrawn: '2026-01-01' })))).plans, []);
  const other = preprint({ links: { preprint_doi: 'https://doi.org/10.31219/osf.io/zzzzz' } });
  const wrong = await ask('osf', about, routes(other));
  assert.deepEqual([wrong.plans.length, wrong.problems.length], [0, 1]);
});

test('datacite: files, licence and other DOIs registered by repositories', async () => {
  const attributes = {
    doi: '10.5072/REPO.1',
    titles: [{ title: TITLE }],
    url: 'https://repo.example/1',
    contentUrl: ['https://repo.example/1/paper.pdf'],
    rightsList: [
      { rights: 'Open Access', rightsUri: 'info:eu-repo/semantics/openAccess' },
      { rightsUri: 'https://creativecommons.org/licenses/by-sa/4.0/legalcode' },
    ],
    relatedIdentifiers: [
      { relationType: 'IsVariantFormOf', relatedIdentifier: '10.5555/x', relatedIdentifierType: 'DOI' },
      { relationType: 'References', relatedIdentifier: '10.5555/y', relatedIdentifierType: 'DOI' },
    ],
  };
  const routes = {
    'doi.org/doiRA/10.5072': '[{"DOI":"10.5072","RA":"DataCite"}]',
    'api.datacite.org/dois/10.5072/repo.1': JSON.stringify({ data: { attributes } }),
  };
  const result = await ask('datacite', work('10.5072/repo.1'), routes);
  assert.deepEqual(shown(result), [
    'any https://repo.example/1/paper.pdf',
    'landing https://repo.example/1',
    'landing https://doi.org/10.5555/x',
  ]);
  assert.deepEqual([result.plans[0]?.license?.slug, result.plans[2]?.sameAs?.doi], ['cc-by-sa', '10.5555/x']);
  assert.deepEqual(
    (await ask('datacite', work('10.5555/x'), { 'doi.org/doiRA/10.5555': '[{"DOI":"10.5555","RA":"Crossref"}]' })).asked
      .length,
    1,
  );
  const wrong = await ask('datacite', work('10.5072/repo.2'), {
    ...routes,
    'api.datacite.org/dois/10.5072/repo.2': JSON.stringify({ data: { attributes } }),
  });
  assert.deepEqual([wrong.plans.length, wrong.problems.length], [0, 1]);
});
