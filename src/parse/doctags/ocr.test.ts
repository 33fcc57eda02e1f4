import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { line, makePdf } from '../../../test/support/make-pdf.ts';
import type { ParsedDocument } from '../document.ts';
import { encodePng } from './layout/output/png.ts';
import type { PageImage } from './engines/pdfium.ts';
import type { PageContent } from './layout/page/page-content.ts';
import type { OcrEngine } from './ocr/tesseract.ts';
import { openOcr, locateTesseract, ocrLanguages } from './ocr/tesseract.ts';
import { glyphsOf, isText, linesFromTsv, ScanReader } from './ocr/scan-reader.ts';
import type { GreyImage } from './ocr/straighten.ts';
import { level, measureSlant, toGrey, turnUpright, whiten } from './ocr/straighten.ts';
import { parsePdf, renderPage } from './pdf.ts';

const ENGLISH = [
  'The water of the river carries sand',
  'and clay over long distances while',
  'slow currents let small grains settle',
  'in broad plains along the coast',
];
const GERMAN = [
  'Das Wasser der Flüsse trägt den Sand über',
  'große Strecken und die kleinen Körner setzen',
  'sich nicht, solange die Strömung für sie zu',
  'stark ist, auf dem Boden der Ebene ab.',
];

/** A page of printed lines as pixels. */
async function printed(lines: readonly string[]): Promise<{ width: number; height: number; rgba: Uint8Array }> {
  const pdf = await makePdf(
    (document) => lines.forEach((text, index) => line(document, text, { x: 40, y: 60 + index * 24, size: 16 })),
    { size: [400, 220] },
  );
  return renderPage(pdf, 1, 3);
}

/** A page that is only a picture of text, turned clockwise by quarters and then by degrees. */
async function scan(lines: readonly string[], turn = 0, degrees = 0): Promise<Uint8Array> {
  const upright = toGrey(await printed(lines));
  const turned = turnUpright(upright, (4 - turn) % 4);
  const { width, height, rgba } = toImage(degrees === 0 ? turned : level(turned, -degrees));
  const picture = Buffer.from(encodePng({ width, height, rgba }));
  return makePdf((pdf) => void pdf.image(picture, 0, 0, { width: width / 3, height: height / 3 }), {
    size: [width / 3, height / 3],
  });
}

async function read(pdf: Uint8Array, languages = 'auto'): Promise<ParsedDocument> {
  const engine = await openOcr({ engine: 'embedded', languages, timeoutMs: 0 });
  assert.ok(engine);
  return parsePdf(pdf, { ocr: { engine, languages } });
}

function textOf({ blocks }: ParsedDocument): string {
  return blocks
    .filter(({ kind }) => kind !== 'picture')
    .map((block) => block.text)
    .join(' ')
    .replaceAll(/\s+/g, ' ');
}

const skip = ocrLanguages().includes('eng') ? false : 'the optional OCR packages are not installed';

test('a scanned page is read by the built-in engine, which is recorded', { skip }, async () => {
  const pdf = await scan(ENGLISH);
  assert.deepEqual((await parsePdf(pdf)).metadata.needsOcr, [1]);
  const document = await read(pdf);
  assert.equal(textOf(document), ENGLISH.join(' '));
  assert.deepEqual(document.metadata.needsOcr, []);
  const [page] = document.metadata.ocr ?? [];
  assert.deepEqual(
    [page?.page, page?.engine, page?.language, page?.turn, page?.lines.length],
    [1, 'embedded', 'eng', 0, 4],
  );
  assert.ok(page && page.confidence > 0.8, String(page?.confidence));
});

test('rotated and skewed pages are straightened first', { skip }, async () => {
  for (const [turn, degrees] of [
    [2, 0],
    [3, 2],
    [1, -2],
  ] as const) {
    const document = await read(await scan(ENGLISH, turn, degrees), 'eng');
    assert.equal(textOf(document), ENGLISH.join(' '), `turned by ${turn} quarters and ${degrees} degrees`);
    const [page] = document.metadata.ocr ?? [];
    assert.equal(page?.turn, turn);
    assert.ok(page && Math.abs(page.skew - degrees) <= 0.3, `skew ${page?.skew} for ${degrees}`);
  }
});

/** A row of tesseract's table for each word, in one line. */
function tableOf(words: readonly (readonly [text: string, certainty: number])[]): string {
  const rows = words.map(
    ([text, certainty], at) => `5\t1\t1\t1\t1\t${at + 1}\t${40 + 90 * at}\t60\t80\t20\t${certainty}\t${text}`,
  );
  return ['4\t1\t1\t1\t1\t0\t40\t60\t600\t20\t-1\t', ...rows].join('\n');
}

