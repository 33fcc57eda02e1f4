import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { ListedWork, ListFormat, WorkRecord } from '../index.ts';
import { bibtexEntry, cslItem, emptyRecord, NO_IDS, parseWorks, readWorks, risEntry, workFromText } from '../index.ts';

/** Feeds the text in small pieces, so that chunk boundaries fall everywhere. */
async function read(text: string | Buffer, format: ListFormat, pieceBytes = 7): Promise<ListedWork[]> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes)
      yield await Promise.resolve(bytes.subarray(at, at + pieceBytes));
  }
  return Array.fromAsync(parseWorks(pieces(), format));
}

const shown = (works: readonly ListedWork[]): string[] =>
  works.map((each) => (each.kind === 'work' ? `${each.line} ${each.work.id}` : `${each.line} bad`));

test('ids on the command line become works', () => {
  const work = workFromText('https://doi.org/10.1000/ABC');
  assert.equal(work.kind === 'work' && work.work.id, 'doi:10.1000/abc');
  assert.equal(work.kind === 'work' && work.work.isComplete, false);
  assert.equal(workFromText('rubbish').kind, 'bad');
});

test('JSON lines are read by their fields; bad ones are reported with their line', async () => {
  const text =
    '\uFEFF{"doi":"10.1000/A","title":"T","year":2020}\n"arXiv:2101.00001"\n{broken\n{"id":"https://openalex.org/W5","locations":[]}\n{"ids":{"pmcid":"PMC9"}}\n{"title":"only"}\n17\n\n{"__proto__":{"doi":"10.1000/evil"}}';
  const works = await read(text, 'jsonl');
  assert.deepEqual(shown(works), [
    '1 doi:10.1000/a',
    '2 arxiv:2101.00001',
    '3 bad',
    '4 W5',
    '5 pmcid:PMC9',
    '6 bad',
    '7 bad',
    '9 bad',
  ]);
  const [first] = works;
  assert.equal(first?.kind === 'work' && first.work.title, 'T');
  assert.equal(first?.kind === 'work' && first.work.year, 2020);
});

test('CSV is read with quotes, line breaks and any spelling of its columns', async () => {
  const text =
    'Title,DOI,PMID,arXiv ID,url\r\n"A ""quoted"", title\nover lines",10.1000/a,,,\r\n,,123,,\r\n,,,2101.00001,\r\nnothing,,,,\r\n,,,,https://x.example/paper.pdf?doi=10.1000/b\r\n"open,10.1000/c';
  const works = await read(text, 'csv');
  assert.deepEqual(shown(works), [
    '2 doi:10.1000/a',
    '4 pmid:123',
    '5 arxiv:2101.00001',
    '6 bad',
    '7 doi:10.1000/b',
    '8 bad',
  ]);
  assert.equal(works[0]?.kind === 'work' && works[0].work.title, 'A "quoted", title over lines');
  assert.deepEqual(works[4]?.kind === 'work' && works[4].work.urls, ['https://x.example/paper.pdf?doi=10.1000/b']);
  assert.deepEqual(shown(await read('10.1000/a\n10.1000/b\n', 'csv')), ['1 doi:10.1000/a', '2 doi:10.1000/b']);
  assert.deepEqual(shown(await read('doi\ttitle\n10.1000/a\tT\n', 'csv')), ['2 doi:10.1000/a']);
});

test('BibTeX is read with nested braces, quotes, concatenation and comments', async () => {
  const text = `Some words, mail@example.org.
@comment{ @article{no, doi={10.1000/no}} }
@string{jan = "January"}
@article{one, title = {A {N}ested {\\"u} Title}, doi = "10.1000/a\\_b", year = 2020 }
@inproceedings{two,
  eprint = {2101.00001}, archivePrefix={arXiv}, note = "x" # jan # {y},
}
@misc{three, eprint = {abc}, eprinttype = {jstor}, url = {https://arxiv.org/abs/2101.00002v2}}
@misc{four, title={no id}}
@book{five, doi={10.1000/`;
  const works = await read(text, 'bibtex');
  assert.deepEqual(shown(works), ['4 doi:10.1000/a_b', '5 arxiv:2101.00001', '8 arxiv:2101.00002', '9 bad', '10 bad']);
});

