import { join, resolve } from 'node:path';

import { systemClock, writeFileAtomic } from '../base/index.ts';
import { gather } from './gather.ts';
import { reportHtml } from './html.ts';
import { REPORT_LIMITS } from './limits.ts';
import { lastWorkRows } from './rows.ts';
import type { ShownDocuments } from './shown-documents.ts';
import { showDocuments } from './shown-documents.ts';

export { STYLE } from './style.ts';

/**
 * The documents of a run, read and drawn as soon as there will be no others: while the run still makes its index, which
 * takes one core.
 */
export class DocumentsAhead implements Disposable {
  readonly #stop = new AbortController();
  #shown: Promise<ShownDocuments | undefined> | undefined;

  /** Begins, once. A fault is told by the report, which reads the same files again. */
  begin(folder: string): void {
    const all = resolve(folder);
    this.#shown ??= lastWorkRows(all)
      .then((rows) => showDocuments(all, rows, REPORT_LIMITS, this.#stop.signal))
      .catch(() => undefined);
  }

  /** Undefined where nothing was begun, or it could not be done. */
  get shown(): Promise<ShownDocuments | undefined> {
    return this.#shown ?? Promise.resolve(undefined);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

/** Writes `report.html` into a run folder: one file that shows the run and needs nothing else. */
export async function writeReport(options: {
  readonly folder: string;
  readonly title?: string;
  /** Its documents, where they are being drawn already. */
  readonly ahead?: DocumentsAhead;
}): Promise<{ readonly path: string }> {
  const folder = resolve(options.folder);
  const gathered = await gather(folder, {
    title: options.title,
    generatedAt: systemClock.now(),
    limits: REPORT_LIMITS,
    documents: await options.ahead?.shown,
  });
  const path = join(folder, 'report.html');
  await writeFileAtomic(path, await reportHtml(gathered));
  return { path };
}
