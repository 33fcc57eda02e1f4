// Inspects PDFs and XML for its parent, so that a file that hangs or crashes the engine takes nothing else with it. It
// is started often and for few files, so modules are loaded only when needed.
import { readFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';

import type { Asked } from './inspector.ts';

interface Question {
  readonly path: string;
  readonly asked: Asked;
}

process.on('message', (question: Question) => void answer(question));

async function answer({ path, asked }: Question): Promise<void> {
  try {
    process.send?.(await look(path, asked));
  } catch (error) {
    const { errorInfo } = await import('../../base/index.ts');
    process.send?.({ error: errorInfo(error) });
  }
}

async function look(path: string, asked: Asked): Promise<object> {
  if (asked.kind === 'text') {
    const { readPageText } = await import('./page-text.ts');
    return { text: await readPageText(path, asked.page) };
  }
  const { drawPage, inspectPdf, inspectXml } = await import('./inspect.ts');
  if (asked.kind === 'draw') return { png: await drawPage(path, asked.page, asked.widthPixels) };
  if (asked.of === 'xml') return { glance: await inspectXml(await readFile(path)) };
  // This process may be killed at any time; the cache would not be written then.
  flushCompileCache();
  return { glance: await inspectPdf(path, asked.look) };
}

// Ctrl-C reaches every process of the terminal; the parent decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