/** Reads a page image with an engine that answers with these words, and returns what the engine was shown. */
async function shownTo(image: PageImage, words: readonly (readonly [text: string, certainty: number])[]) {
  const shown: GreyImage[] = [];
  const engine: OcrEngine = {
    name: 'embedded',
    languages: ['eng'],
    recognise: (given) => {
      shown.push(given);
      return Promise.resolve(tableOf(words));
    },
  };
  const page = { number: 1, width: image.width / 3, height: image.height / 3 } as PageContent;
  return { shown, result: await new ScanReader(engine, 'eng').read(image, page) };
}

const SURE_WORDS = ENGLISH[0]?.split(' ').map((word) => [word, 95] as const) ?? [];

function toImage({ width, height, pixels }: GreyImage): PageImage {
  const rgba = new Uint8Array(4 * pixels.length);
  pixels.forEach((grey, at) => rgba.set([grey, grey, grey, 255], 4 * at));
  return { width, height, rgba };
}

test('a skewed page is levelled before the engine sees it', async () => {
  const skewed = toImage(level(toGrey(await printed(ENGLISH)), -3));
  assert.ok(Math.abs(measureSlant(toGrey(skewed)).degrees - 3) < 0.5);
  const { shown } = await shownTo(skewed, SURE_WORDS);
  assert.ok(shown.length > 0);
  for (const image of shown) assert.ok(Math.abs(measureSlant(image).degrees) < 0.5);
});

test('a tinted box is white before the engine sees it', async () => {
  const { width, height, pixels } = toGrey(await printed(ENGLISH));
  const tinted = pixels.map((grey) => Math.min(grey, 205));
  const { shown } = await shownTo(toImage({ width, height, pixels: tinted }), SURE_WORDS);
  assert.ok(shown.length > 0);
  for (const image of shown) assert.ok(image.pixels.filter((grey) => grey === 255).length > 0.8 * image.pixels.length);
});

test('a page whose lines are text, but read with little certainty, is not believed', async () => {
  const image = await printed(ENGLISH);
  const unsure = SURE_WORDS.map(([word]) => [word, 55] as const);
  assert.equal((await shownTo(image, unsure)).result, undefined);
  assert.equal((await shownTo(image, SURE_WORDS)).result?.facts.confidence, 0.95);
});

test('the language of a scan is detected from its words', { skip }, async () => {
  const document = await read(await scan(GERMAN));
  assert.equal(document.metadata.ocr?.[0]?.language, 'deu');
  assert.equal(textOf(document), GERMAN.join(' '));
});

test('marks that are not text are dropped, and the page still needs OCR', { skip }, async () => {
  let state = 7;
  const next = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit;
  const drawn = await makePdf(
    (pdf) => {
      for (let at = 0; at < 400; at += 1)
        pdf.moveTo(next(400), next(220)).lineTo(next(400), next(220)).lineWidth(0.5).stroke();
    },
    { size: [400, 220] },
  );
  const picture = Buffer.from(encodePng(await renderPage(drawn, 1, 3)));
  const pdf = await makePdf((document) => void document.image(picture, 0, 0, { width: 400, height: 220 }), {
    size: [400, 220],
  });
  const document = await read(pdf);
  assert.equal(textOf(document), '');
  assert.deepEqual(document.metadata.needsOcr, [1]);
});

test('with force, pages with a text layer are read from their image', { skip }, async () => {
  const pdf = await makePdf(
    (document) => ENGLISH.forEach((text, index) => line(document, text, { x: 40, y: 60 + index * 24, size: 16 })),
    { size: [400, 220] },
  );
  const engine = await openOcr({ engine: 'embedded', languages: 'eng', timeoutMs: 0 });
  assert.ok(engine);
  const untouched = await parsePdf(pdf, { ocr: { engine, languages: 'eng' } });
  assert.equal(untouched.metadata.ocr, undefined);
  const forced = await parsePdf(pdf, { ocr: { engine, languages: 'eng', force: true } });
  assert.equal(forced.metadata.ocr?.length, 1);
  assert.equal(textOf(forced), ENGLISH.join(' '));
});

test('a language without data is an error with the package to install', { skip }, async () => {
  await assert.rejects(openOcr({ engine: 'embedded', languages: 'eng+xyz', timeoutMs: 0 }), {
    code: 'OCR_NO_LANGUAGE',
    hint: 'npm install @tesseract.js-data/xyz',
  });
});

test('the skew of a page is measured to a third of a degree', async () => {
  const image = toGrey(await printed(ENGLISH));
  for (const degrees of [-3, -1, 0, 2, 4.5]) {
    const slant = measureSlant(level(image, -degrees));
    assert.equal(slant.isSideways, false);
    assert.ok(Math.abs(slant.degrees - degrees) <= 0.34, `${slant.degrees} for ${degrees}`);
    const sideways = measureSlant(turnUpright(level(image, -degrees), 1));
    assert.equal(sideways.isSideways, true);
    assert.ok(Math.abs(sideways.degrees - degrees) <= 0.34, `${sideways.degrees} for ${degrees}, sideways`);
  }
});

