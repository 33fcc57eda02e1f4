import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { webTime } from '../../sim/web-time.ts';
import { makePdf, paragraph, prose } from '../../test/support/make-pdf.ts';
import type { Settings } from '../config/index.ts';
import { openJsonServer, sendJson } from '../testing/index.ts';
import type { RunAccount } from '../run/index.ts';
import type { Corpus } from './corpus.ts';
import { openCorpus } from './corpus.ts';

const PLAIN: Settings = {
  parse: { dense: 'none', tokenizer: 'cl100k', format: 'jsonl' },
  stage: { durable: false, workers: 1, policy: 'io' },
};

const REGISTERED: Readonly<Record<string, unknown>> = {
  '10.5555/reefs': {
    DOI: '10.5555/reefs',
    type: 'journal-article',
    title: ['Recovery of reefs where fishing is banned'],
    author: [{ given: 'Ada', family: 'Stone' }],
    issued: { 'date-parts': [[2019, 5]] },
    'container-title': ['Journal of Reefs'],
  },
  '10.5555/sand': { DOI: '10.5555/sand', title: ['How sand settles in slow rivers'], author: [{ family: 'Hill' }] },
  '10.5555/plains': {
    DOI: '10.5555/plains',
    title: ['A Study of Rivers and Plains'],
    author: [{ given: 'Bo', family: 'Hill' }],
    volume: '7',
  },
};

function html(head: string, title: string): string {
  return `<html lang="en"><head><title>${title}</title>${head}</head><body><article><h1>${title}</h1><h2>Results</h2><p>${`${title} was seen. `.repeat(20)}</p></article></body></html>`;
}

async function runOf(corpus: Corpus, papers: string): Promise<RunAccount['own_papers']> {
  let account: RunAccount | undefined;
  for await (const event of corpus.run({ input: [papers] })) if (event.kind === 'ended') account = event.account;
  return account?.own_papers ?? null;
}

