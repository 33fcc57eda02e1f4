import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { AppError } from '../../../base/index.ts';
import type { OcrEngine } from './engine.ts';
import { OCR_DPI, toPgm } from './straighten.ts';

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
export function openEmbedded(): Promise<OcrEngine> {
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
  // English is always among the optional packages, and the others lie beside it.
  const english = pathOf('@tesseract.js-data/eng/package.json');
  if (english === undefined) return files;
  for (const path of globSync('*/4.0.0_best_int/*.traineddata.gz', { cwd: dirname(dirname(english)) }).sort())
    files.set(basename(path, '.traineddata.gz'), join(dirname(dirname(english)), path));
  return files;
}
