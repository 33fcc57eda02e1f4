import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { systemClock } from '../../base/index.ts';
import { line, makePdf } from '../../../test/support/make-pdf.ts';
import { documentId, parseFile, parseFailure } from './convert.ts';
import { outputEndings, outputTexts } from './outputs.ts';
import { openJsonServer, sendJson } from '../../testing/index.ts';
import { readBlockLines } from './formats/block-lines.ts';
import { readDoctags } from './formats/doctags-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'convert-'));
after(() => rmSync(folder, { recursive: true }));
const write = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const HTML =
  '<html><head><title>Ducks</title></head><body><article><h1>Ducks</h1><p>They swim, and they do so all day long, as everybody who has ever seen one at a lake will know.</p></article></body></html>';
const JATS =
  '<?xml version="1.0"?><article><front><article-meta><title-group><article-title>Ducks</article-title></title-group></article-meta></front><body><p>They swim.</p></body></article>';

const PDF = await makePdf((pdf) => line(pdf, 'Ducks swim, and they do so all day long', { x: 72, y: 72, size: 12 }), {
  info: { Subject: 'doi:10.1234/x' },
});

test('a file is converted to a block file, DocTags, a sidecar and the requested formats', async () => {
  const path = write('duck.xml', JATS);
  const parsed = await parseFile(path);
  assert.equal(parsed.kind, 'jats');
  assert.deepEqual(parsed.facts, { parse_engine: 'embedded' });
  const all = { markdown: true, json: true, html: true };
  assert.deepEqual(Object.values(outputEndings(all)), ['.doctags', '.md', '.json', '.html', '.meta.json', '.jsonl']);
  const texts = outputTexts(parsed, { id: 'duck', path });
  assert.deepEqual(Object.keys(texts), Object.keys(outputEndings(all)));
  const { blocks } = await readBlockLines(write('duck.jsonl', texts['blocks']?.() ?? ''));
  assert.deepEqual(readDoctags(texts['doctags']?.() ?? '').blocks, blocks);
  const meta = JSON.parse(texts['metadata']?.() ?? '') as Record<string, unknown>;
  assert.deepEqual([meta['title'], meta['source_kind'], meta['parse_engine']], ['Ducks', 'jats', 'embedded']);
  assert.match(String(meta['source_sha256']), /^[0-9a-f]{64}$/);
});

test('the format is detected from the content, unless the mode is given', async () => {
  assert.equal((await parseFile(write('page', HTML))).kind, 'html');
  assert.equal((await parseFile(write('packed.xml.gz', gzipSync(JATS)))).kind, 'jats');
  assert.equal((await parseFile(write('odd.txt', 'Plain words are a page, too.'), { mode: 'html' })).kind, 'html');
  await assert.rejects(parseFile(join(folder, 'odd.txt')), { code: 'PARSE_UNSUPPORTED' });
  await assert.rejects(parseFile(write('odd.xml', '<recipe/>'), { mode: 'xml' }), { code: 'PARSE_UNSUPPORTED' });
});

test('an unreadable file is an error with the reason', async () => {
  const broken = write('broken.xml', '<?xml version="1.0"?><article><body>');
  await assert.rejects(parseFile(broken), { code: 'PARSE_BROKEN' });
  await assert.rejects(parseFile(write('large.html', HTML), { maxFileBytes: 10 }), { code: 'PARSE_TOO_LARGE' });
  await assert.rejects(parseFile(write('long.html', `<p>${'x'.repeat(2_000_001)}</p>`)), { code: 'PARSE_TOO_LARGE' });
  await assert.rejects(parseFile(folder));
  const stopped = AbortSignal.abort();
  await assert.rejects(parseFile(join(folder, 'duck.xml'), {}, stopped));
});

test('a PDF is parsed by the chosen engine', async () => {
  const path = write('duck.pdf', PDF);
  assert.match((await parseFile(path)).document.blocks[0]?.text ?? '', /^Ducks swim/);
  await using server = await openJsonServer(({ path: requested }, response) => {
    if (requested.endsWith('completions'))
      sendJson(response, 200, { choices: [{ message: { content: '<text>seen</text>' }, finish_reason: 'stop' }] });
    else if (requested.endsWith('/async')) sendJson(response, 200, { task_id: 'a', task_status: 'success' });
    else if (requested.startsWith('/v1/result'))
      sendJson(response, 200, { status: 'success', document: { doctags_content: '<text>served</text>' } });
    else sendJson(response, 404, {});
  });
  const served = await parseFile(path, { engine: { kind: 'docling-serve', baseUrl: server.url, clock: systemClock } });
  assert.equal(served.document.blocks[0]?.text, 'served');
  const seen = await parseFile(path, {
    engine: { kind: 'vlm', baseUrl: `${server.url}/v1`, clock: systemClock },
  });
  assert.equal(seen.document.blocks[0]?.text, 'seen');
  assert.deepEqual([seen.document.metadata.doi, seen.facts.parse_engine], ['10.1234/x', 'docling-vlm']);
});

test('outputs are named like the file, without its extensions', () => {
  assert.deepEqual(['/a/b/W1.pdf', 'x.tar.xml.gz', '2101.00001.html', 'plain'].map(documentId), [
    'W1',
    'x.tar',
    '2101.00001',
    'plain',
  ]);
});

test('an error has a category of the stage', async () => {
  const failed = async (run: Promise<unknown>): Promise<unknown> =>
    run.then(
      () => assert.fail('did not fail'),
      (error: unknown) => parseFailure(error),
    );
  assert.deepEqual(
    await failed(parseFile(join(folder, 'absent.pdf'))).then(
      (failure) => (failure as { category: string; code: string }).code,
    ),
    'PARSE_NO_FILE',
  );
  const broken = (await failed(parseFile(write('b.xml', '<?xml version="1.0"?><a>')))) as {
    category: string;
    retryable: boolean;
  };
  assert.deepEqual([broken.category, broken.retryable], ['input', false]);
  await using server = await openJsonServer((_request, response) => sendJson(response, 503, {}));
  const busy = (await failed(
    parseFile(join(folder, 'duck.pdf'), { engine: { kind: 'docling-serve', baseUrl: server.url, clock: systemClock } }),
  )) as { category: string; retryable: boolean };
  assert.deepEqual([busy.category, busy.retryable], ['network', true]);
  assert.deepEqual(parseFailure(new TypeError('x')), {
    category: 'unknown',
    retryable: false,
    code: 'UNEXPECTED',
    message: 'x',
  });
});
