import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { openPdf } from '../src/parse/doctags/engines/pdfium.ts';
import { textInFileOrder } from '../src/parse/doctags/inspect.ts';
import { encodePng } from '../src/parse/doctags/layout/output/png.ts';
import { openOcr } from '../src/parse/doctags/ocr/tesseract.ts';
import type { GreyImage } from '../src/parse/doctags/ocr/straighten.ts';
import { level, toGrey, turnUpright } from '../src/parse/doctags/ocr/straighten.ts';
import { parsePdf, renderPage } from '../src/parse/doctags/pdf.ts';
import { makePdf } from '../test/support/make-pdf.ts';
import { checkOptions } from '../test/support/options.ts';
import { nothingMeasured, OPEN_PAPERS } from './score/data.ts';
import { sharedWords, textOfBlock } from './score/words.ts';

// npm run score:ocr [-- --papers N] [--ways upright,turned,skewed] [--languages] [--engine embedded|tesseract] [--data DIR] [--only REGEXP] [--show]
// Draws the second page of papers at 200 dpi, makes a PDF of the picture and compares the words that OCR reads with those of the
// text layer; `--languages` does it with pages of five other languages that are set here.
const options = checkOptions({
  papers: 10,
  ways: 'upright,turned,skewed',
  languages: false,
  engine: ['embedded', 'tesseract'],
  data: join(OPEN_PAPERS, 'publishers'),
  only: '',
  show: false,
});
const engine = await openOcr({ engine: options.engine, languages: 'auto', timeoutMs: 600_000 });
if (!engine) nothingMeasured(`the ${options.engine} engine is not installed`);
const WAYS: Readonly<Record<string, (image: GreyImage) => GreyImage>> = {
  upright: (image) => image,
  turned: (image) => turnUpright(image, 3),
  skewed: (image) => level(image, -2),
};

/** One paragraph of the preamble of the Universal Declaration of Human Rights, which exists in all languages. */
const PARAGRAPHS: Readonly<Record<string, string>> = {
  deu: 'Da die Anerkennung der angeborenen Würde und der gleichen und unveräußerlichen Rechte aller Mitglieder der Gemeinschaft der Menschen die Grundlage von Freiheit, Gerechtigkeit und Frieden in der Welt bildet, da die Nichtanerkennung und Verachtung der Menschenrechte zu Akten der Barbarei geführt haben, die das Gewissen der Menschheit mit Empörung erfüllen.',
  fra: 'Considérant que la reconnaissance de la dignité inhérente à tous les membres de la famille humaine et de leurs droits égaux et inaliénables constitue le fondement de la liberté, de la justice et de la paix dans le monde, considérant que la méconnaissance et le mépris des droits de l’homme ont conduit à des actes de barbarie qui révoltent la conscience.',
  spa: 'Considerando que la libertad, la justicia y la paz en el mundo tienen por base el reconocimiento de la dignidad intrínseca y de los derechos iguales e inalienables de todos los miembros de la familia humana, considerando que el desconocimiento y el menosprecio de los derechos humanos han originado actos de barbarie ultrajantes para la conciencia.',
  ita: 'Considerato che il riconoscimento della dignità inerente a tutti i membri della famiglia umana e dei loro diritti, uguali ed inalienabili, costituisce il fondamento della libertà, della giustizia e della pace nel mondo, considerato che il disconoscimento e il disprezzo dei diritti umani hanno portato ad atti di barbarie che offendono la coscienza.',
  por: 'Considerando que o reconhecimento da dignidade inerente a todos os membros da família humana e dos seus direitos iguais e inalienáveis constitui o fundamento da liberdade, da justiça e da paz no mundo, considerando que o desconhecimento e o desprezo dos direitos do homem conduziram a actos de barbárie que revoltam a consciência da Humanidade.',
};

let measured = 0;
if (options.languages) {
  const ways = options.ways.split(',');
  for (const [language, text] of Object.entries(PARAGRAPHS)) {
    const pdf = await makePdf((page) =>
      page.font('Times-Roman').fontSize(11).text(`${text}\n\n${text}`, 72, 72, { width: 440, lineGap: 3 }),
    );
    for (const way of ways) await measure(language, pdf, 1, way);
  }
} else {
  const { data: folder, papers } = options;
  const files = existsSync(folder) ? globSync('*.pdf', { cwd: folder }).sort() : [];
  const step = Math.max(1, Math.floor(files.length / papers));
  for (const file of files.filter((_, at) => at % step === 0 && at / step < papers))
    if (new RegExp(options.only).test(file))
      for (const way of options.ways.split(',')) await measure(file, readFileSync(join(folder, file)), 2, way);
}
if (measured === 0) nothingMeasured('no paper was found');

async function measure(name: string, pdf: Uint8Array, page: number, way: string): Promise<void> {
  const turn = WAYS[way];
  if (!engine || !turn) nothingMeasured(`there is no way "${way}"`);
  const image = turn(toGrey(await renderPage(pdf, page, 200 / 72)));
  const scan = await makePdf((document) => document.image(asPng(image), 0, 0, { width: (image.width * 72) / 200 }), {
    size: [(image.width * 72) / 200, (image.height * 72) / 200],
  });
  const truth = await pageWords(pdf, page);
  const { user, system } = process.cpuUsage();
  const { blocks, metadata } = await parsePdf(scan, { ocr: { engine, languages: 'auto' } });
  const used = process.cpuUsage();
  const read = wordsOf(blocks.map(textOfBlock).join('\n'));
  const { shared: right, missing } = sharedWords(read, truth);
  measured += 1;
  if (options.show) console.log(`  missing: ${missing.join(' ')}`);
  const [facts] = metadata.ocr ?? [];
  console.log(
    [
      name.padEnd(32),
      way.padEnd(8),
      `found ${(right / truth.length).toFixed(3)}`,
      `right ${(right / Math.max(1, read.length)).toFixed(3)}`,
      `words ${truth.length}`,
      `cpu ${((used.user - user + used.system - system) / 1e6).toFixed(1)} s`,
      JSON.stringify(
        facts && { language: facts.language, turn: facts.turn, skew: facts.skew, confidence: facts.confidence },
      ),
    ].join('  '),
  );
}

/** The words of the page's text layer (a paragraph of our blocks may go on over the next page) without labels set sideways. */
async function pageWords(pdf: Uint8Array, page: number): Promise<string[]> {
  using file = await openPdf(pdf);
  const content = file.readPage(page);
  if (!content) return [];
  const turned = content.glyphs.filter(({ turn }) => turn !== 0);
  const labels = wordsOf(textInFileOrder({ ...content, glyphs: turned }));
  // Words are hyphenated at the end of a line.
  const text = textInFileOrder(content).replaceAll(/(?<=\p{L})- (?=\p{Ll})/gu, '');
  return wordsOf(text).filter((word) => {
    const at = labels.indexOf(word);
    if (at >= 0) labels.splice(at, 1);
    return at < 0;
  });
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).filter((word) => word.length > 1);
}

function asPng({ width, height, pixels }: GreyImage): Buffer {
  const rgba = new Uint8Array(4 * pixels.length).fill(255);
  pixels.forEach((grey, at) => rgba.fill(grey, 4 * at, 4 * at + 3));
  return Buffer.from(encodePng({ width, height, rgba }));
}
