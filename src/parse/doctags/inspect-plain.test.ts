import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';

import { line, makePdf, paragraph, prose } from '../../../test/support/make-pdf.ts';
import type { PdfGlance } from './inspect.ts';
import { glancePlainly } from './inspect-plain.ts';

async function glanceAt(bytes: Uint8Array): Promise<PdfGlance | undefined> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'inspect-plain-'));
  const file = join(folder.path, 'paper.pdf');
  await writeFile(file, bytes);
  return glancePlainly(file);
}

/** Objects one after the other, in the order of their numbers, with a table of their places. */
function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const pieces = [Buffer.from('%PDF-1.7\n')];
  const lines = ['0000000000 65535 f \n'];
  let at = 9;
  for (const [index, object] of objects.entries()) {
    const piece = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
    lines.push(`${String(at).padStart(10, '0')} 00000 n \n`);
    pieces.push(piece);
    at += piece.length;
  }
  const size = objects.length + 1;
  pieces.push(
    Buffer.from(
      `xref\n0 ${size}\n${lines.join('')}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(pieces);
}

function stream(content: string | Buffer, entries = ''): Buffer {
  const packed = deflateSync(content);
  const head = `<< /Length ${packed.length} /Filter /FlateDecode ${entries} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')]);
}

const PAGES = '<< /Type /Pages /Kids [3 0 R] /Count 3 /MediaBox [0 0 600 800] >>';
const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

/** A page that shows what is given, with a font; what else it needs has the numbers from 6 on. */
function pageOf(content: string, font = HELVETICA, others: readonly (string | Buffer)[] = [], resources = ''): Buffer {
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    PAGES,
    `<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> ${resources} >> >>`,
    stream(content),
    font,
    ...others,
  ]);
}

const text = async (bytes: Buffer): Promise<string | undefined> => (await glanceAt(bytes))?.text.trim();

test('a plain look tells the pages, the title that the file says it has, and the text of its first page', async () => {
  const pdf = await makePdf(
    (draw) => {
      line(draw, 'Sediment of rivers', { x: 70, y: 100, size: 16 });
      paragraph(draw, prose(8), { x: 70, y: 200, width: 400 });
      draw.addPage();
      line(draw, 'Second page', { x: 70, y: 100 });
    },
    { info: { Title: 'Über Sand' } },
  );
  const glance = await glanceAt(pdf);
  assert.deepEqual([glance?.pages, glance?.isReadable, glance?.isEncrypted, glance?.isQuick], [2, true, false, true]);
  assert.match(glance?.text ?? '', /^Über Sand\n\s*Sediment of rivers/);
  assert.doesNotMatch(glance?.text ?? '', /Second/);
});

test('fonts are read by what their dictionaries say of their codes', async () => {
  const map = `1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfchar <0001> <00660066> endbfchar
    2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0078> <0079>] endbfrange`;
  const wide = '<< /Subtype /Type0 /Encoding /Identity-H /ToUnicode 6 0 R >>';
  const named = '<< /Subtype /Type1 /Encoding << /Differences [1 /fi /a 65 /eacute] >> >>';
  const show = (codes: string): string => `BT /F1 12 Tf 40 700 Td ${codes} ET`;
  assert.equal(await text(pageOf(show('<000100100012> Tj <00200021> Tj'), wide, [stream(map)])), 'ffacxy');
  assert.equal(await text(pageOf(show('[(\\001\\002) -300 (A\\)b)] TJ'), named)), 'fiaé)b');
  assert.equal(await text(pageOf(show('(na\\357ve \\(1\\)) Tj'))), 'naïve (1)');
  // Nobody but the font itself could tell.
  assert.equal(await text(pageOf(show('<0041> Tj'), '<< /Subtype /Type0 /Encoding /Identity-H >>')), '');
});

test('text is told where it is plainly seen, whatever operators bring it there', async () => {
  const form =
    '/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Matrix [1 0 0 1 50 50] /Resources << /Font << /F1 5 0 R >> >>';
  const others = [stream('BT /F1 9 Tf 10 10 Td (in a form) Tj ET BT /F1 9 Tf 10 200 Td (out of it) Tj ET', form)];
  const spaces = '/XObject << /X 6 0 R >> /ColorSpace << /Spot [/Separation /Black /DeviceCMYK 7 0 R] >>';
  const shown = {
    'q 1 0 0 1 -900 0 cm BT /F1 9 Tf 940 10 Td (moved) Tj ET Q': 'moved',
    'q 1 0 0 1 -900 0 cm BT /F1 9 Tf 40 10 Td (moved off) Tj ET Q': '',
    '/X Do': 'in a form',
    '/Spot cs 1 scn BT /F1 9 Tf 40 10 Td (all ink) Tj ET': 'all ink',
    '/Spot cs 0 scn BT /F1 9 Tf 40 10 Td (no ink) Tj ET': '',
    '0 0 0 1 k BT /F1 9 Tf 40 10 Td (black) Tj ET 0 0 0 0 k BT 40 20 Td (paper) Tj ET': 'black',
    '/OC /Layer BDC BT /F1 9 Tf 40 10 Td (layer) Tj ET EMC /P BMC BT 40 20 Td (text) Tj ET EMC': 'text',
    'BI /W 1 ID (not text) Tj EI BT /F1 9 Tf 40 10 Td (after an image) Tj ET': 'after an image',
    'BT /F1 9 Tf 12 TL 40 500 Td (one) Tj (two) \' 0 0 (three) " T* (four) Tj ET': 'one\ntwo\nthree\nfour',
    '10 10 m 90 10 l 90 90 l h W n BT /F1 9 Tf 20 20 Td (in) Tj 0 300 Td (out) Tj ET': 'in',
  };
  for (const [content, told] of Object.entries(shown))
    assert.equal(await text(pageOf(content, HELVETICA, others, spaces)), told, content);
});

