import { NEEDS_OCR } from '../parse/index.ts';
import type { StageHooks } from '../stage/index.ts';

/** Counts the documents of a stage that are pictures of pages and gave no text. */
export class ScanCount {
  #scans: string[] = [];

  /** The same hooks, with an ear for scans. */
  counting(hooks: StageHooks): StageHooks {
    return {
      ...hooks,
      afterItem: (item, ended, context) => {
        if ('status' in ended && ended.reason === NEEDS_OCR) this.#scans.push(item.itemId);
        hooks.afterItem?.(item, ended, context);
      },
    };
  }

  /** What the summary says about them; undefined when there were none. */
  warning(): string | undefined {
    const [first] = this.#scans;
    if (first === undefined) return undefined;
    const which =
      this.#scans.length === 1
        ? `1 document (${first}) is a scan`
        : `${this.#scans.length} documents (${first}, …) are scans`;
    return `${which} without text (${NEEDS_OCR}): their text cannot be searched; install an OCR engine (npm install tesseract.js-core @tesseract.js-data/eng) and parse again, or look at their language (--ocr-languages)`;
  }
}