test('abbreviations that multiply each other are not expanded without limit', async () => {
  const names = Array.from({ length: 26 }, (_, at) => `s${at}`);
  const bomb = names.map(
    (name, at) => `@string{${name} = ${at === 0 ? `"${'x'.repeat(16)}"` : `s${at - 1} # s${at - 1}`}}`,
  );
  const text = `${bomb.join('\n')}\n@article{a, doi={10.1000/a}, title = s25}\n@article{b, doi={10.1000/b}, title = ${Array.from({ length: 500 }, () => 's9').join(' # ')}}\n@article{c, doi={10.1000/c}, title = s2}`;
  const works = await read(text, 'bibtex');
  const titles = works.map((each) => (each.kind === 'work' ? each.work.title?.length : each.kind));
  assert.ok(Number(titles[0]) < 100, String(titles[0]));
  assert.deepEqual(titles.slice(1), ['bad', 64]);
  assert.match(works[1]?.kind === 'bad' ? works[1].reason : '', /expands to more than/);
});

test('deeply nested JSON is rejected before parsing', async () => {
  const deep = `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`;
  for (const [text, format] of [
    [`[{"DOI":"10.1000/a"},{"x":${deep}},{"DOI":"10.1000/b"}]`, 'csl'],
    [`{"doi":"10.1000/a"}\n{"x":${deep}}\n{"doi":"10.1000/b"}`, 'jsonl'],
  ] as const) {
    const works = await read(text, format, 60_000);
    assert.deepEqual(
      works.map((each) => (each.kind === 'work' ? each.work.id : each.kind)),
      ['doi:10.1000/a', 'bad', 'doi:10.1000/b'],
    );
    assert.match(works[1]?.kind === 'bad' ? works[1].reason : '', /nested more than \d+ deep/);
  }
});

test('RIS is read record by record', async () => {
  const text =
    'TY  - JOUR\r\nTI  - Title\r\nDO  - 10.1000/a\r\nPY  - 2020/01/02\r\nER  - \r\n\r\nTY  - GEN\r\nUR  - https://zenodo.org/records/77\r\nER  -\r\nTY  - JOUR\r\nTI  - none\r\nER  - \r\nTY  - JOUR\r\nDO  - 10.1000/lost\r\n';
  const works = await read(text, 'ris');
  assert.deepEqual(shown(works), ['1 doi:10.1000/a', '7 zenodo:77', '10 bad', '13 bad']);
  assert.equal(works[0]?.kind === 'work' && works[0].work.year, 2020);
});

test('numbers of other databases and of a library are not PMIDs in RIS', async () => {
  const entry = (lines: string): string => `TY  - JOUR\r\nTI  - ${TITLE}\r\n${lines}\r\nER  - \r\n`;
  const text = [
    'ID  - 10432\r\nDA  - Mar 12\r\nPY  - 2019',
    'DB  - CINAHL\r\nDP  - EBSCOhost\r\nAN  - 10765432',
    'AN  - CN-01234567\r\nUR  - https://www.cochranelibrary.com/central/doi/10.1002/central/CN-01234567/full\r\nDOI - 10.1000/b',
    'DB  - Ovid MEDLINE(R)\r\nAN  - 30111222',
    'AN  - 29876543',
  ];
  const works = await read(text.map(entry).join(''), 'ris');
  assert.deepEqual(works.map(idOf), [null, null, 'doi:10.1000/b', 'pmid:30111222', 'pmid:29876543']);
  assert.equal(works[0]?.kind === 'cited' && works[0].record?.date, '2019');
});

const TITLE = 'Warming of kelp forests';

function idOf(listed: ListedWork): string | null {
  return listed.kind === 'work' ? listed.work.id : null;
}

/** Title, authors, year and journal, which screening and the search by title need. */
function citationOf(listed: ListedWork | undefined): string {
  const { title, authors, date, venue } = (listed && 'record' in listed && listed.record) || emptyRecord('', NO_IDS);
  return [title, authors.map(({ family, name }) => family ?? name).join('+'), date, venue].join('; ');
}

