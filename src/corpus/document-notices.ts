import { NEEDS_OCR } from '../parse/index.ts';
import type { StageHooks } from '../stage/index.ts';

/** Collects warnings for the summary of a DocTags run: scans without text, and languages. */
export class DocumentNotices {
  readonly #modelIsEnglish: boolean;
  readonly #scans: string[] = [];
  readonly #foreign = new Map<string, number>();

  /** `modelIsEnglish`: the embedding model supports English only. */
  constructor(modelIsEnglish: boolean) {
    this.#modelIsEnglish = modelIsEnglish;
  }

  /** The hooks, extended to collect warnings. */
  collecting(hooks: StageHooks): StageHooks {
    return {
      ...hooks,
      afterItem: (item, ended, context) => {
        if ('status' in ended) {
          if (ended.reason === NEEDS_OCR) this.#scans.push(item.itemId);
          const language = ended.manifest?.['language'];
          if (ended.status === 'success' && typeof language === 'string' && !language.startsWith('en'))
            this.#foreign.set(language, (this.#foreign.get(language) ?? 0) + 1);
        }
        hooks.afterItem?.(item, ended, context);
      },
    };
  }

  /** The warnings, one per topic. */
  warnings(): string[] {
    return [this.#aboutScans(), this.#modelIsEnglish ? this.#aboutLanguages() : undefined].filter(
      (each) => each !== undefined,
    );
  }

  #aboutScans(): string | undefined {
    const [first] = this.#scans;
    if (first === undefined) return undefined;
    const which =
      this.#scans.length === 1
        ? `1 document (${first}) is a scan`
        : `${this.#scans.length} documents (${first}, …) are scans`;
    return `${which} without text (${NEEDS_OCR}): their text cannot be searched; install an OCR engine (npm install tesseract.js-core @tesseract.js-data/eng) and parse again, or check --ocr-languages`;
  }

  #aboutLanguages(): string | undefined {
    if (this.#foreign.size === 0) return undefined;
    const languages = [...this.#foreign].sort((a, b) => b[1] - a[1]).map(([language, count]) => `${language} ${count}`);
    const count = this.#foreign.values().reduce((sum, each) => sum + each, 0);
    return `${count} ${count === 1 ? 'document is' : 'documents are'} not in English (${languages.join(', ')}): the embedded model knows English only, so search by meaning is weak there, by words it is not; parse.dense and parse.embed_model choose a multilingual model`;
  }
}
