import { AppError } from '../../../base/index.ts';
import type { GreyImage } from './straighten.ts';
import { openProgram } from './tesseract-program.ts';
import { ocrLanguages, openEmbedded } from './tesseract-wasm.ts';

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
  /** Path of the tesseract program. */
  readonly command?: string;
}

/** Opens the engine that the settings name; undefined when it is not installed. */
export async function openOcr(settings: OcrSettings): Promise<OcrEngine | undefined> {
  const engine =
    settings.engine === 'embedded'
      ? ocrLanguages().length > 0
        ? await openEmbedded()
        : undefined
      : await openProgram(settings.command ?? 'tesseract', settings.timeoutMs);
  const missing = engine && missingLanguage(engine, settings.languages);
  if (missing !== undefined)
    throw new AppError('OCR_NO_LANGUAGE', `the OCR engine has no data for "${missing}"`, {
      hint:
        settings.engine === 'embedded'
          ? `npm install @tesseract.js-data/${missing}`
          : `install tesseract's data for ${missing}`,
    });
  return engine;
}

function missingLanguage({ languages }: OcrEngine, wanted: string): string | undefined {
  return wanted === 'auto' ? undefined : wanted.split('+').find((code) => !languages.includes(code));
}