test('exports of Web of Science, PubMed, Scopus, IEEE Xplore and Covidence are read with title, authors, year and journal', async () => {
  const wos = `FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Berg, A\n   Liu, W\nAF Berg, Ana\n   Liu, Wei\nTI Warming of\n   kelp forests\nSO ALGAE\nPY 2020\nDI 10.1000/a\nER\n\nPT J\nAU Roy, B\nTI ${TITLE}\nSO ALGAE\nPY 2011\nER\n\nEF\n`;
  const tab = `PT\tAU\tAF\tTI\tSO\tPY\tDI\nJ\tBerg, A\tBerg, Ana; Liu, Wei\t${TITLE}\tALGAE\t2020\t10.1000/a\n`;
  const medline = `PMID- 31000001\r\nTI  - ${TITLE}\r\nFAU - Berg, Ana\r\nFAU - Liu, Wei\r\nDP  - 2020\r\nJT  - ALGAE\r\n`;
  const ris = `TY  - JOUR\nT1  - ${TITLE}\nA1  - Berg, Ana\nA1  - Liu, Wei\nY1  - 2020\nJF  - ALGAE\nER  - \n`;
  const scopus = `"Authors","Title","Year","Source title","DOI","Source"\n"Berg, A.; Liu, W.","${TITLE}","2020","ALGAE","","Scopus"\n`;
  const ieee = `"Document Title",Authors,"Publication Title","Publication Year","PDF Link"\n"${TITLE}","Berg, A.; Liu, W.","ALGAE","2020","https://x.example/1"\n`;
  const covidence = `Title,Authors,Published Year,Journal\n${TITLE},"Berg, A.; Liu, W.",2020,ALGAE\n`;
  const expected = `${TITLE}; Berg+Liu; 2020; ALGAE`;
  const files: [string, ListFormat][] = [
    [wos, 'wos'],
    [wos, 'ids'],
    [tab, 'csv'],
    [tab, 'ids'],
    [medline, 'ids'],
    [ris, 'ids'],
    [scopus, 'csv'],
    [ieee, 'csv'],
    [covidence, 'csv'],
  ];
  for (const [text, format] of files) assert.equal(citationOf((await read(text, format))[0]), expected);
  const both = await read(wos, 'wos');
  assert.deepEqual([both.length, citationOf(both[1])], [2, `${TITLE}; Roy; 2011; ALGAE`]);
});

test('lists are read in UTF-16, Windows-1252 and with old line endings, and CSV with semicolons', async () => {
  const ris = 'TY  - JOUR\nTI  - Über große Wälder\nDO  - 10.1000/a\nER  - \n';
  const encoded = [
    Buffer.from(`\uFEFF${ris}`, 'utf16le'),
    Buffer.from(`\uFEFF${ris}`, 'utf16le').swap16(),
    Buffer.from(ris, 'utf16le'),
    Buffer.from(ris, 'latin1'),
    Buffer.from(`\uFEFF${ris.replaceAll('\n', '\r')}`),
    // A line in each encoding, as in joined files.
    Buffer.concat([Buffer.from(ris, 'latin1'), Buffer.from(ris)]),
  ];
  for (const bytes of encoded)
    for (const listed of await read(bytes, 'ris')) assert.equal(citationOf(listed), 'Über große Wälder; ; ; ');
  assert.deepEqual(shown(await read('10.1000/a\r10.1000/b\r', 'ids')), ['1 doi:10.1000/a', '2 doi:10.1000/b']);
  const semicolons = 'title;doi\r\n"One; two, and three";10.1000/a\r\nTwo, three;10.1000/b\r\n';
  assert.deepEqual(shown(await read(semicolons, 'csv')), ['2 doi:10.1000/a', '3 doi:10.1000/b']);
  assert.deepEqual(shown(await read('10.1000/a;b\n10.1000/c\n', 'csv')), ['1 doi:10.1000/a;b', '2 doi:10.1000/c']);
});

