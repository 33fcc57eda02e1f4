import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';

import { AppError } from '../../../base/index.ts';
import { encodePng } from '../layout/output/png.ts';
import type { Font, Glyph } from '../layout/page/page-content.ts';
import type { PageImage } from './pdfium.ts';

/** How the OCR program is called. */
export interface OcrOptions {
  /** The program; found on the path when it is a bare name. */
  readonly command: string;
  /** Language codes as tesseract names them, joined by `+`. */
  readonly languages: string;
  readonly timeoutMs: number;
}

const READ: Font = {
  name: 'OCR',
  bold: false,
  italic: false,
  monospaced: false,
  smallCaps: false,
  math: false,
};

/** Words with less certainty than this (in percent) are noise: specks, rules, pictures. */
const MIN_CERTAINTY = 30;

/** Where package managers put programs that the path of a bare process does not name. */
const USUAL_PLACES = [
  '/opt/homebrew/bin/tesseract',
  '/usr/local/bin/tesseract',
  '/opt/local/bin/tesseract',
  'C:\\Program Files\\Tesseract-OCR\\tesseract.exe',
];

/** The full name of the OCR program as this process finds it on its path, for processes that have none; undefined without it. */
export function locateTesseract(path?: string): string | undefined {
  const [command, ...words] =
    process.platform === 'win32' ? ['where', 'tesseract'] : ['/bin/sh', '-c', 'command -v tesseract'];
  const { status, stdout } = spawnSync(command ?? '', words, {
    encoding: 'utf8',
    timeout: 10_000,
    ...(path !== undefined && { env: { PATH: path } }),
  });
  const [first = ''] = status === 0 ? stdout.split(/\r?\n/) : [];
  return isAbsolute(first) ? first : USUAL_PLACES.find((place) => existsSync(place));
}

const found = new Map<string, Promise<string | undefined>>();

/** The OCR program if it can be started, or undefined where it is not installed; tried once in a process. */
export function findTesseract(command = 'tesseract'): Promise<string | undefined> {
  const known = found.get(command);
  if (known) return known;
  const trying = new Promise<string | undefined>((resolve) => {
    const child = spawn(command, ['--version'], { stdio: 'ignore', timeout: 10_000 });
    child.on('error', () => resolve(undefined));
    child.on('close', (code) => resolve(code === 0 ? command : undefined));
  });
  found.set(command, trying);
  return trying;
}

/** Reads a page image with tesseract in a child process; the letters come as glyphs in points. */
export async function recognise(image: PageImage, scale: number, options: OcrOptions): Promise<Glyph[]> {
  const table = await run(encodePng(image), options);
  return glyphsFromTsv(table, scale);
}

function run(png: Uint8Array, options: OcrOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.command, ['stdin', 'stdout', '-l', options.languages, 'tsv'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (cause) =>
      reject(
        new AppError('OCR_NOT_INSTALLED', `${options.command} cannot be started`, {
          hint: 'install tesseract, or leave OCR off',
          cause,
        }),
      ),
    );
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else if (signal)
        reject(new AppError('OCR_TIMEOUT', `${options.command} took longer than ${options.timeoutMs} ms`));
      else reject(new AppError('OCR_FAILED', `${options.command} ended with ${code}`));
    });
    // A program that ends early closes its input; what matters then is how it ended.
    child.stdin.on('error', () => undefined);
    child.stdin.end(png);
  });
}

/** Spreads each word's letters evenly over its box; words of one line share a baseline. */
export function glyphsFromTsv(table: string, scale: number): Glyph[] {
  const glyphs: Glyph[] = [];
  let line = '';
  let bottom = 0;
  let size = 10;
  for (const row of table.split('\n').slice(1)) {
    const fields = row.split('\t');
    const [level, page, block, paragraph, lineNumber] = fields;
    const [left = 0, top = 0, width = 0, height = 0, certainty = -1] = fields.slice(6, 11).map(Number);
    if (level === '4') {
      line = [page, block, paragraph, lineNumber].join(' ');
      bottom = (top + height) / scale;
      // The box of a line reaches from the ascenders to the descenders: about nine tenths of the type size.
      size = height / scale / 0.9;
    }
    const text = fields[11]?.trim() ?? '';
    if (level !== '5' || text === '' || certainty < MIN_CERTAINTY || line === '') continue;
    const letters = Array.from(text);
    const step = width / scale / letters.length;
    letters.forEach((letter, index) => {
      const x = left / scale + index * step;
      glyphs.push({
        text: letter,
        left: x,
        right: x + step,
        top: top / scale,
        bottom: (top + height) / scale,
        x,
        baseline: bottom - 0.2 * size,
        size,
        font: READ,
        spaced: index === 0,
        turn: 0,
        mark: -1,
        form: -1,
        artifact: false,
      });
    });
  }
  return glyphs;
}
