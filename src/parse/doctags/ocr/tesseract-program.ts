import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';

import { AppError } from '../../../base/index.ts';
import type { OcrEngine } from './engine.ts';
import { OCR_DPI, toPgm } from './straighten.ts';

/** Where package managers put programs that the path of a bare process does not name. */
const USUAL_PLACES = [
  '/opt/homebrew/bin/tesseract',
  '/usr/local/bin/tesseract',
  '/opt/local/bin/tesseract',
  'C:\\Program Files\\Tesseract-OCR\\tesseract.exe',
];

/** The full path of the tesseract program, for worker processes, which have no PATH; undefined without it. */
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

const listed = new Map<string, Promise<readonly string[] | undefined>>();

/** The tesseract program, if it can be started; undefined where it is not installed. */
export async function openProgram(command: string, timeoutMs: number): Promise<OcrEngine | undefined> {
  const listing = listed.get(command) ?? listLanguages(command);
  listed.set(command, listing);
  const languages = await listing;
  return (
    languages && {
      name: 'tesseract',
      languages,
      recognise: (image, wanted) =>
        run(command, ['stdin', 'stdout', '--dpi', String(OCR_DPI), '-l', wanted, 'tsv'], timeoutMs, toPgm(image)),
    }
  );
}

async function listLanguages(command: string): Promise<readonly string[] | undefined> {
  try {
    const [, ...codes] = (await run(command, ['--list-langs'], 10_000)).trim().split(/\r?\n/);
    return codes.filter((code) => code !== 'osd');
  } catch {
    return undefined;
  }
}

function run(command: string, words: readonly string[], timeoutMs: number, input?: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (cause) =>
      reject(
        new AppError('OCR_NOT_INSTALLED', `${command} cannot be started`, {
          hint: 'install tesseract, or choose --ocr off',
          cause,
        }),
      ),
    );
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else if (signal) reject(new AppError('OCR_TIMEOUT', `${command} took longer than ${timeoutMs} ms`));
      else reject(new AppError('OCR_FAILED', `${command} ended with ${code}`));
    });
    // A program that ends early closes its input; what matters then is how it ended.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
