import { join, resolve } from 'node:path';

import { systemClock, writeFileAtomic } from '../base/index.ts';
import { gather } from './gather.ts';
import { reportHtml } from './html.ts';
import { REPORT_LIMITS } from './limits.ts';

export { STYLE } from './style.ts';

/** Writes `report.html` into a run folder: one file that shows the run and needs nothing else. */
export async function writeReport(options: {
  readonly folder: string;
  readonly title?: string;
}): Promise<{ readonly path: string }> {
  const folder = resolve(options.folder);
  const gathered = await gather(folder, {
    title: options.title,
    generatedAt: systemClock.now(),
    limits: REPORT_LIMITS,
  });
  const path = join(folder, 'report.html');
  await writeFileAtomic(path, await reportHtml(gathered));
  return { path };
}