test('an unclosed BibTeX entry affects no other, and parentheses may enclose an entry', async () => {
  const text =
    '@article(one, title = "A (nested) title", year = 1984, doi = {10.1000/a})\n@misc{two, title = {No end, year = {2001}}\n@article{three,\n doi={10.1000/b}}\n@comment{\n@article{no, doi={10.1000/no}}}\n@misc{four, doi={10.1000/c}, title={$\\alpha$-helices in CO$_2$ by {\\LaTeX}}}';
  const works = await read(text, 'bibtex');
  assert.deepEqual(shown(works), ['1 doi:10.1000/a', '2 bad', '3 doi:10.1000/b', '7 doi:10.1000/c']);
  assert.match(citationOf(works[0]), /^A \(nested\) title; ; 1984/);
  assert.match(citationOf(works[3]), /^alpha-helices in CO2 by LaTeX;/);
});

test('the format is detected from the file name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'works-'));
  try {
    writeFileSync(join(folder, 'list.txt'), '# my list\n10.1000/a\n\nPMC7\nwhat\n');
    assert.deepEqual(shown(await Array.fromAsync(readWorks(join(folder, 'list.txt')))), [
      '2 doi:10.1000/a',
      '4 pmcid:PMC7',
      '5 bad',
    ]);
    await assert.rejects(Array.fromAsync(readWorks(join(folder, 'list.xlsx'))), { code: 'USAGE_LIST_FORMAT' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the URL of a paper is a work; an unusable URL is not', () => {
  const listed = workFromText(' https://example.org/papers/x.pdf#page=2 ');
  assert.ok(listed.kind === 'work');
  assert.equal(listed.work.id, 'url:https://example.org/papers/x.pdf');
  assert.deepEqual(listed.work.urls, ['https://example.org/papers/x.pdf']);
  for (const text of [
    'https://doi.org/nonsense',
    'ftp://example.org/x.pdf',
    'https://u:p@example.org/',
    'https://a b/',
  ])
    assert.equal(workFromText(text).kind, 'bad', text);
});

test('PubMed MEDLINE is read with continued lines and several kinds of ids', async () => {
  const text = `PMID- 31452104
OWN - NLM
TI  - Heat and
      the reefs of the north.
LID - S0140-6736(19)1 [pii]
LID - 10.1000/Reef [doi]
AB  - One line
      and another.
FAU - Berg, Ana
FAU - Liu, Wei
DP  - 2019 Aug 5
JT  - Journal of reefs
VI  - 12
IP  - 4
PG  - 3-9
PMC - PMC6123

PMID- 77
TI  - Second
AID - 10.1000/second [doi]

TI  - no id at all
`;
  const works = await read(text, 'nbib');
  assert.deepEqual(shown(works), ['1 doi:10.1000/reef', '18 doi:10.1000/second', '22 bad']);
  assert.deepEqual(shown(await read('PMID- 77\nPMID- 78\nPMID- 79\n', 'nbib')), [
    '1 pmid:77',
    '2 pmid:78',
    '3 pmid:79',
  ]);
  const [first] = works;
  assert.ok(first?.kind === 'work' && first.record);
  assert.equal(first.work.ids.pmid, '31452104');
  assert.equal(first.work.ids.pmcid, 'PMC6123');
  assert.equal(first.record.title, 'Heat and the reefs of the north.');
  assert.equal(first.record.date, '2019-08-05');
  assert.deepEqual(
    first.record.authors.map(({ family, given }) => [family, given]),
    [
      ['Berg', 'Ana'],
      ['Liu', 'Wei'],
    ],
  );
});

test('RIS of Embase and Ovid: stray lines, prefixed DOIs, a missing end', async () => {
  const text =
    '1. \r\nTY  - JOUR\r\nDB  - Embase\r\nT1  - A title\r\n   that goes on\r\nDO  - doi:10.1000/A\r\nA1  - Berg, A.\r\nJO  - J Reefs\r\nVL  - 3\r\nSP  - 1\r\nEP  - 9\r\nTY  - JOUR\r\nDO  - https://dx.doi.org/10.1000/b\r\nER  -\r\n';
  const works = await read(text, 'ris');
  assert.deepEqual(shown(works), ['2 doi:10.1000/a', '12 doi:10.1000/b']);
  const [first] = works;
  assert.ok(first?.kind === 'work');
  assert.equal(first.record?.title, 'A title that goes on');
  assert.equal(first.record.pages, '1-9');
  assert.equal(first.record.venue, 'J Reefs');
});

test('CSL-JSON is read item by item with line numbers; a damaged item affects no other', async () => {
  const text =
    '[\n {"id":"x","type":"article-journal","title":"A, {b}","DOI":"10.1000/a","issued":{"date-parts":[[2020,5]]},"author":[{"family":"Berg","given":"Ana"}]},\n {"id": broken},\n {"title":"no id"},\n {"PMID":"12"}\n]';
  const works = await read(text, 'csl');
  assert.deepEqual(shown(works), ['2 doi:10.1000/a', '3 bad', '4 bad', '5 pmid:12']);
  const [first] = works;
  assert.equal(first?.kind === 'work' && first.record?.date, '2020-05');
  assert.deepEqual(shown(await read('{"items":[{"DOI":"10.1000/b"}]}', 'csl')), ['1 doi:10.1000/b']);
  assert.deepEqual(shown(await read('[{"DOI":"10.1000/b"', 'csl')), ['1 bad']);
});

test('bare numbers are PMIDs in a list of ids, and on a command line if they are long enough', async () => {
  assert.deepEqual(shown(await read('31452104\n17\nPMC7\n', 'ids')), ['1 pmid:31452104', '2 pmid:17', '3 pmcid:PMC7']);
  const typed = workFromText('31452104');
  assert.equal(typed.kind === 'work' && typed.work.id, 'pmid:31452104');
  assert.equal(workFromText('17').kind, 'bad');
});

test('TeX accents and letters are decoded', async () => {
  const text =
    '@article{a, doi={10.1000/a}, title={M{\\"u}ller, N\\\'u\\~nez, Stra{\\ss}e, \\c{c}a, Erd\\H{o}s and 5\\% {\\o}re~x}}';
  const [work] = await read(text, 'bibtex');
  assert.equal(work?.kind === 'work' && work.record?.title, 'Müller, Núñez, Straße, ça, Erdős and 5% øre x');
});

test('BibTeX, RIS and CSL-JSON round-trip to the same work', async () => {
  const author = (family: string, given: string) => ({
    name: `${given} ${family}`,
    family,
    given,
    orcid: null,
    institutions: [],
  });
  const record: WorkRecord = {
    ...emptyRecord('W1', { doi: '10.1000/a_b', pmid: '123', pmcid: 'PMC9' }),
    type: 'article',
    title: 'Größe & 50% of {all} reefs: a_b^c ~ \\x',
    authors: [author('van der Berg', 'Ana-Maria'), author('Núñez', 'José')],
    date: '2024-05-17',
    venue: 'Journal of Reefs & Seas',
    volume: '12',
    issue: '4',
    pages: '3-9',
    abstract: 'It was hot; 3 < 4.',
    language: 'en',
  };
  const written = {
    bibtex: bibtexEntry(record, 'key'),
    ris: risEntry(record),
    csl: JSON.stringify([cslItem(record)]),
  };
  for (const [format, text] of Object.entries(written)) {
    const [back] = await read(text, format as ListFormat);
    assert.ok(back?.kind === 'work' && back.record, format);
    assert.equal(back.work.ids.doi, '10.1000/a_b', format);
    for (const field of ['title', 'venue', 'volume', 'issue', 'pages', 'abstract', 'language'] as const)
      assert.equal(back.record[field], record[field], `${format}: ${field}`);
    assert.deepEqual(
      back.record.authors.map(({ family, given }) => [family, given]),
      [
        ['van der Berg', 'Ana-Maria'],
        ['Núñez', 'José'],
      ],
      format,
    );
    assert.equal(back.record.date?.slice(0, 4), '2024', format);
    // BibTeX uses `article` for everything.
    assert.equal(back.record.type, format === 'bibtex' ? null : 'article', format);
  }
});
