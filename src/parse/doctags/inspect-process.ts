// Looks into PDFs and XML on behalf of the process that started it, so that a file which hangs or crashes the engine takes
// nothing else with it. Questions in, one answer out for each, in order. It starts often and for few files: what is asked for is
// loaded, and nothing else.
import { readFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';

import type { Asked } from './inspector.ts';

interface Question {
  readonly id: number;
  readonly path: string;
  readonly asked: Asked;
}

let last = Promise.resolve();
process.on('message', (questions: readonly Question[]) => {
  for (const question of questions) last = last.then(() => answer(question));
});

async function answer({ id, path, asked }: Question): Promise<void> {
  try {
    await send({ id, ...(await look(path, asked)) });
  } catch (error) {
    const { errorInfo } = await import('../../base/index.ts');
    await send({ id, error: errorInfo(error) });
  }
}

/** An answer is out of this process's hands before the next file is opened: whatever that one does, it is to blame for it. */
function send(message: object): Promise<unknown> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, resolve));
}

async function look(path: string, asked: Asked): Promise<object> {
  if (asked.kind === 'draw') {
    const { drawPages } = await import('./draw-pages.ts');
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
// A Ctrl-C goes to every process of the terminal. Whoever asked decides what it means: the file in hand is read to its end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
