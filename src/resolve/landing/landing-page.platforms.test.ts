import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readLandingPage } from './landing-page.ts';

// Pages as publishers' and repositories' platforms build them, shortened and written by hand.

const meta = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, content]) => `<meta name="${name}" content="${content}">`)
    .join('');

interface Platform {
  readonly at: string;
  readonly html: string;
  readonly links: readonly string[];
  readonly doi: string | null;
  readonly license?: string;
}

const PLATFORMS: Readonly<Record<string, Platform>> = {
  'HighWire (bioRxiv, BMJ)': {
    at: 'https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2',
    html: `${meta({
      citation_pdf_url: 'https://www.biorxiv.org/content/biorxiv/early/2020/01/02/2020.01.01.123456.full.pdf',
      citation_doi: '10.1101/2020.01.01.123456',
      'DC.Rights':
        '© 2020, Posted by Cold Spring Harbor Laboratory. This pre-print is available under a Creative Commons License (Attribution-NonCommercial-NoDerivs 4.0 International), CC BY-NC-ND 4.0, as described at http://creativecommons.org/licenses/by-nc-nd/4.0/',
    })}<a href="/content/biorxiv/early/2020/01/02/2020.01.01.123456/DC1/embed/media-1.pdf">Supplementary PDF</a>`,
    links: ['https://www.biorxiv.org/content/biorxiv/early/2020/01/02/2020.01.01.123456.full.pdf'],
    doi: '10.1101/2020.01.01.123456',
    license: 'cc-by-nc-nd',
  },
  'Atypon without a PDF meta (ACM, ACS, SAGE, PNAS, Science)': {
    at: 'https://dl.acm.org/doi/10.1145/3292500.3330701',
    html: `${meta({ 'dc.Title': 'A study', 'dc.Date': '2019' })}
      <a href="/doi/epdf/10.1145/3292500.3330701?src=x" title="eReader">eReader</a>
      <a href="/doi/pdf/10.1145/3292500.3330701" title="PDF">PDF</a>
      <h2>Cited by</h2><a href="/doi/pdf/10.1145/1111111.2222222">PDF</a>`,
    links: ['https://dl.acm.org/doi/pdf/10.1145/3292500.3330701'],
    doi: '10.1145/3292500.3330701',
  },
  'Wiley Online Library': {
    at: 'https://onlinelibrary.wiley.com/doi/full/10.1002/ece3.1234',
    html: `${meta({ citation_pdf_url: 'https://onlinelibrary.wiley.com/doi/pdf/10.1002/ece3.1234', citation_doi: '10.1002/ece3.1234' })}
      <a href="/doi/epdf/10.1002/ece3.1234">PDF</a><a href="http://creativecommons.org/licenses/by/4.0/">License</a>`,
    links: ['https://onlinelibrary.wiley.com/doi/pdf/10.1002/ece3.1234'],
    doi: '10.1002/ece3.1234',
    license: 'cc-by',
  },
  'Cell Press and the Lancet': {
    at: 'https://www.cell.com/cell/fulltext/S0092-8674(20)30229-4',
    html: `${meta({ citation_doi: '10.1016/j.cell.2020.02.052' })}<a class="pdf" href="/action/showPdf?pii=S0092-8674%2820%2930229-4">PDF</a>`,
    links: ['https://www.cell.com/action/showPdf?pii=S0092-8674%2820%2930229-4'],
    doi: '10.1016/j.cell.2020.02.052',
  },
  'Silverchair (OUP, AIP)': {
    at: 'https://academic.oup.com/bib/article/22/1/1/5771000',
    html: `${meta({ citation_doi: '10.1093/bib/bbz150' })}<a class="al-link pdf article-pdfLink" data-article-id="5771000" href="/bib/article-pdf/22/1/1/35934567/bbz150.pdf">PDF</a>
      <a href="https://creativecommons.org/licenses/by-nc/4.0/" target="_blank">cc</a>`,
    links: ['https://academic.oup.com/bib/article-pdf/22/1/1/35934567/bbz150.pdf'],
    doi: '10.1093/bib/bbz150',
    license: 'cc-by-nc',
  },
  'IEEE Xplore': {
    at: 'https://ieeexplore.ieee.org/document/10342786/',
    html: `<meta property="og:type" content="article"><script>xplGlobal.document.metadata={"doi":"10.1109/JSTARS.2023.3339235","pdfUrl":"\\/stamp\\/stamp.jsp?tp=&arnumber=10342786","isOpenAccess":true};</script>`,
    links: ['https://ieeexplore.ieee.org/stamp/stamp.jsp?tp=&arnumber=10342786'],
    doi: null,
  },
  'Springer and Nature': {
    at: 'https://link.springer.com/article/10.1186/s13059-020-02154-5',
    html: `${meta({ citation_pdf_url: 'https://link.springer.com/content/pdf/10.1186/s13059-020-02154-5.pdf', 'dc.rights': '2020 The Author(s).' })}
      <script type="application/ld+json">{"mainEntity":{"headline":"A study","sameAs":"https://doi.org/10.1186/s13059-020-02154-5","license":"http://creativecommons.org/licenses/by/4.0/","@type":"ScholarlyArticle"},"@type":"WebPage"}</script>
      <a href="https://link.springer.com/content/pdf/10.1007/s00000-000-0000-0.pdf">Download PDF of a related article</a>`,
    links: ['https://link.springer.com/content/pdf/10.1186/s13059-020-02154-5.pdf'],
    doi: '10.1186/s13059-020-02154-5',
    license: 'cc-by',
  },
  MDPI: {
    at: 'https://www.mdpi.com/2076-3417/14/12/4996',
    html: `${meta({ citation_doi: '10.3390/app14124996', 'dc.identifier': '10.3390/app14124996' })}
      <a href="/2076-3417/14/12/4996/pdf?version=1717" class="button">Download PDF</a>
      <a href="https://creativecommons.org/licenses/by/4.0/">CC BY</a>`,
    links: ['https://www.mdpi.com/2076-3417/14/12/4996/pdf?version=1717'],
    doi: '10.3390/app14124996',
    license: 'cc-by',
  },
  eLife: {
    at: 'https://elifesciences.org/articles/00013',
    html: `${meta({ 'dc.identifier': 'doi:10.7554/eLife.00013', 'dc.rights': '© 2012 Alegado et al. This article is distributed under the terms of the Creative Commons Attribution License, which permits unrestricted use.' })}
      <a href="https://elifesciences.org/download/aHR0/elife-00013-v1.pdf?_hash=x" data-download-type="pdf-article">Article PDF</a>`,
    links: ['https://elifesciences.org/download/aHR0/elife-00013-v1.pdf?_hash=x'],
    doi: '10.7554/elife.00013',
    license: 'cc-by',
  },
  'OJS 3, theme without classes of its own': {
    at: 'https://journal.example.org/index.php/j/article/view/77',
    html: `${meta({ 'DC.Identifier': '77', 'DC.Identifier.DOI': '10.5555/j.77', 'DC.Rights': 'https://creativecommons.org/licenses/by-sa/4.0' })}
      <a class="galley-link btn btn-primary pdf" href="https://journal.example.org/index.php/j/article/view/77/90">PDF</a>`,
    links: ['https://journal.example.org/index.php/j/article/download/77/90'],
    doi: '10.5555/j.77',
    license: 'cc-by-sa',
  },
  'DSpace 7': {
    at: 'https://repo.example.edu/items/5e1f2a3b-0000-4000-8000-000000000001',
    html: meta({
      citation_title: 'A study',
      citation_pdf_url: 'https://repo.example.edu/bitstreams/5e1f2a3b-0000-4000-8000-00000000000a/download',
    }),
    links: [
      'https://repo.example.edu/bitstreams/5e1f2a3b-0000-4000-8000-00000000000a/download',
      'https://repo.example.edu/server/api/core/bitstreams/5e1f2a3b-0000-4000-8000-00000000000a/content',
    ],
    doi: null,
  },
  EPrints: {
    at: 'https://eprints.example.ac.uk/1234/',
    html: meta({
      'eprints.document_url': 'https://eprints.example.ac.uk/1234/1/paper.pdf',
      'eprints.official_url': 'https://doi.org/10.5555/official.1',
      'eprints.title': 'A study',
    }),
    links: ['https://eprints.example.ac.uk/1234/1/paper.pdf'],
    doi: '10.5555/official.1',
  },
  'Digital Commons (bepress)': {
    at: 'https://scholarworks.example.edu/cs/12',
    html: `${meta({ bepress_citation_title: 'A study', bepress_citation_doi: '10.5555/b.12' })}<a id="pdf" href="https://scholarworks.example.edu/cgi/viewcontent.cgi?article=1011&amp;context=cs">Download</a>`,
    links: ['https://scholarworks.example.edu/cgi/viewcontent.cgi?article=1011&context=cs'],
    doi: '10.5555/b.12',
  },
  Pure: {
    at: 'https://research.example.nl/en/publications/a-study',
    html: `<a class="link document-link" href="https://research.example.nl/ws/portalfiles/portal/123/study.pdf">Final published version</a>
      <div class="doi"><a href="https://doi.org/10.5555/p.1">10.5555/p.1</a></div><div class="altmetric-embed" data-doi="10.5555/p.1"></div>`,
    links: ['https://research.example.nl/ws/portalfiles/portal/123/study.pdf'],
    doi: '10.5555/p.1',
  },
  'Zenodo (InvenioRDM)': {
    at: 'https://zenodo.org/records/123',
    html: `${meta({ citation_doi: '10.5281/zenodo.123' })}<link rel="alternate" type="application/pdf" href="https://zenodo.org/records/123/files/a%20b.pdf">
      <script type="application/ld+json">{"@type":"https://schema.org/PresentationDigitalDocument","license":"https://creativecommons.org/licenses/by/4.0/legalcode"}</script>`,
    links: ['https://zenodo.org/records/123/files/a%20b.pdf'],
    doi: '10.5281/zenodo.123',
    license: 'cc-by',
  },
  arXiv: {
    at: 'https://arxiv.org/abs/2111.07624',
    html: `${meta({ citation_title: 'A study', citation_pdf_url: 'https://arxiv.org/pdf/2111.07624', citation_arxiv_id: '2111.07624' })}<a href="http://creativecommons.org/licenses/by/4.0/" title="Rights to this article">view license</a>`,
    links: ['https://arxiv.org/pdf/2111.07624'],
    doi: null,
    license: 'cc-by',
  },
  SciELO: {
    at: 'https://www.scielo.br/j/rsp/a/abc/?lang=pt',
    html: `${meta({ citation_pdf_url: 'https://www.scielo.br/j/rsp/a/abc/?lang=pt&format=pdf', citation_doi: '10.1590/S0034-89102013000100001' })}<a href="https://creativecommons.org/licences/by-nc/3.0/">licence</a>`,
    links: ['https://www.scielo.br/j/rsp/a/abc/?lang=pt&format=pdf'],
    doi: '10.1590/s0034-89102013000100001',
    license: 'cc-by-nc',
  },
  'J-STAGE, Japanese and English': {
    at: 'https://www.jstage.jst.go.jp/article/x/1/2/1_3/_article',
    html: `${meta({ citation_pdf_url: 'https://www.jstage.jst.go.jp/article/x/1/2/1_3/_pdf/-char/en', citation_doi: '10.5555/x.1.3' })}<a href="https://www.jstage.jst.go.jp/article/x/1/2/1_3/_pdf">Download PDF (1024K)</a>`,
    links: [
      'https://www.jstage.jst.go.jp/article/x/1/2/1_3/_pdf/-char/en',
      'https://www.jstage.jst.go.jp/article/x/1/2/1_3/_pdf',
    ],
    doi: '10.5555/x.1.3',
  },
  'Cambridge Core': {
    at: 'https://www.cambridge.org/core/journals/x/article/a-study/0123456789ABCDEF',
    html: meta({
      citation_pdf_url:
        'https://www.cambridge.org/core/services/aop-cambridge-core/content/view/0123456789ABCDEF/S0000000000000001a.pdf/a-study.pdf',
      citation_doi: '10.1017/S0000000000000001',
    }),
    links: [
      'https://www.cambridge.org/core/services/aop-cambridge-core/content/view/0123456789ABCDEF/S0000000000000001a.pdf/a-study.pdf',
    ],
    doi: '10.1017/s0000000000000001',
  },
  Copernicus: {
    at: 'https://acp.copernicus.org/articles/20/1/2020/',
    html: `${meta({ citation_pdf_url: 'https://acp.copernicus.org/articles/20/1/2020/acp-20-1-2020.pdf', citation_doi: '10.5194/acp-20-1-2020' })}<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">`,
    links: ['https://acp.copernicus.org/articles/20/1/2020/acp-20-1-2020.pdf'],
    doi: '10.5194/acp-20-1-2020',
    license: 'cc-by',
  },
  Emerald: {
    at: 'https://www.emerald.com/insight/content/doi/10.1108/JD-01-2020-0001/full/html',
    html: '<a href="/insight/content/doi/10.1108/JD-01-2020-0001/full/pdf" class="intent_pdf_link">Article PDF (200 KB)</a>',
    links: ['https://www.emerald.com/insight/content/doi/10.1108/JD-01-2020-0001/full/pdf'],
    doi: '10.1108/jd-01-2020-0001',
  },
  'a list of several articles in structured data': {
    at: 'https://j.example.org/a/1',
    html: '<script type="application/ld+json">[{"@type":"ScholarlyArticle","identifier":"https://doi.org/10.5555/first"},{"@type":"ScholarlyArticle","identifier":"https://doi.org/10.5555/related"}]</script>',
    links: [],
    doi: '10.5555/first',
  },
};

for (const [name, { at, html, links, doi, license }] of Object.entries(PLATFORMS)) {
  test(`a page of ${name}: its files, its DOI, its licence`, () => {
    const page = readLandingPage(`<!doctype html><html><head></head><body>${html}</body></html>`, new URL(at));
    assert.deepEqual(
      page.links.map(({ url }) => url),
      links,
    );
    assert.deepEqual([page.doi, page.license?.slug ?? null], [doi, license ?? null]);
  });
}