test('local papers get records by the ids they contain, checked by title, with the source of each field', async () => {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'docstokg-own-'));
  const papers = join(scratch.path, 'papers');
  mkdirSync(papers);
  const meta = (name: string, content: string): string => `<meta name="${name}" content="${content}">`;
  writeFileSync(
    join(papers, 'reefs.html'),
    html(
      meta('citation_title', 'Recovery of reefs where fishing is banned') +
        meta('citation_doi', '10.5555/Reefs') +
        meta('citation_journal_title', 'J. Reefs') +
        meta('citation_volume', '12'),
      'Recovery of reefs where fishing is banned',
    ),
  );
  writeFileSync(
    join(papers, 'kelp.html'),
    html(meta('citation_doi', '10.5555/sand'), 'Urchins ate the whole kelp forest'),
  );
  writeFileSync(join(papers, 'notes.html'), html('', 'Notes of a diver on forty dives'));
  // The first DOI on the page belongs to a work it continues; its own comes later.
  const pdf = await makePdf((page) => {
    page.font('Times-Bold').fontSize(18).text('A Study of Rivers and Plains', 72, 60, { width: 468, align: 'center' });
    paragraph(page, 'This continues earlier work, https://doi.org/10.5555/sand as was promised there.', {
      x: 72,
      y: 110,
      width: 468,
    });
    paragraph(page, prose(40, 1), { x: 72, y: 150, width: 468 });
    paragraph(page, 'doi: 10.5555/plains', { x: 72, y: 740, width: 468, size: 8 });
  });
  writeFileSync(join(papers, 'rivers.pdf'), pdf);
  const unknown = await makePdf((page) => {
    page.font('Times-Bold').fontSize(18).text('Of Lakes without a Register', 72, 60, { width: 468, align: 'center' });
    paragraph(page, prose(40, 2), { x: 72, y: 150, width: 468 });
    paragraph(page, 'doi: 10.5555/nobody-registered-this', { x: 72, y: 740, width: 468, size: 8 });
  });
  writeFileSync(join(papers, 'lakes.pdf'), unknown);

  // Without a contact address no service is queried: the page's own statement counts, a doubtful DOI does not.
  await using alone = await openCorpus(join(scratch.path, 'alone'), { settings: PLAIN });
  assert.deepEqual(await runOf(alone, papers), { checked: 0, unchecked: 3, unnamed: 2, refused: [], unanswered: 0 });
  assert.equal((await alone.library.work('rivers'))?.doi, null);
  assert.equal((await alone.library.work('reefs'))?.venue, 'J. Reefs');

  // An address that no service would accept is refused before anything is parsed.
  const wrong = join(scratch.path, 'wrong');
  await using refused = await openCorpus(wrong, { settings: { ...PLAIN, http: { contact: 'me@example.org' } } });
  await assert.rejects(runOf(refused, papers), { code: 'CONTACT_MISSING' });
  assert.equal(existsSync(wrong), false);

  const state: { away: 'status' | 'page' | null } = { away: 'status' };
  await using server = await openJsonServer(({ path }, response) => {
    if (state.away === 'status') return sendJson(response, 503, {});
    if (state.away === 'page') return void response.end('<html>Maintenance</html>');
    const doi = decodeURIComponent(/\/works\/([^?]+)/.exec(path)?.[1] ?? '');
    const message = REGISTERED[doi];
    return message === undefined ? sendJson(response, 404, {}) : sendJson(response, 200, { message });
  });
  const settings: Settings = {
    ...PLAIN,
    http: {
      contact: 'ada@university.example',
      allow: [new URL(server.url).host],
      retries: 0,
      connect_s: 30_000,
      headers_s: 30_000,
      idle_s: 30_000,
      total_s: 60_000,
      floor_bytes_per_second: 0,
    },
    services: { base_urls: { crossref: server.url, openalex: server.url } },
  };
  // No pauses between requests; the timeouts above are long, for a busy machine.
  const web = webTime(0.001);
  for (const way of ['status', 'page'] as const) {
    state.away = way;
    await using corpus = await openCorpus(join(scratch.path, 'asked'), { settings, web });
    const away = await runOf(corpus, papers);
    assert.deepEqual([away?.checked, away?.unanswered], [0, 4], 'a service that is down does not fail the run');
  }
  state.away = null;
  await using corpus = await openCorpus(join(scratch.path, 'asked'), { settings, web });
  assert.deepEqual(await runOf(corpus, papers), {
    checked: 2,
    unchecked: 0,
    unnamed: 3,
    refused: [
      { document: 'kelp', doi: '10.5555/sand', title: 'How sand settles in slow rivers' },
      { document: 'lakes', doi: '10.5555/nobody-registered-this', title: null },
      { document: 'rivers', doi: '10.5555/sand', title: 'How sand settles in slow rivers' },
    ],
    unanswered: 0,
  });
  const reefs = await corpus.library.work('reefs');
  assert.deepEqual(
    [reefs?.id, reefs?.outcome, reefs?.venue, reefs?.year],
    ['doi:10.5555/reefs', 'local', 'Journal of Reefs', 2019],
  );
  const sourceOf = (field: string): string | undefined =>
    reefs?.record?.sources.find(({ fields }) => fields.includes(field))?.from;
  assert.deepEqual([sourceOf('venue'), sourceOf('volume'), sourceOf('language')], ['crossref', 'document', 'document']);
  assert.equal((await corpus.library.work('rivers'))?.doi, '10.5555/plains');
  assert.equal((await corpus.library.work('kelp'))?.doi, null);
  assert.equal((await corpus.library.work('lakes'))?.doi, null, 'a DOI in a PDF that no service knows is not taken');
  const [hit] = await corpus.search('where is fishing banned?', { top: 1 });
  assert.match(hit?.work?.apa ?? '', /Stone, A\. \(2019\)\. Recovery of reefs.*Journal of Reefs, 12/);

  // No paper is looked up twice; a file with changed bytes is another paper.
  const before = server.received.length;
  writeFileSync(join(papers, 'reefs.html'), html('', 'Something else that a diver wrote'));
  assert.deepEqual(await runOf(corpus, papers), { checked: 1, unchecked: 0, unnamed: 4, refused: [], unanswered: 0 });
  assert.equal(server.received.length, before);
  assert.equal((await corpus.library.work('reefs'))?.title, 'Something else that a diver wrote');
});