test('a missing OCR program is not an engine; one that fails or hangs is a coded error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ocr-'));
  const pdf = await scan(ENGLISH);
  const program = (name: string, body: string): string => {
    const path = join(folder, name);
    const list = `if (process.argv[2] === '--list-langs') { console.log('List:\\neng\\nosd'); process.exit(0); }`;
    writeFileSync(path, `#!${process.execPath}\n${list}\n${body}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const readWith = async (command: string, timeoutMs: number): Promise<ParsedDocument> => {
    const engine = await openOcr({ engine: 'tesseract', command, languages: 'eng', timeoutMs });
    assert.deepEqual(engine?.languages, ['eng']);
    assert.ok(engine);
    return parsePdf(pdf, { ocr: { engine, languages: 'eng' } });
  };
  try {
    const absent = join(folder, 'absent');
    const settings = { engine: 'tesseract', command: absent, languages: 'eng', timeoutMs: 10_000 } as const;
    assert.equal(await openOcr(settings), undefined);
    await assert.rejects(readWith(program('fails', 'process.exit(3)'), 60_000), { code: 'OCR_FAILED' });
    await assert.rejects(readWith(program('hangs', 'setInterval(() => {}, 1000)'), 500), { code: 'OCR_TIMEOUT' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('words of tesseract become glyphs on their lines; lines of noise are dropped', () => {
  const rows = [
    'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext',
    '4\t1\t1\t1\t1\t0\t100\t200\t300\t36\t-1\t',
    '5\t1\t1\t1\t1\t1\t100\t200\t90\t30\t96\tsand',
    '5\t1\t1\t1\t1\t2\t210\t200\t60\t30\t12\tnoise',
    '5\t1\t1\t1\t1\t3\t300\t200\t90\t36\t91\tbay',
    '4\t1\t1\t1\t2\t0\t100\t300\t300\t36\t-1\t',
    '5\t1\t1\t1\t2\t1\t100\t300\t90\t30\t41\tfi~|',
  ];
  const lines = linesFromTsv(rows.join('\n'));
  assert.deepEqual(lines.map(isText), [true, false]);
  const glyphs = glyphsOf(lines.filter(isText), 2);
  assert.equal(glyphs.map((glyph) => glyph.text).join(''), 'sandbay');
  assert.deepEqual([glyphs[0]?.left, glyphs[4]?.left, glyphs[4]?.spaced], [50, 150, true]);
  assert.equal(new Set(glyphs.map((glyph) => glyph.baseline)).size, 1);
});

test('lines in one font have one size, with or without ascenders', () => {
  const rows = [
    ['The grey plain', 100, 27],
    ['was where the barn', 130, 21],
    ['can some grains', 160, 27],
    ['A heading', 20, 40],
  ].flatMap(([text = '', top = 0, height = 0]) => [
    `4\t1\t1\t1\t1\t0\t0\t${top}\t300\t${height}\t-1\t`,
    `5\t1\t1\t1\t1\t1\t0\t${top}\t300\t${height}\t96\t${text}`,
  ]);
  const sizes = glyphsOf(linesFromTsv(rows.join('\n')), 1).map(({ size }) => size);
  const [body = 0, heading = 0] = [...new Set(sizes)];
  assert.equal(new Set(sizes).size, 2);
  assert.ok(heading > 1.3 * body);
});

test('words of right-to-left scripts are ordered from right to left', () => {
  const rows = ['4\t1\t1\t1\t1\t0\t0\t0\t90\t30\t-1\t', '5\t1\t1\t1\t1\t1\t0\t0\t90\t30\t96\tשלום'];
  const glyphs = glyphsOf(linesFromTsv(rows.join('\n')), 1);
  assert.equal(
    glyphs
      .toSorted((a, b) => b.x - a.x)
      .map((glyph) => glyph.text)
      .join(''),
    'שלום',
  );
});

test('tesseract is found by the PATH of this process', { skip: process.platform === 'win32' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ocr-path-'));
  try {
    const program = join(folder, 'tesseract');
    writeFileSync(program, '#!/bin/sh\nexit 0\n');
    chmodSync(program, 0o755);
    assert.equal(locateTesseract(folder), program);
    assert.notEqual(locateTesseract(join(folder, 'empty')), program);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('tinted boxes and shadows become white, ink stays dark, and dark pictures are unchanged', () => {
  const [width, height] = [128, 96];
  const pixels = new Uint8Array(width * height).fill(255);
  for (let y = 0; y < height; y += 1)
    for (let x = 32; x < width; x += 1) pixels[y * width + x] = x >= 96 ? 60 : x % 8 < 2 && y % 16 < 8 ? 30 : 205;
  const white = whiten({ width, height, pixels }).pixels;
  const levels = (from: number, to: number): number[] =>
    [...new Set(white.filter((_, at) => at % width >= from && at % width < to))].sort((a, b) => a - b);
  assert.deepEqual([levels(0, 32), levels(32, 96), levels(96, 128)], [[255], [37, 255], [60]]);
});
