import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { checkOptions } from '../test/support/options.ts';
import { nothingMeasured } from './score/data.ts';
import { trainingPapers } from './score/left-out.ts';

// npm run train:papers -- --repositories DIR --to DIR
// Copies the papers of the training manifest out of clones of the repositories that it names, as ID.pdf and ID.xml.
// A clone may be bare, and is DIR/OWNER/NAME or DIR/OWNER+NAME. Papers whose clone or file is not there are counted.

const { repositories, to } = checkOptions({ repositories: '', to: '' });
if (repositories === '' || to === '') nothingMeasured('give --repositories and --to');
const git = promisify(execFile);
mkdirSync(to, { recursive: true });
let copied = 0;
const missing: string[] = [];
for (const { id, repo, pdfOid, xmlOid } of trainingPapers()) {
  const clone = [repo, repo.replace('/', '+')]
    .flatMap((name) => ['', 'repo'].map((inner) => join(repositories, name, inner)))
    .flatMap((folder) => [join(folder, '.git'), folder])
    .find((folder) => existsSync(join(folder, 'objects')));
  const files = clone === undefined ? [] : [await blob(clone, pdfOid), await blob(clone, xmlOid)];
  const [pdf, xml] = files;
  if (!pdf || !xml) {
    missing.push(id);
    continue;
  }
  writeFileSync(join(to, `${id}.pdf`), pdf);
  writeFileSync(join(to, `${id}.xml`), xml);
  copied += 1;
}
console.log(
  `${copied} papers in ${to}, ${missing.length} missing${missing.length > 0 ? `: ${missing.join(' ')}` : ''}`,
);

/** The contents of a file; undefined if the clone does not have it. */
async function blob(clone: string, oid: string): Promise<Uint8Array | undefined> {
  try {
    const { stdout } = await git('git', ['--git-dir', clone, 'cat-file', 'blob', oid], {
      encoding: 'buffer',
      maxBuffer: 2 ** 30,
    });
    return stdout;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 128) return undefined;
    throw error;
  }
}
