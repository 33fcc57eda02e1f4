// Looks into PDFs on behalf of the process that started it, so that a file which hangs or crashes the engine takes
// nothing else with it. One path in, one glance out, in order.
import { readFile } from 'node:fs/promises';

import { errorInfo } from '../../base/index.ts';
import { glanceAtPdf } from './inspect.ts';

process.on('message', (question: { readonly id: number; readonly path: string }) => {
  readFile(question.path)
    .then((bytes) => glanceAtPdf(bytes))
    .then(
      (glance) => process.send?.({ id: question.id, glance }),
      (error: unknown) => process.send?.({ id: question.id, error: errorInfo(error) }),
    );
});
process.on('disconnect', () => process.exit());
