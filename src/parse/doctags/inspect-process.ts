// Looks into PDFs and XML for the process that started it, so that a file that hangs or crashes the engine takes nothing else
// with it. One question in, one answer out. It starts often and for few files, so it loads only what a question needs.
import { readFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';

import type { Asked } from './inspector.ts';

interface Question {
  readonly id: number;
  readonly path: string;
  readonly asked: Asked;
}

process.on('message', (question: Question) => void answer(question));

async function answer({ id, path, asked }: Question): Promise<void> {
  try {
    process.send?.({ id, ...(await look(path, asked)) });
  } catch (error) {
    const { errorInfo } = await import('../../base/index.ts');
    process.send?.({ id, error: errorInfo(error) });
  }
}

async function look(path: string, asked: Asked): Promise<object> {
  if (asked.kind === 'draw') {
    const { drawPages } = await import('./inspect.ts');
    return { images: await drawPages(await readFile(path), asked) };
  }
  if (asked.of === 'xml') {
    const { inspectXml } = await import('./inspect-xml.ts');
    return { glance: inspectXml(await readFile(path)) };
  }
  const { inspectPdf } = await import('./inspect.ts');
  // It may be killed at any time, and would have written nothing then.
  flushCompileCache();
  return { glance: await inspectPdf(path, asked.look) };
}
// A Ctrl-C goes to every process of the terminal; the parent decides what it means.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