test('objects are found in streams of objects too, by an index that is packed in rows', async () => {
  const content = stream('BT /F1 12 Tf 40 700 Td (Packed) Tj ET');
  const packed = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    PAGES,
    `<< /Type /Page /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
  ];
  const places = packed
    .map((_, index) => `${index + 1} ${packed.slice(0, index).join(' ').length + (index && 1)}`)
    .join(' ');
  const pack = stream(`${places} ${packed.join(' ')}`, `/Type /ObjStm /N 3 /First ${places.length + 1}`);
  const pieces = [Buffer.from('%PDF-1.7\n')];
  const at: number[] = [];
  for (const [number, object] of [
    [4, content],
    [5, Buffer.from(HELVETICA)],
    [6, pack],
  ] as const) {
    at.push(Buffer.concat(pieces).length);
    pieces.push(Buffer.concat([Buffer.from(`${number} 0 obj\n`), object, Buffer.from('\nendobj\n')]));
  }
  const start = Buffer.concat(pieces).length;
  const rows = [[0, 0], [2, 6], [2, 6], [2, 6], ...at.map((place) => [1, place]), [1, start]].map(
    ([kind = 0, place = 0]) => [kind, place >> 8, place & 255, 0],
  );
  const index = rows.flatMap((row, number) => [
    2,
    ...row.map((byte, column) => (byte - (rows[number - 1]?.[column] ?? 0)) & 255),
  ]);
  const form = '/Type /XRef /Size 8 /W [1 2 1] /Root 1 0 R /DecodeParms << /Predictor 12 /Columns 4 >>';
  const end = Buffer.from(`\nendobj\nstartxref\n${start}\n%%EOF\n`);
  const pdf = Buffer.concat([...pieces, Buffer.from('7 0 obj\n'), stream(Buffer.from(index), form), end]);
  assert.equal(await text(pdf), 'Packed');
});

test('what is encrypted, broken or not as it says is left to the engine', async () => {
  const whole = pageOf('BT /F1 12 Tf 40 700 Td (Title) Tj ET');
  assert.equal(await text(whole), 'Title');
  const plain = await makePdf((draw) => line(draw, 'Title', { x: 70, y: 100 }), { userPassword: 'a' });
  // Two pages, each at the place that is said to be the other's.
  const other = '<< /Type /Page /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>';
  const pages = pageOf('BT /F1 12 Tf 40 700 Td (Title) Tj ET', HELVETICA, [other]).toString('latin1');
  const lines = [...pages.matchAll(/\d{10} 00000 n /g)].map(([entry]) => entry);
  const swapped = pages
    .replace(lines[2] ?? '', '?')
    .replace(lines[5] ?? '', lines[2] ?? '')
    .replace('?', lines[5] ?? '');
  const broken: Readonly<Record<string, Uint8Array>> = {
    'with places swapped': Buffer.from(swapped, 'latin1'),
    empty: new Uint8Array(),
    encrypted: plain,
    'cut off': whole.subarray(0, whole.length - 40),
    'with bytes lost': Buffer.concat([whole.subarray(0, 20), whole.subarray(24)]),
    'with bytes before it': Buffer.concat([Buffer.from('junk\n'), whole]),
    'no PDF': Buffer.from('%PDF-1.7\n'.repeat(200)),
    'of more pages than objects': Buffer.from(whole.toString('latin1').replace('/Count 3', '/Count 9'), 'latin1'),
    'its own predecessor': pdfOf(['<< >>'], `/Prev ${pdfOf(['<< >>']).indexOf('xref')}`),
  };
  for (const [how, bytes] of Object.entries(broken)) assert.equal(await glanceAt(bytes), undefined, how);
});

test('a file that asks for endless work gets a bounded amount of it', async () => {
  const many = (piece: string, count: number): string => piece.repeat(count);
  const form = stream(
    many('/X Do ', 20),
    '/Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X 6 0 R >> >>',
  );
  const range = `1 beginbfrange ${many('<0000> <FFFFFFFF> <0041> ', 5_000)} endbfrange`;
  const wide = '<< /Subtype /Type0 /Encoding /Identity-H /ToUnicode 6 0 R >>';
  const hostile: readonly (readonly [Buffer, string | undefined])[] = [
    [pageOf(many('/X Do ', 20_000), HELVETICA, [form], '/XObject << /X 6 0 R >>'), ''],
    [pageOf(many(' ', 5_000_000)), undefined],
    [pageOf(many('[', 500_000)), ''],
    [pageOf(`${many('/OC /A BDC ', 40_000)} BT /F1 9 Tf 9 9 Td ${many('(a) Tj ', 40_000)}`), ''],
    [pageOf('BT /F1 9 Tf 9 9 Td <0000> Tj ET', wide, [stream(range)]), 'A'],
    [pdfOf(['<< /Pages 2 0 R >>', '<< /Count 1 /Kids [2 0 R] >>']), undefined],
    [pdfOf(['<< /Pages 2 0 R >>', '2 0 R']), undefined],
  ];
  for (const [bytes, told] of hostile) assert.equal(await text(bytes), told);
});
