// Looks into PDFs and XML on behalf of the process that started it, so that a file which hangs or crashes the engine takes
// nothing else with it. One question in, one answer out, in order.
import { readFile } from 'node:fs/promises';

import { errorInfo } from '../../base/index.ts';
import { drawPages } from './draw-pages.ts';
import { glanceAtPdf } from './inspect.ts';
import { glanceAtXml } from './inspect-xml.ts';
import type { Asked } from './inspector.ts';

process.on('message', (question: { readonly id: number; readonly path: string; readonly asked: Asked }) => {
  const { id, path, asked } = question;
  readFile(path)
    .then(async (bytes) => {
      if (asked.kind === 'draw') return { images: await drawPages(bytes, asked) };
      return { glance: asked.of === 'xml' ? glanceAtXml(bytes) : await glanceAtPdf(bytes) };
    })
    .then(
      (answer) => process.send?.({ id, ...answer }),
      (error: unknown) => process.send?.({ id, error: errorInfo(error) }),
    );
});
// A Ctrl-C goes to every process of the terminal. Whoever asked decides what it means: the file in hand is read to its end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
