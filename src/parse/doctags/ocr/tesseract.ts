import { AppError, installCommand } from '../../../base/index.ts';
import type { GreyImage } from './straighten.ts';
import { OCR_DPI, toPgm } from './straighten.ts';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { isAbsolute, basename, join } from 'node:path';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';

/** An OCR engine. Both kinds are tesseract, so both answer in its table format (TSV). */
export interface OcrEngine {
  readonly name: 'embedded' | 'tesseract';
  /** Languages it has data for, as tesseract names them. */
  readonly languages: readonly string[];
  /** Reads an upright image. `languages` are codes joined by `+`. */
  recognise(image: GreyImage, languages: string): Promise<string>;
}

/** How scanned pages are read; plain data, which can be sent to a process. */
export interface OcrSettings {
  /** Read every page by OCR, also those with a text layer. */
  readonly force?: boolean;
  readonly engine: 'embedded' | 'tesseract';
  /** Codes as tesseract names them, joined by `+`, or `auto`: found from the document. */
  readonly languages: string;
  /** Longest time for one page; the embedded engine ends with its process instead. */
  readonly timeoutMs: number;
  readonly command?: string;
}

/** Opens the engine that the settings name; undefined when it is not installed. */
export async function openOcr(settings: OcrSettings): Promise<OcrEngine | undefined> {
  const engine = await (settings.engine === 'embedded'
    ? openEmbedded()
    : openProgram(settings.command ?? 'tesseract', settings.timeoutMs));
  const wanted = settings.languages === 'auto' ? [] : settings.languages.split('+');
  const missing = engine && wanted.find((code) => !engine.languages.includes(code));
  if (missing !== undefined)
    throw new AppError('OCR_NO_LANGUAGE', `the OCR engine has no data for "${missing}"`, {
      hint:
        settings.engine === 'embedded'
          ? installCommand([`@tesseract.js-data/${missing}`])
          : `install tesseract's data for ${missing}`,
    });
  return engine;
}

/** Folders of package managers, which a service's PATH may lack. */
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

async function openProgram(command: string, timeoutMs: number): Promise<OcrEngine | undefined> {
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

const require = createRequire(import.meta.url);

/** The build with SIMD and without the old classifier: it runs wherever Node 24 does. */
const CORE = 'tesseract.js-core/tesseract-core-simd-lstm';
const LSTM_ONLY = 1;
const AUTOMATIC_LAYOUT = 3;

interface Api {
  Init(folder: null, languages: string, mode: number): number;
  SetPageSegMode(mode: number): void;
  SetImageFile(): number;
  SetSourceResolution(dpi: number): void;
  Recognize(monitor: null): number;
  GetTSVText(page: number): string;
  Clear(): void;
}

interface Core {
  readonly FS: { writeFile(name: string, bytes: Uint8Array): void };
  readonly TessBaseAPI: new () => Api;
}

type StartCore = (options: Readonly<Record<string, unknown>>) => Promise<Core>;

/** Languages that the embedded engine reads, as tesseract names them; none when it is not installed. */
export function ocrLanguages(): string[] {
  return pathOf(`${CORE}.js`) === undefined ? [] : [...dataFiles().keys()];
}

const opened: { engine?: Promise<OcrEngine> } = {};

/** Starts tesseract as WebAssembly in this process, once: its code and data take a second to load. */
function openEmbedded(): Promise<OcrEngine> | undefined {
  if (ocrLanguages().length === 0) return undefined;
  opened.engine ??= start();
  return opened.engine;
}

async function start(): Promise<OcrEngine> {
  const data = dataFiles();
  const core = await startCore();
  const api = new core.TessBaseAPI();
  const loaded = new Set<string>();
  let current = '';
  const use = (languages: string): void => {
    if (languages === current) return;
    for (const code of languages.split('+')) {
      const path = data.get(code);
      if (loaded.has(code) || path === undefined) continue;
      core.FS.writeFile(`${code}.traineddata`, gunzipSync(readFileSync(path)));
      loaded.add(code);
    }
    if (api.Init(null, languages, LSTM_ONLY) !== 0)
      throw new AppError('OCR_FAILED', `tesseract cannot load its data for "${languages}"`);
    api.SetPageSegMode(AUTOMATIC_LAYOUT);
    current = languages;
  };
  return {
    name: 'embedded',
    languages: [...data.keys()],
    recognise: (image, languages) => {
      use(languages);
      core.FS.writeFile('/input', toPgm(image));
      try {
        if (api.SetImageFile() !== 0) throw new AppError('OCR_FAILED', 'tesseract cannot read the image of the page');
        // The image does not say it, and a guess costs accuracy.
        api.SetSourceResolution(OCR_DPI);
        if (api.Recognize(null) !== 0) throw new AppError('OCR_FAILED', 'tesseract could not read the page');
        return Promise.resolve(api.GetTSVText(0));
      } finally {
        api.Clear();
      }
    },
  };
}

async function startCore(): Promise<Core> {
  const wasm = pathOf(`${CORE}.wasm`);
  if (wasm === undefined) throw new AppError('OCR_NOT_INSTALLED', 'tesseract.js-core is not installed');
  const create = require(`${CORE}.js`) as StartCore;
  const silent = (): void => undefined;
  // The bytes are given, so that nothing is looked for beside the script or in the network.
  return await create({
    wasmBinary: readFileSync(wasm),
    print: silent,
    printErr: silent,
    TesseractProgress: silent,
  });
}

function pathOf(name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

/** The data files of installed languages, by code: packages `@tesseract.js-data/CODE`. */
function dataFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const folder of require.resolve.paths('@tesseract.js-data/eng') ?? [])
    for (const path of globSync('@tesseract.js-data/*/4.0.0_best_int/*.traineddata.gz', { cwd: folder }).sort()) {
      const code = basename(path, '.traineddata.gz');
      if (!files.has(code)) files.set(code, join(folder, path));
    }
  return files;
}
